import type { Limits } from '../account/run-settings.js';
import { requireWhole } from '../errors.js';
import { atomicPair } from '../law/atomic-pair.js';
import type { Atoms } from '../law/pair.js';
import { type Bracket, bracket, ordered } from '../numeric/bracket.js';
import { logComplement, logSum, outward } from '../numeric/log-arithmetic.js';
import { Allowance } from '../numeric/meter.js';
import { ALLOWANCE } from '../numeric/prices.js';
import { A_ROUNDING, down, FEW_ROUNDINGS, ROUNDING, up } from '../numeric/rounding.js';
import { turningPoint } from '../numeric/solve.js';
import type { DirectedRun } from '../run/directed-run.js';
import { enclosedRun } from '../run/enclosed-run.js';
import { meteredDirections } from '../run/metered-run.js';
import { type CurveValue, fromTpr, TradeoffCurve } from '../run/tradeoff-curve.js';
import { gaussianBetween, productMu } from './gaussian-products.js';
import { polygonsAround } from './polygons-around.js';
import { type Factor, requireTradeoff, TradeoffFunction } from './tradeoff-function.js';

/** The chain α₀ → α₁ = 1 − f(α₀) → … has the slopes e^{ωᵢ} of 1 − f. `total` is Σωᵢ, `logTpr` the log of the last value. */
interface Chain {
  readonly omegas: readonly number[];
  readonly logTpr: number;
  readonly total: number;
}

/**
 * 1 − (1 − f)^{∘size}: what an f-DP mechanism guarantees to groups of `size` people (GDP thm 2.14). For G_μ it is G_{size·μ}; for other functions it is
 * computed by chains of supporting lines and of tests.
 *
 * Ensures: brackets of the exact curve of groups of f, where f has such brackets.
 *
 * @throws TypeError | RangeError if `f` is no trade-off function, or `size` not a whole number from 1 to 10000.
 * @example
 * groupPrivacy(gaussianTradeoff(0.25), 4).fnr(0.05).lower; // 0.740488
 */
export function groupPrivacy(f: TradeoffFunction, size: number): TradeoffFunction {
  requireTradeoff(f, 'f');
  requireWhole('size', size, 1, 10_000);
  const gaussians = groupFactors(f.factors, size);
  if (gaussians !== undefined) {
    const mu = productMu(gaussians);
    if (mu.upper <= 1e9) return gaussianBetween(mu, { factors: gaussians });
  }
  if (f.limits.gaussian && f.limits.muCeiling > 0) return gaussianGroup(f, size);
  if (size === 1 || f.factors?.length === 0) return f;
  const { name, limits, allowance = new Allowance(ALLOWANCE) } = f;
  const known = { ...groupLimits(limits, size), gaussian: false };
  const curve = allowance.askOne(() => new ChainCurve(f.curve, size, allowance, known.muCeiling));
  return new TradeoffFunction(`group_${size}(${name})`, curve, undefined, known, allowance);
}

/** Factors of the group, exactly: G_{size·μ} is G_μ composed size² times. Undefined unless all factors are Gaussian. */
function groupFactors(factors: readonly Factor[] | undefined, size: number): Factor[] | undefined {
  if (!factors?.length || factors.some(({ gaussianMu }) => gaussianMu === undefined)) return undefined;
  const all = factors.map((factor) => ({ ...factor, count: factor.count * size * size }));
  return all.every(({ count }) => Number.isSafeInteger(count)) ? all : undefined;
}

/**
 * Limits of the group: μ_t stays 0 (bounded losses) or ∞ (infinite losses), and f ≥ G_μ gives a group's curve ≥ G_{size·μ}.
 *
 * Ensures: μ_t of the group lies in its bracket, and no μ is above the ceiling.
 */
function groupLimits({ tailMu, muCeiling }: Limits, size: number): Pick<Limits, 'tailMu' | 'muCeiling'> {
  const most = up(muCeiling * size, FEW_ROUNDINGS);
  const kept = tailMu.upper === 0 || tailMu.lower === Infinity;
  return { tailMu: kept ? tailMu : bracket(0, most), muCeiling: most };
}

/** G_{size·μ} for a μ that is known as a bracket. */
function gaussianGroup({ name, limits: { tailMu } }: TradeoffFunction, size: number): TradeoffFunction {
  const mu = bracket(down(tailMu.lower * size, A_ROUNDING), up(tailMu.upper * size, A_ROUNDING));
  return gaussianBetween(mu, { name: `group_${size}(${name})` });
}

/** The trade-off curve of groups: 1 − f applied `size` times to α, with the brackets of f; δ and tests by `runOfChains`. */
class ChainCurve extends TradeoffCurve {
  /** @param link The curve f of one record. */
  constructor(
    private readonly link: TradeoffCurve,
    private readonly size: number,
    allowance: Allowance,
    muCeiling: number,
  ) {
    const mirrored = new TradeoffCurve(link.backward, link.forward);
    const runs = (link.isSymmetric ? [link] : [link, mirrored]).map((one) => runOfChains(one, size));
    const [forward, backward] = meteredDirections(runs, allowance, muCeiling);
    super(forward, backward);
  }

  /** The curve at α: 1 − f of lower and upper ends, `size` times. */
  override at(logAlpha: number): CurveValue {
    let { logTpr } = this.link.at(logAlpha);
    for (let i = 1; i < this.size; i++) {
      const { lower } = this.link.at(logTpr.lower).logTpr;
      logTpr = bracket(lower, Math.max(lower, this.link.at(logTpr.upper).logTpr.upper));
    }
    return fromTpr(logTpr);
  }
}

/** Rates of the polygons go down to e^{logLeast}, with that many segments; for smaller rates brackets are wide. Only width and speed depend on it. */
const MESH = { logLeast: -80, segments: 600 };
/** Tolerance of the position of a chain with given slopes. Only width depends on it. */
const PLACED = 1e-11;

/**
 * δ and tests of groups by `chainRun`: of a polygon itself, else of two polygons around the curve (`polygonsAround`). Ensures: δ of the group lies in its
 * bracket.
 */
function runOfChains(link: TradeoffCurve, size: number): DirectedRun {
  if (link.forward.vertices !== undefined) return chainRun(link, size);
  const { below, above } = polygonsAround(new TradeoffFunction('link', link), MESH);
  const chained = (atoms: Atoms): DirectedRun => {
    const { forward, backward } = atomicPair(atoms);
    return chainRun(new TradeoffCurve(forward, backward), size);
  };
  return enclosedRun(chained(below), chained(above), { direction: link.forward.direction });
}

/**
 * δ of a group by chains of supporting lines from above, and by chains of certified tests from below.
 *
 * Ensures: δ of the group lies in its bracket, if `curve` is a polygon or its brackets hold.
 */
function chainRun(curve: TradeoffCurve, size: number): DirectedRun {
  const { direction, method } = curve.forward;
  const chainFrom = (logAlpha: number): Chain => {
    const omegas: number[] = [];
    let at = logAlpha;
    let total = 0;
    for (let i = 0; i < size; i++) {
      const omega = slopeAt(curve, at);
      omegas.push(omega);
      total += omega;
      at = curve.logTpr(at).lower;
    }
    return { omegas, logTpr: at, total };
  };
  /** Positions of two close chains whose totals Σωᵢ are on both sides of ω. */
  const around = (omega: number) =>
    turningPoint((y) => chainFrom(logOfPosition(y)).total >= omega, {
      guess: positionOf(-1 - Math.max(0, omega)),
      floor: -1e6,
      ceiling: 1e6,
      relative: PLACED,
      absolute: PLACED,
    });
  return {
    direction,
    method,
    logInfinity: infinityOf(curve, size),
    logDelta(epsilon) {
      const { low, high } = around(epsilon);
      const found = [low, high].filter((y) => Number.isFinite(y)).map(logOfPosition);
      const ends = found.map(chainFrom);
      if (ends.length === 0) return bracket(-Infinity, 0);
      let upper = upperDelta(curve, slopesBetween(ends, epsilon));
      // a bound of δ at a smaller ε is one at ε
      for (const end of ends)
        if (end.total <= epsilon) upper = Math.min(upper, upperDelta(curve, end.omegas));
      let lower = -Infinity;
      for (const [i, logAlpha] of found.entries()) {
        const { logTpr } = ends[i];
        const slack = 2 * ROUNDING * (1 + Math.abs(epsilon) + Math.abs(logAlpha));
        const lost = epsilon + logAlpha - logTpr + slack;
        if (lost < 0) lower = Math.max(lower, logTpr + logComplement(lost) - slack);
      }
      return ordered(lower, upper);
    },
    test(omega) {
      const { low, high } = around(omega);
      const y = Number.isFinite(high) ? high : low;
      if (!Number.isFinite(y)) return { logFpr: 0, logTpr: 0 };
      const logAlpha = logOfPosition(y);
      return { logFpr: logAlpha, logTpr: chainFrom(logAlpha).logTpr };
    },
    guessEpsilon: (target) => Math.max(0, size * curve.forward.guessEpsilon(target)),
    guessOmega: (target) => Math.max(0, chainFrom(target).total),
  };
}

/** Logarithms of slopes that sum to ε: weighted means of those of two close chains. Any such slopes give a bound. */
function slopesBetween(ends: readonly Chain[], epsilon: number): number[] {
  const [b, a] = ends.length === 2 ? ends : [ends[0], ends[0]];
  const share = a.total > b.total ? Math.min(1, Math.max(0, (epsilon - b.total) / (a.total - b.total))) : 0;
  const slopes = a.omegas.map((x, i) => share * x + (1 - share) * b.omegas[i]);
  let rest = epsilon;
  for (const x of slopes) rest -= x;
  slopes[slopes.indexOf(Math.max(...slopes))] += rest;
  return slopes;
}

/** log α from a real coordinate y: α = ½e^{−y} for y > 0, and 1 − α = ½e^{y} for y ≤ 0. */
function logOfPosition(y: number): number {
  return y > 0 ? -Math.LN2 - y : logComplement(-Math.LN2 + y);
}

/** The coordinate y of `logOfPosition`. */
function positionOf(logAlpha: number): number {
  return logAlpha <= -Math.LN2 ? -Math.LN2 - logAlpha : Math.LN2 + logComplement(logAlpha);
}

/** log of the slope of 1 − f at α: the loss at which a test of the curve has this false positive rate. */
function slopeAt(curve: TradeoffCurve, logAlpha: number): number {
  if (logAlpha <= curve.forward.test(0).logFpr) {
    const { low, high } = curve.omegaAtFpr(logAlpha);
    return high < Infinity ? high : low;
  }
  const logPower = logComplement(logAlpha);
  if (logPower > curve.backward.test(0).logTpr) return 0;
  const { low, high } = curve.omegaAtPower(logPower);
  return -(low >= 0 ? low : high);
}

/**
 * The lines 1 − f(α) ≤ δ(ε) + e^ε α, one for each of the `slopes` ε, compose to a line of slope e^{Σε}. This is the log of its intercept, rounded up.
 *
 * Ensures: no smaller than log δ of the group at the sum of the slopes.
 */
function upperDelta(curve: TradeoffCurve, slopes: readonly number[]): number {
  let total = -Infinity;
  let size = 0;
  for (const epsilon of slopes) {
    total = logSum(curve.logDelta(epsilon).upper, epsilon + total);
    size += Math.abs(epsilon);
  }
  return total === -Infinity ? total : Math.min(0, outward(Math.min(0, total), 1) + ROUNDING * size);
}

/**
 * log of the group's mass at infinity, 1 − f applied `size` times to 0.
 *
 * Ensures: the mass at infinity of the group lies in the bracket, as a logarithm.
 */
function infinityOf(curve: TradeoffCurve, size: number): Bracket {
  const { lower, upper } = curve.forward.logInfinity;
  if (upper === -Infinity || upper < -1e300) return { lower: -Infinity, upper };
  let at = upper;
  let least = lower;
  for (let i = 1; i < size; i++) {
    at = curve.logTpr(at).upper;
    if (least > -Infinity) least = curve.logTpr(least).lower;
  }
  return bracket(Math.min(least, at), at);
}
