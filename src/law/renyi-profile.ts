import { type Bracket, exactly, ordered } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { least } from '../numeric/extremes.js';
import { complementTimes, outward } from '../numeric/log-arithmetic.js';
import { LruCache } from '../numeric/lru-cache.js';
import { FEW_ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, log } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { enclosedRun } from '../run/enclosed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { largestAllowed, subgaussianExcess } from './allowed-outputs.js';
import { atomicPair } from './atomic-pair.js';
import { latePair } from './late-pair.js';
import type { AtomicPair, Atoms } from './pair.js';
import {
  type Constraints,
  everyOrder,
  listedOrders,
  type RenyiLine,
  roundingOf,
  type TwoPoint,
} from './renyi-orders.js';
import { RenyiRegion, type Worst } from './renyi-region.js';
import { tabulatedAtoms } from './tabulated-atoms.js';
import { MOST_ORDERS, thinnedOrders } from './thinned-orders.js';

/** Bounds of Rényi divergences: zCDP, truncated CDP, mean CDP, or a list of orders. */
export type Guarantee =
  | { readonly kind: 'zcdp'; readonly rho: number }
  | { readonly kind: 'tcdp'; readonly rho: number; readonly omega?: number; readonly xi?: number }
  | { readonly kind: 'mcdp'; readonly mean: number; readonly tau: number }
  | { readonly kind: 'rdp'; readonly points: readonly { order: number; epsilon: number }[] };

/** Tables of δ end where it is below about e^{−700}. Only width depends on it. */
const DEPTH = 700;
/** If Chernoff's bound of log δ is below this, it is the upper bound, as exponents of pairs of `RenyiRegion` may overflow. */
const DEEPEST = -1e9;
/** Number of ε whose worst pairs are cached, as δ and a test are often asked for at the same ε. */
const REMEMBERED = 64;

/**
 * The largest δ(ε) over all mechanisms that meet the stated Rényi bounds, by `RenyiRegion` (docs/proofs/renyi.md, 1). Its lower end is smaller for long
 * tables, whose orders are thinned (renyi.md, 8). For mCDP it is that of a Gaussian (renyi.md, 7). Compositions use a table of upper bounds of δ.
 * Ensures: the largest δ of a single release lies in the bracket.
 */
export function renyiPair(whole: Guarantee): AtomicPair {
  const { looser: guarantee, stricter } = thinned(whole);
  const region = regionOf(guarantee);
  const above = renyiRun(guarantee, region);
  const allowed = stricter === guarantee ? above : enclosedRun(above, renyiRun(stricter, regionOf(stricter)));
  // a pair that keeps the Rényi bounds need not be mCDP: the lower end is that of a Gaussian pair
  const run =
    guarantee.kind === 'mcdp' ? enclosedRun(allowed, gaussianRun(mcdpAttained(guarantee))) : allowed;
  const limits = { gdpMu: Infinity, tailMu: tailMuOf(guarantee), smallest: -Infinity, largest: Infinity };
  const listed = (): AtomicPair => atomicPair(profileAtoms(guarantee, region));
  return latePair({ ...limits, infinity: 0 }, listed, () => ({ forward: run, backward: run }));
}

/** The pairs of two outputs that meet the Rényi bounds of the guarantee. */
function regionOf(guarantee: Guarantee): RenyiRegion {
  return new RenyiRegion(constraintsOf(guarantee));
}

/** The bounds of the guarantee, by order. */
function constraintsOf(guarantee: Guarantee): Constraints {
  return guarantee.kind === 'rdp' ? listedOrders(guarantee.points) : everyOrder(lineOf(guarantee));
}

/**
 * Range of the losses a of `allowedOutputs`: from LEAST_LOSS times `attainedMu` to MOST_LOSS times the ε at which δ is about e^{−DEEP}. Only width
 * depends on them.
 */
const [LEAST_LOSS, MOST_LOSS, DEEP] = [0.1, 2, 60];

/** Pairs with two outputs that meet a guarantee, by a parameter. */
export interface AllowedOutputs {
  /** The pair with losses a and −b for a parameter in (0, 1). a grows with it, and b is about the largest for a. Undefined if none is found. */
  at(place: number): Pick<TwoPoint, 'a' | 'b'> | undefined;
}

/**
 * Pairs with two outputs that a guarantee allows: a on a logarithmic scale, b by `largestAllowed`. Ensures: each meets the guarantee, and so does the pair
 * with a and b exchanged.
 */
export function allowedOutputs(guarantee: Guarantee): AllowedOutputs {
  const { stricter } = thinned(guarantee);
  const constraints = constraintsOf(stricter);
  const excessOf =
    stricter.kind === 'mcdp'
      ? subgaussianExcess(stricter)
      : (pair: TwoPoint): number => {
          const tight = constraints.tightest(pair);
          return tight.excess + roundingOf(pair, tight.order);
        };
  const from = log(LEAST_LOSS * attainedMu(stricter));
  const to = log(MOST_LOSS * scaleAt(stricter, DEEP));
  return {
    at: (place) => {
      const logA = from + place * (to - from);
      return largestAllowed(exp(logA), excessOf, -exp(logA));
    },
  };
}

/**
 * μ of a Gaussian pair that meets the guarantee, about the largest (docs/proofs/renyi.md, 3). It is √(2ρ), √(2 min D_t/t) for a list of bounds D_t, or
 * `mcdpAttained`, to a few roundings.
 */
export function attainedMu(guarantee: Guarantee): number {
  if (guarantee.kind === 'mcdp') return mcdpAttained(guarantee);
  if (guarantee.kind !== 'rdp') return Math.sqrt(2 * guarantee.rho);
  return Math.sqrt(2 * least(guarantee.points.map(({ order, epsilon }) => epsilon / order)));
}

/** Two guarantees with fewer orders: `looser`, which the given one implies, and `stricter`, which implies it. Both are the given one if its orders are few. */
function thinned(guarantee: Guarantee): { readonly looser: Guarantee; readonly stricter: Guarantee } {
  if (guarantee.kind !== 'rdp' || guarantee.points.length <= MOST_ORDERS)
    return { looser: guarantee, stricter: guarantee };
  const { looser, stricter } = thinnedOrders(guarantee.points);
  return { looser: { kind: 'rdp', points: looser }, stricter: { kind: 'rdp', points: stricter } };
}

/**
 * The bounds D_t ≤ first + ρ(t − 1), t − 1 ≤ most, by zCDP, truncated CDP or mean CDP (docs/proofs/renyi.md, 6 and 7). They are as stated, but
 * ρ = τ²/2 of mCDP is rounded up.
 */
function lineOf(guarantee: Exclude<Guarantee, { kind: 'rdp' }>): RenyiLine {
  switch (guarantee.kind) {
    case 'zcdp':
      return { rho: guarantee.rho, first: guarantee.rho, most: Infinity };
    case 'tcdp': {
      const { rho, omega = Infinity, xi = 0 } = guarantee;
      return { rho, first: rho + xi, most: (omega - 1) * (1 - 2 * U) };
    }
    case 'mcdp': {
      const rho = (guarantee.tau * guarantee.tau * (1 + 4 * U)) / 2;
      return { rho, first: Math.min(guarantee.mean, rho), most: Infinity };
    }
  }
}

/** μ = min(τ, √(2·mean)), rounded down: a Gaussian pair with that μ is (mean, τ)-mCDP, as its loss is N(μ²/2, μ²). */
export function mcdpAttained({ mean, tau }: { readonly mean: number; readonly tau: number }): number {
  return Math.min(tau, Math.sqrt(2 * mean)) * (1 - 4 * U);
}

/** `tailMu` of the worst case: √(2ρ) for zCDP and τ for mCDP; ∞ if orders are bounded up to some t only. */
function tailMuOf(guarantee: Guarantee): number {
  if (guarantee.kind === 'mcdp') return guarantee.tau;
  const every = guarantee.kind === 'zcdp' || (guarantee.kind === 'tcdp' && guarantee.omega === undefined);
  return every ? Math.sqrt(2 * guarantee.rho) : Infinity;
}

/**
 * The largest δ(ε), and tests, over all pairs that meet Rényi bounds: `RenyiRegion.worst`. Where δ is below e^{DEEPEST}, its upper bound is Chernoff's,
 * and for zCDP its lower bound that of a Gaussian pair. Ensures: the largest δ lies in the bracket, and some pair has a test of the stated rates.
 */
function renyiRun(guarantee: Guarantee, region: RenyiRegion): DirectedRun {
  const attained = guarantee.kind === 'zcdp' ? gaussianRun(tailMuOf(guarantee) * (1 - 4 * U)) : undefined;
  const scale = (target: number): number => scaleAt(guarantee, -target);
  const recent = new LruCache<number, Worst>(REMEMBERED);
  const worst = (epsilon: number): Worst => recent.of(epsilon, () => region.worst(epsilon));
  const logDelta = (epsilon: number): Bracket => {
    if (epsilon === Infinity) return exactly(-Infinity);
    const most = chernoff(guarantee, epsilon);
    if (!(most < DEEPEST)) return worst(epsilon).logDelta;
    return ordered(attained?.logDelta(epsilon).lower ?? -Infinity, most);
  };
  return {
    direction: 'both',
    method: 'closed-form',
    logInfinity: exactly(-Infinity),
    largestLoss: exactly(Infinity),
    logDelta: (epsilon) => (epsilon < 0 ? complementTimes(epsilon, logDelta(-epsilon)) : logDelta(epsilon)),
    test: (omega) => {
      if (chernoff(guarantee, Math.abs(omega)) < DEEPEST)
        return omega > 0 ? { logFpr: -Infinity, logTpr: -Infinity } : { logFpr: 0, logTpr: 0 };
      const { logAlpha, logPower, logBeta, logSpecificity } = worst(Math.abs(omega)).pair;
      const [logFpr, logTpr] = omega >= 0 ? [logAlpha, logPower] : [logBeta, logSpecificity];
      return { logFpr: outward(logFpr, 1), logTpr: outward(logTpr, -1) };
    },
    guessEpsilon: scale,
    guessOmega: scale,
  };
}

/** Heuristic: an ε with δ ≤ e^{−depth}, the minimum over orders of D_t + depth/(t − 1) (Mironov 2017, prop. 3). It only chooses where to search. */
function scaleAt(guarantee: Guarantee, depth: number): number {
  if (guarantee.kind !== 'rdp') {
    const { rho, first, most } = lineOf(guarantee);
    const above = Math.min(most, Math.sqrt(depth / rho));
    return first + rho * above + (above > 0 ? depth / above : 0);
  }
  return least(guarantee.points.map(({ order, epsilon }) => epsilon + depth / (order - 1)));
}

/**
 * Upper bound of log δ(ε), ε ≥ 0: the least (t − 1)(D_t − ε) over the orders t (Chernoff's bound; Mironov 2017, prop. 3), rounded up.
 * Ensures: no less than log δ(ε).
 */
function chernoff(guarantee: Guarantee, epsilon: number): number {
  const at = (above: number, bound: number): number =>
    Math.max(-Number.MAX_VALUE, above * (bound - epsilon + FEW_ROUNDINGS * (bound + epsilon)));
  if (guarantee.kind === 'rdp')
    return least(
      guarantee.points.map(({ order, epsilon: bound }) => at(order - 1, bound)),
      0,
    );
  const { rho, first, most } = lineOf(guarantee);
  const above = Math.max(0, Math.min(most, (epsilon - first) / (2 * rho)));
  return Math.min(0, at(above, first + rho * above));
}

/**
 * Upper bounds of δ at about 1,400 ε by `RenyiRegion.trace`, joined by chords in e^ε (`tabulatedAtoms`). The mass at the last ε counts as not listed.
 * Ensures: δ of the atoms is no less than that of any pair that meets the guarantee.
 */
function profileAtoms(guarantee: Guarantee, region: RenyiRegion): Atoms {
  const epsilons: number[] = [];
  const put = (epsilon: number): void => {
    if (epsilon > (epsilons.at(-1) ?? 0)) epsilons.push(epsilon);
  };
  const start = scaleAt(guarantee, 0);
  for (let i = 1; i < 60; i++) put((start * i) / 60);
  for (let root = 0.005; root * root <= DEPTH; root += root < 4.5 ? 0.005 : root < 10 ? 0.02 : 0.1)
    put(scaleAt(guarantee, root * root));
  const upper = [region.worst(0).logDelta.upper, ...region.trace(epsilons)];
  const points = [0, ...epsilons].map((epsilon, i) => ({
    epsilon,
    delta: Math.min(1, up(exp(upper[i]), FEW_ROUNDINGS)),
  }));
  const atoms = tabulatedAtoms(points);
  const beyond = Math.max(atoms.infinity, atoms.minusInfinity);
  return { ...atoms, infinity: 0, minusInfinity: 0, beyond, gdpMu: Infinity, tailMu: tailMuOf(guarantee) };
}
