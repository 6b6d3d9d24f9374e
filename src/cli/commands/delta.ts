import { shortDecimal } from '../../decimal.js';
import type { Command } from '../command.js';
import { UsageError } from '../errors.js';
import { answers } from '../output.js';
import {
  ACCOUNT_FLAGS,
  accountedRun,
  PHASE_FLAGS,
  provenance,
  RUN_OPERAND,
  sourceOf,
} from '../run-source.js';

export const delta: Command = {
  name: 'delta',
  usage: 'FILE|- --epsilon E',
  summary: 'the delta at an epsilon',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    epsilon: { type: 'string', multiple: true, value: 'E[,E...]', help: 'repeatable' },
    ...ACCOUNT_FLAGS,
  },
  async run(args, context) {
    const epsilons = args.numbers('epsilon', 'a finite number', Number.isFinite);
    if (epsilons.length === 0) {
      throw new UsageError('"--epsilon" is needed: gdp delta answers the delta at that epsilon');
    }
    const run = await accountedRun(args, context, await sourceOf(args, context, 'delta'));
    const results = epsilons.map((epsilon) => ({
      epsilon,
      delta: run.delta(epsilon),
      logDelta: run.logDelta(epsilon),
    }));
    return answers(args, results, provenance(run), ({ epsilon, delta }) => [
      `delta(${shortDecimal(epsilon)})`,
      delta,
    ]);
  },
};
