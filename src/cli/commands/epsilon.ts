import { datasetSizeOf, largeDeltaSentence } from '../../report/sentences.js';
import { seen } from '../../tradeoff/subject.js';
import { type Command, list } from '../command.js';
import { accountedRun, RUN_OPERAND, sourceOf } from '../run-source.js';
import { answersAt, GROUP_FLAGS, grouped, groupProvenance } from '../subject-source.js';

export const epsilon: Command = {
  name: 'epsilon',
  usage: 'FILE|- [--delta D]',
  summary: 'the epsilon at a delta',
  examples: [
    'gdp epsilon state.json --delta 1e-5',
    'gdp epsilon --noise-multiplier 1.1 --sampling-rate 256/60000 --steps 14062',
  ],
  operand: RUN_OPERAND,
  flags: {
    delta: list('D[,D...]', 'in [0, 1], repeatable (default 1e-5)', 'a number in [0, 1]'),
    ...GROUP_FLAGS,
  },
  async run(args, context) {
    const points = args.numbers('delta', [1e-5]);
    const stated = args.number('dataset-size', 'a whole number >= 1');
    const source = await sourceOf(args, context);
    const size = stated ?? source.read?.facts.datasetSize ?? datasetSizeOf(source.mechanism);
    const large = size === undefined ? undefined : largeDeltaSentence(points, size);
    if (large !== undefined) context.note(large);
    const run = await accountedRun(args, context, source);
    const { ask } = seen(grouped(args, run));
    const asked = { at: 'delta', of: 'epsilon', points, ask: (x: number) => ({ epsilon: ask.epsilon(x) }) };
    return answersAt(args, context, asked, () => groupProvenance(args, run), source);
  },
};
