import {
  type Conversion,
  ConversionRefused,
  type ConversionTarget,
  convert as convertOf,
  FROM_KINDS,
  GUARANTEE_KINDS,
  type Guarantee,
  type GuaranteeKind,
  parseGuarantee,
} from '../../convert/index.js';
import { quotable } from '../../errors.js';
import { account, type ComposedRun, type Engine, repeat } from '../../index.js';
import { fractionOf, product, roundedUp } from '../../numeric/exact-decimal.js';
import { roundDecimal, shortDecimal } from '../../text/decimal.js';
import { numberOrText } from '../../text/typed.js';
import { type Args, UsageError, withPlace } from '../args.js';
import { type Command, type Context, list, value } from '../command.js';
import { DIGITS_FLAGS, line, printed, row, type Safe, type Shown, shownOf } from '../output.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { engineOf, RUN_OPERAND, runOf, TOLD_FLAGS } from '../run-source.js';
import { shortForm } from '../short-form.js';
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
      'a guarantee: pure-dp:1, approximate-dp:1,1e-5, gdp:0.5,\nzcdp:0.5, zcdp:0.5,1e-6 (but for a delta), tcdp:0.5,8,\nmcdp:0.5,1, rdp:8=1.2,16=2.5,\nprobabilistic-dp:1,1e-5, or JSON',
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
    count: value(
      'K',
      'so many releases of the guarantee --from; of a run,\n' +
        'how adaptive clipping counts: centred or raw',
    ),
  },
  async run(args, context) {
    const to = args.oneOf('to', GUARANTEE_KINDS);
    const kind = args.required(to, 'to', 'the kind of guarantee to convert into');
    const { flags, at } = WAYS[kind];
    const [fields, names] = at(args);
    const engine = await engineOf(args, context);
    const from = await fromOf(args, context, engine);
    const others = Object.values(WAYS).flatMap((way) => way.flags.filter((flag) => !flags.includes(flag)));
    args.without(others, `has no meaning for --to ${kind}`);
    let made: Conversion;
    try {
      made = convertOf(engine, from, { kind, ...fields } as ConversionTarget);
    } catch (error) {
      if (error instanceof ConversionRefused) {
        const { from: name, reason: refused } = error;
        return printed(args, { from: name, to: error.to, refused }, () => `${error.message}\n`, 1);
      }
      throw error;
    }
    // a guarantee read from an answer holds for the neighbours that it was proved for
    const neighbours = !args.has('from') && 'settings' in from && { adjacency: from.settings.adjacency };
    return printed(args, { ...made, ...neighbours }, () => textOf(made, names, shownOf(args)));
  },
};

function textOf({ to, values, theorem, beside = [] }: Conversion, names: readonly string[], shown: Shown) {
  const safe: Safe = { end: to === 'trade-off' ? 'lower' : 'upper', digits: 4 };
  return [
    ...values.map((value, i) => line(names[i], value, shown, safe)),
    row('by', theorem),
    ...beside.map(({ name, value }) =>
      row('also proved', `${roundDecimal(value, 'up', { digits: 4 })}, by ${name}`),
    ),
  ].join('');
}

/** The options with which a kind of guarantee is asked for, and from them the fields of the target and the names of the results. */
interface Way {
  readonly flags: readonly string[];
  at(args: Args): readonly [fields: object, names: readonly string[]];
}

const named = (of: string, points: readonly number[]): string[] =>
  points.map((x) => `${of}(${shortDecimal(x)})`);

const single = (name: string): Way => ({ flags: [], at: () => [{}, [name]] });

/** A kind with one result for each value of an option; the field `field` of the target holds the values. */
const listed = (flag: string, field: string, of: string): Way => ({
  flags: [flag],
  at: (args) => {
    const points = pointsOf(args, flag);
    return [{ [field]: points }, named(of, points)];
  },
});

const WAYS: Readonly<Record<GuaranteeKind, Way>> = {
  'pure-dp': single('epsilon'),
  gdp: single('mu (all rates)'),
  zcdp: single('rho'),
  tabulated: listed('epsilon', 'epsilons', 'delta'),
  rdp: listed('order', 'orders', 'divergence'),
  'trade-off': {
    flags: ['alpha'],
    at: (args) => {
      const alphas = pointsOf(args, 'alpha').toSorted((a, b) => a - b);
      return [{ alphas }, named('beta', alphas)];
    },
  },
  'probabilistic-dp': {
    flags: ['epsilon'],
    at: (args) => {
      const [epsilon, other] = pointsOf(args, 'epsilon');
      if (other !== undefined)
        throw new UsageError('one "--epsilon" is needed to convert to probabilistic-dp');
      return [{ epsilon }, named('delta', [epsilon])];
    },
  },
  'approximate-dp': {
    flags: ['delta', 'epsilon'],
    at: (args) => {
      const [delta, epsilons] = [args.number('delta'), args.numbers('epsilon')];
      if ((delta === undefined) === (epsilons.length !== 1))
        throw new UsageError('either "--delta" or one "--epsilon" is needed to convert to approximate-dp');
      if (delta !== undefined) return [{ delta }, named('epsilon', [delta])];
      return [{ epsilon: epsilons[0] }, named('delta', epsilons)];
    },
  },
};

function pointsOf(args: Args, flag: string): readonly number[] {
  const values = args.numbers(flag);
  if (values.length > 0) return values;
  throw new UsageError(`"--${flag}" is needed to convert to ${args.text('to')}`);
}

async function fromOf(args: Args, context: Context, engine: Engine): Promise<Guarantee | ComposedRun> {
  const text = args.text('from');
  const told = args.operands.length > 0 || Object.keys(PHASE_FLAGS).some((flag) => args.has(flag));
  if (text === undefined && context.piped !== true && !told)
    throw new UsageError(
      'gdp convert needs a guarantee, such as --from approximate-dp:1,1e-5, or a run: a FILE (- for standard input), or --noise-multiplier, --sampling-rate and --steps',
    );
  if (text === undefined) return (await runOf(args, context)).run;
  if (args.operands.length > 0) throw new UsageError('give either FILE or "--from", not both');
  const ofRuns = Object.keys(TOLD_FLAGS).filter((flag) => flag !== 'count');
  args.without(ofRuns, 'is about a run: not for "--from"');
  const [kind] = text.split(':');
  if (!text.startsWith('{') && !(FROM_KINDS as readonly string[]).includes(kind))
    throw new UsageError(
      `"--from" must begin with one of ${FROM_KINDS.join(', ')}, got "${quotable(kind)}"${suggestion(kind, FROM_KINDS)}`,
    );
  const count = args.number('count', 'a whole number from 1 to 2^53 - 1') ?? 1;
  return withPlace('"--from"', async () => {
    const said = shortForm(text.replace(/^approximate-zcdp:/, 'zcdp:'), numberOrText, { zcdp: ['delta'] });
    const guarantee = parseGuarantee('delta' in said ? { ...said, kind: ofDelta(said) } : said);
    return count === 1 ? guarantee : repeated(guarantee, count, engine, context);
  });
}

/** The kind of a guarantee that states a δ: zcdp:RHO,DELTA is approximate zCDP. */
const ofDelta = (said: object): string | undefined => {
  const { kind } = said as { readonly kind?: string };
  return kind === 'zcdp' ? 'approximate-zcdp' : kind;
};

/** Several releases that have the same guarantee: as a run, or for approximate zCDP as their joint guarantee, which a note prints. */
function repeated(
  guarantee: Guarantee,
  count: number,
  engine: Engine,
  { note }: Context,
): Guarantee | ComposedRun {
  if (guarantee.kind === 'approximate-zcdp') {
    // Bun, Steinke 2016, lemma 8.2: ρ adds up, and so does δ at most
    const [rho, delta] = [guarantee.rho, guarantee.delta].map((each) =>
      roundedUp(product(fractionOf(each), fractionOf(count))),
    );
    note(`${count} releases are ${shortDecimal(rho)}-zCDP but for ${shortDecimal(delta)} together`);
    return parseGuarantee({ ...guarantee, rho, delta });
  }
  if (guarantee.kind === 'probabilistic-dp')
    throw new UsageError(
      '"--count" has no theorem for probabilistic-dp: it implies approximate-dp of the same numbers, which composes',
    );
  return account(engine, repeat(guarantee, count), { adjacency: 'add-remove' });
}
