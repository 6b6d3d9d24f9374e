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
import type { Command, Context } from '../command.js';
import { UsageError, withPlace } from '../errors.js';
import { list, value } from '../flags.js';
import { DIGITS_FLAGS, line, type Safe, type Shown, shownOf, toJson } from '../output.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { ACCOUNT_FLAGS, accountedRun, EFFORT_FLAGS, engineOf, RUN_OPERAND, sourceOf } from '../run-source.js';
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
    delta: value('D', 'for approximate-dp: answers epsilon at D,'),
    epsilon: list('E[,E...]', 'or delta at E; also for probabilistic-dp, tabulated'),
    order: list('A[,A...]', 'orders for rdp'),
    alpha: list('A[,A...]', 'false positive rates for trade-off'),
    ...PHASE_FLAGS,
    ...DIGITS_FLAGS,
    ...ACCOUNT_FLAGS,
    ...EFFORT_FLAGS,
  },
  async run(args, context) {
    const target = targetOf(args);
    const from = await fromOf(args, context);
    const engine = await engineOf(args, context);
    let made: Conversion;
    try {
      made = convertOf(engine, from, target);
    } catch (error) {
      if (error instanceof ConversionRefused) {
        const { from: name, to, reason } = error;
        const text = args.has('json') ? toJson({ from: name, to, refused: reason }) : `${error.message}\n`;
        return { text, exitCode: 1 };
      }
      throw error;
    }
    return args.has('json') ? toJson(made) : textOf(made, target, shownOf(args));
  },
};

function textOf(
  { values, theorem, beside = [] }: Conversion,
  target: ConversionTarget,
  shown: Shown,
): string {
  const safe: Safe = { end: target.kind === 'trade-off' ? 'lower' : 'upper', digits: 4 };
  const lines = values.map((value, i) => line(nameOf(target, i), value, shown, safe));
  const others = beside.map(
    ({ name, value }) =>
      `${'also proved'.padEnd(24)}${roundDecimal(value, 'up', { digits: 4 })}, by ${name}\n`,
  );
  return `${lines.join('')}${'by'.padEnd(24)}${theorem}\n${others.join('')}`;
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

function targetOf(args: Args): ConversionTarget {
  const kind = args.required(
    args.oneOf('to', GUARANTEE_KINDS),
    'to',
    'the kind of guarantee to convert into',
  );
  const epsilons = args.numbers('epsilon', 'a number >= 0', (x) => x >= 0 && x < Infinity);
  const needed = (values: readonly number[], flag: string): readonly number[] => {
    if (values.length === 0) throw new UsageError(`"--${flag}" is needed to convert to ${kind}`);
    return values;
  };
  switch (kind) {
    case 'approximate-dp': {
      const delta = args.number('delta', 'a number in [0, 1]');
      if ((delta === undefined) === (epsilons.length !== 1)) {
        throw new UsageError('either "--delta" or one "--epsilon" is needed to convert to approximate-dp');
      }
      return delta === undefined ? { kind, epsilon: epsilons[0] } : { kind, delta };
    }
    case 'probabilistic-dp':
      return { kind, epsilon: needed(epsilons, 'epsilon')[0] };
    case 'tabulated':
      return { kind, epsilons: needed(epsilons, 'epsilon') };
    case 'rdp':
      return {
        kind,
        orders: needed(
          args.numbers('order', 'a number > 1', (x) => x > 1 && x <= 1e6),
          'order',
        ),
      };
    case 'trade-off':
      return {
        kind,
        alphas: needed(args.numbers('alpha', 'a number in [0, 1]'), 'alpha'),
      };
    default:
      return { kind };
  }
}

/** What a short form may begin with. */
const FROM_KINDS: readonly string[] = [...GUARANTEE_KINDS, 'tcdp', 'mcdp'];

/** Whether options tell of a run. */
const given = (args: Args): boolean => Object.keys(PHASE_FLAGS).some((flag) => args.has(flag));

async function fromOf(args: Args, context: Context): Promise<Guarantee | ComposedRun> {
  const text = args.text('from');
  if (text === undefined && args.operands.length === 0 && context.piped !== true && !given(args))
    throw new UsageError(
      'gdp convert needs a guarantee, such as --from approximate-dp:1,1e-5, or a run: a FILE (- for standard input), or --noise-multiplier, --sampling-rate and --steps',
    );
  if (text === undefined) return accountedRun(args, context, await sourceOf(args, context, 'convert'));
  if (args.operands.length > 0) throw new UsageError('give either FILE or "--from", not both');
  const [kind] = text.split(':');
  if (!text.startsWith('{') && !FROM_KINDS.includes(kind))
    throw new UsageError(
      `"--from" must begin with one of ${FROM_KINDS.join(', ')}, got "${quotable(kind)}"${suggestion(kind, FROM_KINDS)}`,
    );
  return withPlace('"--from"', async () =>
    parseGuarantee(text.startsWith('{') ? parseJson(text) : shortForm(text, numberOrText)),
  );
}
