import {
  type Conversion,
  ConversionRefused,
  type ConversionTarget,
  convert as convertOf,
  GUARANTEE_KINDS,
  type Guarantee,
  type GuaranteeKind,
  parseGuarantee,
} from '../../convert/index.js';
import { quotable } from '../../errors.js';
import type { ComposedRun } from '../../index.js';
import { roundDecimal, shortDecimal } from '../../text/decimal.js';
import { type Args, UsageError, withPlace } from '../args.js';
import { type Command, type Context, list, value } from '../command.js';
import { DIGITS_FLAGS, line, printed, row, type Safe, type Shown, shownOf } from '../output.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { engineOf, RUN_OPERAND, runOf, TOLD_FLAGS } from '../run-source.js';
import { numberOrText, shortForm } from '../short-form.js';
import { suggestion } from '../suggest.js';

export const convert: Command = {
  name: 'convert',
  usage: '--from G | FILE|- --to KIND',
  summary: 'one kind of guarantee into another, or why not',
  examples: [
    'gdp convert --from zcdp:0.5 --to approximate-dp --delta 1e-6',
    'gdp convert state.json --to gdp',
  ],
  operand: RUN_OPERAND,
  flags: {
    from: value(
      'G',
      'a guarantee: pure-dp:1, approximate-dp:1,1e-5, gdp:0.5,\nzcdp:0.5, tcdp:0.5,8, mcdp:0.5,1, rdp:8=1.2,16=2.5,\nprobabilistic-dp:1,1e-5, or JSON',
    ),
    to: value(
      'KIND',
      GUARANTEE_KINDS.slice(0, 5).join(', ').concat(',\n', GUARANTEE_KINDS.slice(5).join(', ')),
    ),
    delta: value('D', 'for approximate-dp: answers epsilon at D,', 'a number in [0, 1]'),
    epsilon: list('E[,E...]', 'or delta at E; also for probabilistic-dp, tabulated', 'a finite number >= 0'),
    order: list('A[,A...]', 'orders for rdp', 'a number in (1, 1e6]'),
    alpha: list('A[,A...]', 'false positive rates for trade-off', 'a number in [0, 1]'),
    ...DIGITS_FLAGS,
    ...TOLD_FLAGS,
  },
  async run(args, context) {
    const target = targetOf(args);
    const from = await fromOf(args, context);
    const others = GUARANTEE_KINDS.flatMap(flagsOf).filter((flag) => !flagsOf(target.kind).includes(flag));
    args.without(others, `has no meaning for --to ${target.kind}`);
    const engine = await engineOf(args, context);
    let made: Conversion;
    try {
      made = convertOf(engine, from, target);
    } catch (error) {
      if (error instanceof ConversionRefused) {
        const { from: name, to, reason: refused } = error;
        return printed(args, { from: name, to, refused }, () => `${error.message}\n`, 1);
      }
      throw error;
    }
    // a guarantee that is read back is about the neighbours that it was proved for
    const neighbours = 'settings' in from && { adjacency: from.settings.adjacency };
    return printed(args, { ...made, ...neighbours }, () => textOf(made, target, shownOf(args)));
  },
};

function textOf(
  { values, theorem, beside = [] }: Conversion,
  target: ConversionTarget,
  shown: Shown,
): string {
  const safe: Safe = { end: target.kind === 'trade-off' ? 'lower' : 'upper', digits: 4 };
  return [
    ...values.map((value, i) => line(nameOf(target, i), value, shown, safe)),
    row('by', theorem),
    ...beside.map(({ name, value }) =>
      row('also proved', `${roundDecimal(value, 'up', { digits: 4 })}, by ${name}`),
    ),
  ].join('');
}

/** What kinds of one number are answered by; and kinds asked for at many: by which option, how the library calls that, and what is answered there. */
const SINGLE = { 'pure-dp': 'epsilon', gdp: 'mu (all rates)', zcdp: 'rho' } as const;
const LISTED = {
  tabulated: ['epsilon', 'epsilons', 'delta'],
  rdp: ['order', 'orders', 'divergence'],
  'trade-off': ['alpha', 'alphas', 'beta'],
} as const;

const isSingle = (kind: GuaranteeKind): kind is keyof typeof SINGLE => Object.hasOwn(SINGLE, kind);
const isListed = (kind: GuaranteeKind): kind is keyof typeof LISTED => Object.hasOwn(LISTED, kind);

function nameOf(target: ConversionTarget, i: number): string {
  const { kind } = target;
  if (isSingle(kind)) return SINGLE[kind];
  if (!isListed(kind))
    return 'delta' in target
      ? `epsilon(${shortDecimal(target.delta)})`
      : `delta(${shortDecimal((target as { epsilon: number }).epsilon)})`;
  const [, field, answered] = LISTED[kind];
  const points = (target as never)[field] as readonly number[];
  const shown = kind === 'trade-off' ? points.toSorted((a, b) => a - b) : points;
  return `${answered}(${shortDecimal(shown[i])})`;
}

/** The options that a kind is asked for at. */
function flagsOf(kind: GuaranteeKind): readonly string[] {
  if (isSingle(kind)) return [];
  if (isListed(kind)) return [LISTED[kind][0]];
  return kind === 'approximate-dp' ? ['delta', 'epsilon'] : ['epsilon'];
}

function targetOf(args: Args): ConversionTarget {
  const to = args.oneOf('to', GUARANTEE_KINDS);
  const kind = args.required(to, 'to', 'the kind of guarantee to convert into');
  const epsilons = args.numbers('epsilon');
  const needed = (flag: string): readonly number[] => {
    const values = args.numbers(flag);
    if (values.length === 0) throw new UsageError(`"--${flag}" is needed to convert to ${kind}`);
    return values;
  };
  if (isSingle(kind)) return { kind };
  if (isListed(kind)) {
    const [flag, field] = LISTED[kind];
    return { kind, [field]: needed(flag) } as never;
  }
  if (kind === 'probabilistic-dp') {
    if (epsilons.length > 1) throw new UsageError('one "--epsilon" is needed to convert to probabilistic-dp');
    return { kind, epsilon: needed('epsilon')[0] };
  }
  const delta = args.number('delta');
  if ((delta === undefined) === (epsilons.length !== 1))
    throw new UsageError('either "--delta" or one "--epsilon" is needed to convert to approximate-dp');
  return delta === undefined ? { kind, epsilon: epsilons[0] } : { kind, delta };
}

/** What a short form may begin with. */
const FROM_KINDS: readonly string[] = [...GUARANTEE_KINDS, 'tcdp', 'mcdp'];

async function fromOf(args: Args, context: Context): Promise<Guarantee | ComposedRun> {
  const text = args.text('from');
  const told = args.operands.length > 0 || Object.keys(PHASE_FLAGS).some((flag) => args.has(flag));
  if (text === undefined && context.piped !== true && !told)
    throw new UsageError(
      'gdp convert needs a guarantee, such as --from approximate-dp:1,1e-5, or a run: a FILE (- for standard input), or --noise-multiplier, --sampling-rate and --steps',
    );
  if (text === undefined) return (await runOf(args, context)).run;
  if (args.operands.length > 0) throw new UsageError('give either FILE or "--from", not both');
  args.without(Object.keys(TOLD_FLAGS), 'is about a run: not for "--from"');
  const [kind] = text.split(':');
  if (!text.startsWith('{') && !FROM_KINDS.includes(kind))
    throw new UsageError(
      `"--from" must begin with one of ${FROM_KINDS.join(', ')}, got "${quotable(kind)}"${suggestion(kind, FROM_KINDS)}`,
    );
  return withPlace('"--from"', async () => parseGuarantee(shortForm(text, numberOrText)));
}
