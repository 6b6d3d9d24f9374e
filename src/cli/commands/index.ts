import type { Command, Host } from '../command.js';
import { ANSWERS } from './answers.js';
import { batch } from './batch.js';
import { completion } from './completion.js';
import { page } from './page.js';
import { serve } from './serve.js';
import { sweep } from './sweep.js';

const { report, run, plan, check } = ANSWERS;

/** The subcommands of `gdp` by purpose, in the order of the help. */
export const TASKS: Host['tasks'] = [
  ['Answer: a run took place', [report, page, ...run]],
  ['Plan: a run is to come', plan],
  ['Check: a claim, an attack, another accountant', check],
  ['Tables: many runs', [batch, sweep]],
  ['Serve: other programs and shells', [serve, completion]],
];

export const COMMANDS: readonly Command[] = TASKS.flatMap(([, commands]) => commands);
