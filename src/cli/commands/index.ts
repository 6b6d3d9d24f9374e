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

/** Every subcommand of `gdp`, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  report,
  page,
  epsilon,
  delta,
  mu,
  tradeoff,
  risk,
  identify,
  measure,
  amplify,
  calibrate,
  noise,
  convert,
  compare,
  sweep,
  batch,
  budget,
  lint,
  audit,
  certify,
  verify,
  completion,
  serve,
];
