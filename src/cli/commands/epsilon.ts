import { datasetSizeOf, largeDeltaSentence } from '../../report/sentences.js';
import { shortDecimal } from '../../text/decimal.js';
import { seen } from '../../tradeoff/subject.js';
import type { Command } from '../command.js';
import { list } from '../flags.js';
import { answers, DIGITS_FLAGS, inTurn } from '../output.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { accountedRun, RUN_FLAGS, RUN_OPERAND, sourceOf } from '../run-source.js';
import { compareWithAnswered, GROUP_FLAGS, grouped, groupOf, groupProvenance } from '../subject-source.js';

export const epsilon: Command = {
  name: 'epsilon',
  usage: 'FILE|- [--delta D]',
  summary: 'the epsilon at a delta',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    delta: list('D[,D...]', 'in [0, 1], repeatable (default 1e-5)'),
    ...DIGITS_FLAGS,
    ...GROUP_FLAGS,
    ...RUN_FLAGS,
  },
  async run(args, context) {
    const given = args.numbers('delta', 'a number in [0, 1]');
    const deltas = given.length > 0 ? given : [1e-5];
    const stated = args.number('dataset-size', 'a whole number >= 1');
    const source = await sourceOf(args, context, 'epsilon');
    const size = stated ?? source.read?.facts.datasetSize ?? datasetSizeOf(source.mechanism);
    const large = size === undefined ? undefined : largeDeltaSentence(deltas, size);
    if (large !== undefined) context.note(large);
    const run = await accountedRun(args, context, source);
    const { ask } = seen(grouped(args, run));
    const results = inTurn(context, deltas, (delta) => ({ delta, epsilon: ask.epsilon(delta) }));
    if (groupOf(args) === 1)
      for (const { delta, epsilon } of results)
        compareWithAnswered(source, context, ['delta', delta], ['epsilon', epsilon]);
    return answers(args, results, groupProvenance(args, run), ({ delta, epsilon }) => [
      `epsilon(${shortDecimal(delta)})`,
      epsilon,
    ]);
  },
};
