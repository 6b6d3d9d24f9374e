import type { Command } from '../command.js';
import { calibrate } from './calibrate.js';
import { compare } from './compare.js';
import { delta } from './delta.js';
import { epsilon } from './epsilon.js';
import { lint } from './lint.js';
import { mu } from './mu.js';
import { report } from './report.js';
import { sweep } from './sweep.js';
import { tradeoff } from './tradeoff.js';

/** Every subcommand of `gdp`, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  report,
  epsilon,
  delta,
  mu,
  tradeoff,
  calibrate,
  compare,
  sweep,
  lint,
];
