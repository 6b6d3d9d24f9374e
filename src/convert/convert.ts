import { ComposedRun } from '../account/composed-run.js';
import { renyiDivergence, zcdpRho } from '../accountants/renyi.js';
import type { Engine } from '../engine.js';
import { requireEngine } from '../engine.js';
import { requireFields, requireOneOf } from '../errors.js';
import { Allowance } from '../numeric/meter.js';
import { ALLOWANCE } from '../numeric/prices.js';
import { turningPoint } from '../numeric/solve.js';
import type { Profile } from '../profile/profile.js';
import type { DirectedRun } from '../run/directed-run.js';
import { asProfile, type Seen, type Subject, seen } from '../tradeoff/subject.js';
import { TradeoffFunction } from '../tradeoff/tradeoff-function.js';
import type { Conversion } from './conversion.js';
import { GUARANTEE_KINDS, type Guarantee, type GuaranteeKind, parseGuarantee, stated } from './guarantee.js';
import { type ConversionSource, sourceOf } from './source.js';
import { toApproximateDp, toProbabilisticDp, toPureDp, toTable, toTradeoff } from './to-curve.js';
import { toGdp, toRdp, toZcdp } from './to-parameter.js';

/** What to convert into, and at which of its free numbers. */
export type ConversionTarget =
  | { readonly kind: 'pure-dp' | 'gdp' | 'zcdp' }
  | { readonly kind: 'approximate-dp'; readonly delta: number }
  | { readonly kind: 'approximate-dp'; readonly epsilon: number }
  | { readonly kind: 'probabilistic-dp'; readonly epsilon: number }
  | { readonly kind: 'rdp'; readonly orders: readonly number[] }
  | { readonly kind: 'tabulated'; readonly epsilons: readonly number[] }
  | { readonly kind: 'trade-off'; readonly alphas: readonly number[] };

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
  requireFields('target', target, ['kind', ...TARGET_FIELDS[kind]]);
  // a conversion asks up to thousands of values: one question, so that it costs what one may
  return costOf(from).ask(() => converted(engine, sourceFrom(from), kind, target));
}

function costOf(from: Guarantee | Subject): Allowance {
  return (from instanceof ComposedRun ? from.allowance : undefined) ?? new Allowance(ALLOWANCE);
}

function converted(
  engine: Engine,
  source: ConversionSource,
  kind: GuaranteeKind,
  target: ConversionTarget,
): Conversion {
  const answer = {
    'pure-dp': () => toPureDp(source),
    'approximate-dp': () => toApproximateDp(source, target as never),
    'probabilistic-dp': () => toProbabilisticDp(source, target as never),
    tabulated: () => toTable(source, target as never),
    'trade-off': () => toTradeoff(source, target as never),
    gdp: () => toGdp(engine, source),
    zcdp: () => toZcdp(source),
    rdp: () => toRdp(source, target as never),
  }[kind]();
  return { from: source.name, to: kind, ...answer, guarantee: stated(answer.guarantee) };
}

/** What a target has beside its kind. */
const TARGET_FIELDS: Readonly<Record<GuaranteeKind, readonly string[]>> = {
  'pure-dp': [],
  'approximate-dp': ['delta', 'epsilon'],
  'probabilistic-dp': ['epsilon'],
  tabulated: ['epsilons'],
  'trade-off': ['alphas'],
  gdp: [],
  zcdp: [],
  rdp: ['orders'],
};

function sourceFrom(from: Guarantee | Subject): ConversionSource {
  if (typeof from === 'object' && from !== null && 'kind' in from) return sourceOf(parseGuarantee(from));
  const profile = asProfile(from, 'from');
  const view = seen(from, 'from');
  const run = exactPair(from, view);
  const polygon = run === undefined ? undefined : view.directions[0].vertices;
  const rho =
    from instanceof ComposedRun ? zcdpRho(from.settings.mechanism, from.settings.adjacency) : Infinity;
  return {
    name: from instanceof TradeoffFunction ? 'trade-off function' : 'profile',
    profile,
    pure: Math.min(profile.largestLoss ?? Infinity, pureOf(profile)),
    ...(rho < Infinity && { rho }),
    ...(run !== undefined && { run }),
    vertices: polygon,
    pairs: from instanceof TradeoffFunction ? view.directions : [],
    ...(from instanceof ComposedRun && {
      renyi: (order: number) => renyiDivergence(from.settings.mechanism, order, from.settings.adjacency),
    }),
  };
}

/** The pair whose curve the subject is, where both roles have the same or it is a function of both. */
function exactPair(from: Subject, { f }: Seen): DirectedRun | undefined {
  if (from instanceof ComposedRun) return from.directions.length === 1 ? from.directions[0] : undefined;
  return from instanceof TradeoffFunction ? f.curve.forward : undefined;
}

/** Losses beyond are not looked for. */
const LARGEST = 1e4;

/** The ε from which δ is 0; a callback's zeros may be underflow and are not believed. */
function pureOf(profile: Profile): number {
  if (profile.standing === 'estimate' || profile.tail.ceiling(LARGEST) > 0) return Infinity;
  const { high } = turningPoint((epsilon) => profile.logDelta(epsilon).upper === -Infinity, {
    guess: 1,
    ceiling: LARGEST,
    relative: 1e-14,
    absolute: 1e-300,
  });
  return high;
}
