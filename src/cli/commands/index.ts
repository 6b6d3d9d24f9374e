import type { Command } from '../command.js';
import { amplify } from './amplify.js';
import { audit } from './audit.js';
import { batch } from './batch.js';
import { budget } from './budget.js';
import { calibrate } from './calibrate.js';
import { certify, verify } from './certify.js';
import { compare } from './compare.js';
import { completion } from './completion.js';
import { convert } from './convert.js';
import { delta } from './delta.js';
import { epsilon } from './epsilon.js';
import { identify } from './identify.js';
import { lint } from './lint.js';
import { measure } from './measure.js';
import { mu } from './mu.js';
import { noise } from './noise.js';
import { page } from './page.js';
import { report } from './report.js';
import { risk } from './risk.js';
import { serve } from './serve.js';
import { sweep } from './sweep.js';
import { tradeoff } from './tradeoff.js';

/** Every subcommand of `gdp` by what it is for, in the order of the help. */
export const TASKS: readonly (readonly [task: string, commands: readonly Command[]])[] = [
  ['Answer: a run took place', [report, page, epsilon, delta, mu, risk, tradeoff, identify, measure]],
  ['Plan: a run is to come', [calibrate, noise, amplify, convert, budget]],
  ['Check: a claim, an attack, another accountant', [lint, audit, compare, certify, verify]],
  ['Tables: many runs', [batch, sweep]],
  ['Serve: other programs and shells', [serve, completion]],
];

export const COMMANDS: readonly Command[] = TASKS.flatMap(([, commands]) => commands);
