import { type AccountantComparison, type Baseline, compareAccountants } from '../../accountants/index.js';
import { roundDecimal, shortDecimal } from '../../text/decimal.js';
import { UsageError } from '../args.js';
import { type Command, list, value } from '../command.js';
import { DIGITS_FLAGS, endsText, FORMATS, inTurn, printed, type Shown, shownOf } from '../output.js';
import { accountingOf, adjacencyOf, engineOf, RUN_OPERAND, sourceOf, TOLD_FLAGS } from '../run-source.js';

export const compare: Command = {
  name: 'compare',
  usage: 'FILE|- [--delta D[,D...] | --epsilon E]',
  summary: 'what other accountants say of a run, guarantees and approximations apart',
  examples: ['gdp compare state.json --delta 1e-5'],
  operand: RUN_OPERAND,
  flags: {
    delta: list('D[,D...]', 'compare epsilon at each (default 1e-5)', 'a number in [1e-300, 1)'),
    epsilon: value('E', 'or delta at this epsilon', 'a number in [0, 1e6]'),
    ...DIGITS_FLAGS,
    ...TOLD_FLAGS,
  },
  async run(args, context) {
    if (args.has('delta') && args.has('epsilon')) throw new UsageError('give either --delta or --epsilon');
    const deltas = args.numbers('delta', [1e-5]);
    const epsilon = args.number('epsilon');
    const source = await sourceOf(args, context);
    const engine = await engineOf(args, context);
    const options = { adjacency: adjacencyOf(args, context, source), ...accountingOf(args) };
    const { mechanism } = source;
    const asked = deltas.map((delta) => (epsilon === undefined ? { delta } : { epsilon }));
    const tables = inTurn(context, asked, (at) =>
      compareAccountants(engine, mechanism, { ...options, ...at }),
    );
    return printed(
      args,
      tables.length === 1 ? { ...tables[0], mechanism } : { results: tables, mechanism },
      () => tables.map((table) => tableText(table, shownOf(args))).join('\n'),
    );
  },
};

const COLUMN = 46;

function tableText({ quantity, at, exact, baselines }: AccountantComparison, shown: Shown): string {
  const { digits = 5 } = { ...FORMATS.compared, ...shown };
  const title = `${quantity}(${shortDecimal(at)})`.padEnd(COLUMN);
  const rows = (kind: Baseline['kind']): string =>
    baselines
      // infinite values are left out; --json has every row
      .filter((row) => row.kind === kind && row.value < Infinity)
      .sort((a, b) => a.value - b.value)
      .map(({ name, value }) => `  ${name.padEnd(COLUMN - 2)}${roundDecimal(value, 'up', { digits })}\n`)
      .join('');
  return `${title}${endsText(exact, shown, { digits })}
guarantees of other accountants
${rows('guarantee')}approximations (no guarantee; may be too small)
${rows('approximation') || '  none applies\n'}`;
}
