import { amplify } from './amplify.js';
import { audit } from './audit.js';
import { budget } from './budget.js';
import { calibrate } from './calibrate.js';
import { certify, verify } from './certify.js';
import { compare } from './compare.js';
import { convert } from './convert.js';
import { delta } from './delta.js';
import { epsilon } from './epsilon.js';
import { identify } from './identify.js';
import { lint } from './lint.js';
import { measure } from './measure.js';
import { mu } from './mu.js';
import { noise } from './noise.js';
import { report } from './report.js';
import { risk } from './risk.js';
import { tradeoff } from './tradeoff.js';

/** The subcommands of `gdp` that need no file system or threads. */
export const ANSWERS = {
  report,
  run: [epsilon, delta, mu, risk, tradeoff, identify, measure],
  plan: [calibrate, noise, amplify, convert, budget],
  check: [lint, audit, compare, certify, verify],
} as const;
