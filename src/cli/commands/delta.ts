import type { ComposedRun } from '../../index.js';
import { shortDecimal } from '../../text/decimal.js';
import { seen } from '../../tradeoff/subject.js';
import { UsageError } from '../args.js';
import { type Command, list, toggle } from '../command.js';
import { RUN_OPERAND, runOf } from '../run-source.js';
import { answersAt, GROUP_FLAGS, grouped, groupOf, groupProvenance } from '../subject-source.js';

export const delta: Command = {
  name: 'delta',
  usage: 'FILE|- --epsilon E',
  summary: 'the delta at an epsilon',
  examples: ['gdp delta state.json --epsilon 8'],
  operand: RUN_OPERAND,
  flags: {
    epsilon: list('E[,E...]', 'repeatable'),
    explain: toggle('where the width of each bracket comes from'),
    ...GROUP_FLAGS,
  },
  async run(args, context) {
    const points = args.numbers('epsilon');
    const explained = args.has('explain');
    if (points.length === 0)
      throw new UsageError('"--epsilon" is needed: gdp delta answers the delta at that epsilon');
    if (groupOf(args) > 1) args.without(['explain'], 'is about runs of one record, not about groups');
    const { source, run } = await runOf(args, context);
    const { ask } = seen(grouped(args, run));
    const asked = {
      at: 'epsilon',
      of: 'delta',
      points,
      ask: (x: number) => ({
        delta: ask.delta(x),
        logDelta: ask.logDelta(x),
        ...(explained && { budgets: run.explain(x).map((budget) => budget ?? null) }),
      }),
    };
    const text = answersAt(args, context, asked, () => groupProvenance(args, run), source);
    return explained && !args.has('json') ? text + points.map((x) => budgetText(run, x)).join('') : text;
  },
};

function budgetText(run: ComposedRun, epsilon: number): string {
  const budgets = run.explain(epsilon);
  return run.directions
    .map(({ direction }, i) => {
      const budget = budgets[i];
      const title = `error of delta(${shortDecimal(epsilon)}), direction ${direction}, relative to delta`;
      if (budget === undefined)
        return `${title}: not kept by the method that answered (${run.methodAt(epsilon)})\n`;
      const { nodes, ...parts } = budget;
      const lines = Object.entries(parts).map(
        ([name, size]) => `  ${name.padEnd(22)}${size.toExponential(1)}\n`,
      );
      return `${title}, ${nodes} nodes\n${lines.join('')}`;
    })
    .join('');
}
