import { ComposedRun } from '../account/composed-run.js';
import { renyiDivergence, zcdpRho } from '../bounds/renyi.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireFields, requireOneOf } from '../errors.js';
import { TO_14_DIGITS } from '../numeric/rounding.js';
import { turningPoint } from '../numeric/solve.js';
import type { Profile } from '../profile/profile.js';
import { allowanceOf, asProfile, type Subject, seen } from '../tradeoff/subject.js';
import { TradeoffFunction } from '../tradeoff/tradeoff-function.js';
import {
  type Conversion,
  type ConversionSource,
  GUARANTEE_KINDS,
  type Guarantee,
  type GuaranteeKind,
  parseGuarantee,
  sourceOf,
  stated,
} from './guarantee.js';
import {
  type Converted,
  toApproximateDp,
  toProbabilisticDp,
  toPureDp,
  toTable,
  toTradeoff,
} from './to-curve.js';
import { toGdp, toRdp, toZcdp } from './to-parameter.js';

/** The kind of guarantee to convert into, and its parameters that can be chosen. */
export type ConversionTarget =
  | { readonly kind: 'pure-dp' | 'gdp' | 'zcdp' }
  | { readonly kind: 'approximate-dp'; readonly delta: number }
  | { readonly kind: 'approximate-dp'; readonly epsilon: number }
  | { readonly kind: 'probabilistic-dp'; readonly epsilon: number }
  | { readonly kind: 'rdp'; readonly orders: readonly number[] }
  | { readonly kind: 'tabulated'; readonly epsilons: readonly number[] }
  | { readonly kind: 'trade-off'; readonly alphas: readonly number[] };

type Into = (source: ConversionSource, target: never, engine: Engine) => Converted;

/** For each kind of guarantee: the function that converts into it, and the fields of a target beside `kind`. */
const INTO: Readonly<Record<GuaranteeKind, readonly [into: Into, ...fields: string[]]>> = {
  'pure-dp': [toPureDp],
  'approximate-dp': [toApproximateDp, 'delta', 'epsilon'],
  'probabilistic-dp': [toProbabilisticDp, 'epsilon'],
  tabulated: [toTable, 'epsilons'],
  'trade-off': [toTradeoff, 'alphas'],
  gdp: [toGdp],
  zcdp: [toZcdp],
  rdp: [toRdp, 'orders'],
};

/**
 * Converts a guarantee, a run, a profile or a trade-off function into another kind of guarantee.
 *
 * @throws ConversionRefused where no theorem gives one, with the reason; TypeError | RangeError for a wrong option.
 * @example
 * convert(engine, zcdp({ rho: 0.5 }), { kind: 'approximate-dp', delta: 1e-6 }).values[0].upper; // 5.22154
 */
export function convert(engine: Engine, from: Guarantee | Subject, target: ConversionTarget): Conversion {
  requireEngine(engine);
  const kind = requireOneOf('target.kind', (target as { kind?: unknown } | null)?.kind, GUARANTEE_KINDS);
  const [into, ...fields] = INTO[kind];
  requireFields('target', target, ['kind', ...fields]);
  // a conversion asks for up to thousands of values. They count as one question, whose work is limited.
  return allowanceOf(from).ask(() => {
    const source = sourceFrom(kind === 'gdp' && from instanceof ComposedRun ? from.atTolerance : from);
    const answer = into(source, target as never, engine);
    return { from: source.name, to: kind, ...answer, guarantee: stated(source.name, answer.guarantee) };
  });
}

function sourceFrom(from: Guarantee | Subject): ConversionSource {
  if (typeof from === 'object' && from !== null && 'kind' in from) return sourceOf(parseGuarantee(from));
  const profile = asProfile(from, 'from');
  const { f, directions } = seen(from, 'from');
  const source = {
    name: 'profile',
    profile,
    pure: Math.min(profile.largestLoss ?? Infinity, pureOf(profile)),
    rho: Infinity,
  };
  if (from instanceof TradeoffFunction) {
    const { vertices } = directions[0];
    return { ...source, name: 'trade-off function', run: f.curve.forward, vertices, pairs: directions };
  }
  if (!(from instanceof ComposedRun)) return source;
  const { mechanism, adjacency } = from.settings;
  // only a run whose two directions have the same trade-off curve has a single dominating pair
  const run = from.directions.length === 1 ? from.directions[0] : undefined;
  return {
    ...source,
    rho: zcdpRho(mechanism, adjacency),
    run,
    vertices: run && directions[0].vertices,
    renyi: (order) => renyiDivergence(mechanism, order, adjacency),
  };
}

/** Greatest ε up to which a zero of δ(ε) is looked for. */
const LARGEST = 1e4;

/** The least ε with δ(ε) = 0. A callback that returns 0 may have underflowed, so its zeros do not count. */
function pureOf(profile: Profile): number {
  if (profile.standing === 'estimate' || profile.tail.ceiling(LARGEST) > 0) return Infinity;
  const { high } = turningPoint((epsilon) => profile.logDelta(epsilon).upper === -Infinity, {
    guess: 1,
    ceiling: LARGEST,
    relative: TO_14_DIGITS,
    absolute: 1e-300,
  });
  return high;
}
