import { shortDecimal } from '../../text/decimal.js';
import type { Command } from '../command.js';
import { answers } from '../output.js';
import {
  ACCOUNT_FLAGS,
  accountedRun,
  PHASE_FLAGS,
  provenance,
  RUN_OPERAND,
  sourceOf,
} from '../run-source.js';

export const tradeoff: Command = {
  name: 'tradeoff',
  usage: 'FILE|- [--alpha A]',
  summary: 'least false negative rate beta at a false positive rate alpha',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    alpha: {
      type: 'string',
      multiple: true,
      value: 'A[,A...]',
      help: 'in [0, 1], repeatable (default 1e-4,1e-3,1e-2,1e-1)',
    },
    ...ACCOUNT_FLAGS,
  },
  async run(args, context) {
    const given = args.numbers('alpha', 'a number in [0, 1]', (x) => x >= 0 && x <= 1);
    const alphas = given.length > 0 ? given : [1e-4, 1e-3, 1e-2, 1e-1];
    const run = await accountedRun(args, context, await sourceOf(args, context, 'tradeoff'));
    const results = alphas.map((alpha) => ({ alpha, beta: run.tradeoff(alpha) }));
    return answers(args, results, provenance(run), ({ alpha, beta }) => [
      `beta(${shortDecimal(alpha)})`,
      beta,
    ]);
  },
};
