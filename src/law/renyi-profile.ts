import { type Bracket, exactly, ordered } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { least } from '../numeric/extremes.js';
import { complementTimes, outward } from '../numeric/log-arithmetic.js';
import { Lazy, LruCache } from '../numeric/lru-cache.js';
import { FEW_ROUNDINGS, up } from '../numeric/rounding.js';
import { exp } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { enclosedRun } from '../run/enclosed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { atomicPair } from './atomic-pair.js';
import { latePair } from './late-pair.js';
import type { AtomicPair, Atoms } from './pair.js';
import { everyOrder, listedOrders, type RenyiLine } from './renyi-orders.js';
import { RenyiRegion, type Worst } from './renyi-region.js';
import { tabulatedAtoms } from './tabulated-atoms.js';
import { MOST_ORDERS, thinnedOrders } from './thinned-orders.js';

type Guarantee =
  | { readonly kind: 'zcdp'; readonly rho: number }
  | { readonly kind: 'tcdp'; readonly rho: number; readonly omega?: number; readonly xi?: number }
  | { readonly kind: 'mcdp'; readonly mean: number; readonly tau: number }
  | { readonly kind: 'rdp'; readonly points: readonly { order: number; epsilon: number }[] };

/** Tables end where δ is below about e^{−700}. */
const DEPTH = 700;
/** Where log δ is below this, the exponents of a pair overflow: log δ is answered by Chernoff's bound alone. */
const DEEPEST = -1e9;
/** Answers cached: a curve asks for δ and for the test at the same ε. */
const REMEMBERED = 64;

/**
 * The worst case over all mechanisms that meet the stated Rényi bounds (docs/proofs/renyi.md). δ of a single release follows from the region of
 * allowed trade-off points. The bracket is wider for long tables, whose orders are thinned, and for mCDP, where a Gaussian gives the lower end.
 * Compositions use a table of δ that is no less. Ensures: the largest δ lies in the bracket.
 */
export function renyiPair(whole: Guarantee): AtomicPair {
  const { looser: guarantee, stricter } = thinned(whole);
  const region = regionOf(guarantee);
  const above = renyiRun(guarantee, region);
  const allowed = stricter === guarantee ? above : enclosedRun(above, renyiRun(stricter, regionOf(stricter)));
  // for mCDP a pair within the bounds at all orders need not be concentrated as required: only the upper end holds
  const run =
    guarantee.kind === 'mcdp' ? enclosedRun(allowed, gaussianRun(mcdpAttained(guarantee))) : allowed;
  const made = new Lazy(() => atomicPair(profileAtoms(guarantee, region)));
  const limits = { gdpMu: Infinity, tailMu: tailMuOf(guarantee), smallest: -Infinity, largest: Infinity };
  return latePair({ forward: run, backward: run, ...limits, infinity: 0 }, () => made.value);
}

function regionOf(guarantee: Guarantee): RenyiRegion {
  return new RenyiRegion(
    guarantee.kind === 'rdp' ? listedOrders(guarantee.points) : everyOrder(lineOf(guarantee)),
  );
}

/** A guarantee of fewer orders that it implies, and one that implies it; itself where the orders are few. */
function thinned(guarantee: Guarantee): { readonly looser: Guarantee; readonly stricter: Guarantee } {
  if (guarantee.kind !== 'rdp' || guarantee.points.length <= MOST_ORDERS)
    return { looser: guarantee, stricter: guarantee };
  const { looser, stricter } = thinnedOrders(guarantee.points);
  return { looser: { kind: 'rdp', points: looser }, stricter: { kind: 'rdp', points: stricter } };
}

/**
 * Bounds D_t ≤ first + ρ(t − 1), t − 1 ≤ most, of Rényi divergences that a concentrated guarantee implies (docs/proofs/renyi.md). `rho` of mCDP is
 * rounded up.
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

/** μ of a Gaussian pair that is (mean, τ)-mCDP, approximately the largest: its loss has mean μ²/2 and standard deviation μ. */
export function mcdpAttained({ mean, tau }: { readonly mean: number; readonly tau: number }): number {
  return Math.min(tau, Math.sqrt(2 * mean)) * (1 - 4 * U);
}

function tailMuOf(guarantee: Guarantee): number {
  if (guarantee.kind === 'mcdp') return guarantee.tau;
  const every = guarantee.kind === 'zcdp' || (guarantee.kind === 'tcdp' && guarantee.omega === undefined);
  return every ? Math.sqrt(2 * guarantee.rho) : Infinity;
}

/**
 * δ(ε) and tests of everything that meets Rényi bounds, by the region of its trade-off points. Ensures: δ lies in its bracket, and the tests exist.
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

/** The ε with δ ≤ e^{−depth}: the minimum over orders of D_t + depth/(t − 1) (Mironov 2017, prop. 3). */
function scaleAt(guarantee: Guarantee, depth: number): number {
  if (guarantee.kind !== 'rdp') {
    const { rho, first, most } = lineOf(guarantee);
    const above = Math.min(most, Math.sqrt(depth / rho));
    return first + rho * above + (above > 0 ? depth / above : 0);
  }
  return least(guarantee.points.map(({ order, epsilon }) => epsilon + depth / (order - 1)));
}

/**
 * log δ(ε) from above, ε ≥ 0: δ ≤ e^{(t − 1)(D_t − ε)} by Markov's inequality (Mironov 2017, prop. 3). The order is the one that makes this least.
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
 * Upper bounds of δ at many ε, denser where δ is not small, as a table of atoms. Ensures: the table's δ is no less than that of any pair with the
 * divergences.
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
