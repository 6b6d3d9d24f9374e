import {
  type Conversion,
  ConversionRefused,
  type ConversionTarget,
  convert as convertOf,
  GUARANTEE_KINDS,
  type Guarantee,
  parseGuarantee,
} from '../../convert/index.js';
import { quotable } from '../../errors.js';
import type { ComposedRun } from '../../index.js';
import { parseJson } from '../../read/json.js';
import { roundDecimal, shortDecimal } from '../../text/decimal.js';
import type { Args } from '../args.js';
import { type Command, type Context, list, value } from '../command.js';
import { UsageError, withPlace } from '../errors.js';
import { DIGITS_FLAGS, line, printed, row, type Safe, type Shown, shownOf } from '../output.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { engineOf, RUN_OPERAND, runOf, TOLD_FLAGS } from '../run-source.js';
import { numberOrText, shortForm } from '../short-form.js';
import { suggestion } from '../suggest.js';

export const convert: Command = {
  name: 'convert',
  usage: '--from G | FILE|- --to KIND',
  summary: 'one kind of guarantee into another, or why not',
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
    epsilon: list(
      'E[,E...]',
      'or delta at E; also for probabilistic-dp, tabulated',
      'a number >= 0',
      (x) => x >= 0 && x < Infinity,
    ),
    order: list('A[,A...]', 'orders for rdp', 'a number > 1', (x) => x > 1 && x <= 1e6),
    alpha: list('A[,A...]', 'false positive rates for trade-off', 'a number in [0, 1]'),
    ...DIGITS_FLAGS,
    ...TOLD_FLAGS,
  },
  async run(args, context) {
    const target = targetOf(args);
    const from = await fromOf(args, context);
    const takes = TARGET_FLAGS[target.kind] ?? [];
    const others = Object.values(TARGET_FLAGS).flat();
    args.without(
      others.filter((flag) => !takes.includes(flag)),
      `has no meaning for --to ${target.kind}`,
    );
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

function nameOf(target: ConversionTarget, i: number): string {
  switch (target.kind) {
    case 'pure-dp':
      return 'epsilon';
    case 'gdp':
      return 'mu (all rates)';
    case 'zcdp':
      return 'rho';
    case 'rdp':
      return `divergence(${shortDecimal(target.orders[i])})`;
    case 'trade-off':
      return `beta(${shortDecimal([...target.alphas].sort((a, b) => a - b)[i])})`;
    case 'tabulated':
      return `delta(${shortDecimal(target.epsilons[i])})`;
    case 'probabilistic-dp':
      return `delta(${shortDecimal(target.epsilon)})`;
    default:
      return 'delta' in target
        ? `epsilon(${shortDecimal(target.delta)})`
        : `delta(${shortDecimal(target.epsilon)})`;
  }
}

/** What kinds of guarantee are asked for at. */
const TARGET_FLAGS: Readonly<Partial<Record<ConversionTarget['kind'], readonly string[]>>> = {
  'approximate-dp': ['delta', 'epsilon'],
  'probabilistic-dp': ['epsilon'],
  tabulated: ['epsilon'],
  rdp: ['order'],
  'trade-off': ['alpha'],
};

function targetOf(args: Args): ConversionTarget {
  const to = args.oneOf('to', GUARANTEE_KINDS);
  const kind = args.required(to, 'to', 'the kind of guarantee to convert into');
  const epsilons = args.numbers('epsilon');
  const needed = (flag: string): readonly number[] => {
    const values = args.numbers(flag);
    if (values.length === 0) throw new UsageError(`"--${flag}" is needed to convert to ${kind}`);
    return values;
  };
  switch (kind) {
    case 'approximate-dp': {
      const delta = args.number('delta');
      if ((delta === undefined) === (epsilons.length !== 1)) {
        throw new UsageError('either "--delta" or one "--epsilon" is needed to convert to approximate-dp');
      }
      return delta === undefined ? { kind, epsilon: epsilons[0] } : { kind, delta };
    }
    case 'probabilistic-dp':
      if (epsilons.length > 1)
        throw new UsageError('one "--epsilon" is needed to convert to probabilistic-dp');
      return { kind, epsilon: needed('epsilon')[0] };
    case 'tabulated':
      return { kind, epsilons: needed('epsilon') };
    case 'rdp':
      return { kind, orders: needed('order') };
    case 'trade-off':
      return { kind, alphas: needed('alpha') };
    default:
      return { kind };
  }
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
  return withPlace('"--from"', async () =>
    parseGuarantee(text.startsWith('{') ? parseJson(text) : shortForm(text, numberOrText)),
  );
}
