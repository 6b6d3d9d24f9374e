import { METHODS } from '../../account/options.js';
import { type AccountantComparison, type Baseline, compareAccountants } from '../../accountants/index.js';
import { roundDecimal, shortDecimal } from '../../text/decimal.js';
import type { Command } from '../command.js';
import { UsageError } from '../errors.js';
import { list, value } from '../flags.js';
import { DIGITS_FLAGS, endsText, FORMATS, inTurn, type Shown, shownOf, toJson } from '../output.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import {
  ACCOUNT_FLAGS,
  EFFORT_FLAGS,
  effortOf,
  engineOf,
  RUN_OPERAND,
  sourceAdjacency,
  sourceOf,
  toleranceOf,
} from '../run-source.js';

export const compare: Command = {
  name: 'compare',
  usage: 'FILE|- [--delta D[,D...] | --epsilon E]',
  summary: 'what other accountants say of a run, guarantees and approximations apart',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    delta: list('D[,D...]', 'compare epsilon at each (default 1e-5)'),
    epsilon: value('E', 'or delta at this epsilon'),
    ...DIGITS_FLAGS,
    ...ACCOUNT_FLAGS,
    ...EFFORT_FLAGS,
  },
  async run(args, context) {
    if (args.has('delta') && args.has('epsilon')) throw new UsageError('give either --delta or --epsilon');
    const given = args.numbers('delta', 'a number in [1e-300, 1)');
    const epsilon = args.number('epsilon', 'a number in [0, 1e6]');
    const source = await sourceOf(args, context, 'compare');
    const engine = await engineOf(args, context);
    const options = {
      adjacency: sourceAdjacency(args, context, source),
      ...toleranceOf(args),
      ...effortOf(args),
      method: args.oneOf('method', METHODS) ?? 'auto',
    } as const;
    const deltas = given.length > 0 ? given : [1e-5];
    const { mechanism } = source;
    const tables =
      epsilon === undefined
        ? inTurn(context, deltas, (delta) => compareAccountants(engine, mechanism, { ...options, delta }))
        : [compareAccountants(engine, mechanism, { ...options, epsilon })];
    if (!args.has('json')) return tables.map((table) => tableText(table, shownOf(args))).join('\n');
    return toJson(tables.length === 1 ? { ...tables[0], mechanism } : { results: tables, mechanism });
  },
};

const COLUMN = 46;

function tableText({ quantity, at, exact, baselines }: AccountantComparison, shown: Shown): string {
  const { digits = 5 } = { ...FORMATS.compared, ...shown };
  const title = `${quantity}(${shortDecimal(at)})`.padEnd(COLUMN);
  const rows = (kind: Baseline['kind']): string =>
    baselines
      .filter((row) => row.kind === kind)
      .sort((a, b) => a.value - b.value)
      .map(({ name, value }) => `  ${name.padEnd(COLUMN - 2)}${roundDecimal(value, 'up', { digits })}\n`)
      .join('');
  return `${title}${endsText(exact, shown, { digits })}
guarantees of other accountants
${rows('guarantee')}approximations (no guarantee; may be too small)
${rows('approximation') || '  none applies\n'}`;
}
