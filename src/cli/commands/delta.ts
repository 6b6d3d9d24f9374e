import type { ComposedRun } from '../../index.js';
import { shortDecimal } from '../../text/decimal.js';
import { seen } from '../../tradeoff/subject.js';
import type { Command } from '../command.js';
import { UsageError } from '../errors.js';
import { list, toggle } from '../flags.js';
import { answers, DIGITS_FLAGS, inTurn } from '../output.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { accountedRun, RUN_FLAGS, RUN_OPERAND, sourceOf } from '../run-source.js';
import { compareWithAnswered, GROUP_FLAGS, grouped, groupOf, groupProvenance } from '../subject-source.js';

export const delta: Command = {
  name: 'delta',
  usage: 'FILE|- --epsilon E',
  summary: 'the delta at an epsilon',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    epsilon: list('E[,E...]', 'repeatable'),
    explain: toggle('where the width of each bracket comes from'),
    ...DIGITS_FLAGS,
    ...GROUP_FLAGS,
    ...RUN_FLAGS,
  },
  async run(args, context) {
    const epsilons = args.numbers('epsilon', 'a finite number');
    if (epsilons.length === 0) {
      throw new UsageError('"--epsilon" is needed: gdp delta answers the delta at that epsilon');
    }
    if (args.has('explain') && groupOf(args) > 1)
      throw new UsageError('"--explain" is about runs of one record, not about groups');
    const source = await sourceOf(args, context, 'delta');
    const run = await accountedRun(args, context, source);
    const { ask } = seen(grouped(args, run));
    const results = inTurn(context, epsilons, (epsilon) => ({
      epsilon,
      delta: ask.delta(epsilon),
      logDelta: ask.logDelta(epsilon),
      ...(args.has('explain') && { budgets: run.explain(epsilon).map((budget) => budget ?? null) }),
    }));
    if (groupOf(args) === 1)
      for (const { epsilon, delta } of results)
        compareWithAnswered(source, context, ['epsilon', epsilon], ['delta', delta]);
    const text = answers(args, results, groupProvenance(args, run), ({ epsilon, delta }) => [
      `delta(${shortDecimal(epsilon)})`,
      delta,
    ]);
    if (args.has('json') || !args.has('explain')) return text;
    return text + epsilons.map((epsilon) => budgetText(run, epsilon)).join('');
  },
};

/** The error budgets of both directions as lines of text. */
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
