import { formatReport, report as reportOf } from '../../index.js';
import type { Command } from '../command.js';
import { UsageError } from '../errors.js';
import { toJson } from '../output.js';
import { ACCOUNT_FLAGS, accountedRun, PHASE_FLAGS, RUN_OPERAND, sourceOf } from '../run-source.js';
import { WINDOW_FLAGS, windowOf } from './mu.js';

export const report: Command = {
  name: 'report',
  usage: 'FILE|-',
  summary: 'the page to publish: epsilon, mu, regret, attack risks',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    delta: {
      type: 'string',
      multiple: true,
      value: 'D[,D...]',
      help: 'deltas to report epsilon at, in (0, 1)',
    },
    ...WINDOW_FLAGS,
    ...ACCOUNT_FLAGS,
  },
  async run(args, context) {
    const deltas = args.numbers('delta', 'a number in [0, 1]', (x) => x >= 0 && x <= 1);
    if (deltas.some((delta) => delta === 0 || delta === 1)) {
      throw new UsageError('"--delta" must be in (0, 1) for a report');
    }
    const window = windowOf(args);
    const source = await sourceOf(args, context, 'report');
    const run = await accountedRun(args, context, source);
    const made = reportOf(run, {
      title: `Privacy report: ${source.title}`,
      ...(deltas.length > 0 && { deltas }),
      ...window,
    });
    if (!args.has('json')) return formatReport(made);
    const { delta, epsilon } = made.epsilonAtDelta[0]!;
    return toJson({ ...made, delta, epsilon });
  },
};
