import { ComposedRun } from '../account/composed-run.js';
import { requireFields, requireNumber, wrongType } from '../errors.js';
import { ROUNDING } from '../numeric/rounding.js';
import { exp } from '../numeric/scalar.js';
import { firstBetween } from '../numeric/solve.js';
import type { TradeoffCurve } from '../run/tradeoff-curve.js';
import { shortDecimal } from '../text/decimal.js';
import { symmetrise } from '../tradeoff/algebra.js';
import { approximateDpTradeoff, gaussianTradeoff, runTradeoff } from '../tradeoff/constructors.js';
import { TradeoffFunction } from '../tradeoff/tradeoff-function.js';
import { type ClaimedInverse, gaussianInverse } from './one-run.js';

/**
 * A claim that evidence may refute: a composed run; a trade-off function between the runs without and with the record; (ε, δ)-DP;
 * or μ-GDP.
 */
export type AuditClaim =
  | ComposedRun
  | TradeoffFunction
  | { readonly epsilon: number; readonly delta: number }
  | { readonly mu: number };

/** A claim in the forms that the theorems of audits need. */
export interface ClaimedCurve {
  readonly name: string;
  /** The trade-off function T(without the record, with it); for a run that of one direction, not the hull of both. */
  readonly curve: TradeoffCurve;
  /** The inverse of the power f̄(α) = 1 − f(α), for an f that is valid whichever of the two data sets was used. */
  readonly inverse: () => ClaimedInverse;
  /** Set where the claim is (ε, δ)-DP. */
  readonly point?: { readonly epsilon: number; readonly delta: number };
}

/** @throws TypeError | RangeError naming what is wrong with the claim. */
export function claimedCurve(claim: AuditClaim): ClaimedCurve {
  if (claim instanceof ComposedRun) {
    const { mechanism, adjacency } = claim.settings;
    const { curve } = runTradeoff(claim, adjacency === 'replace-one' ? 'both' : 'remove');
    return { name: `the run (${mechanism.kind})`, curve, inverse: () => meshInverse(claim.curve) };
  }
  if (claim instanceof TradeoffFunction) {
    return { name: claim.name, curve: claim.curve, inverse: () => meshInverse(symmetrise(claim).curve) };
  }
  if (typeof claim !== 'object' || claim === null)
    throw wrongType('claim', 'a run, a trade-off function, {"epsilon", "delta"} or {"mu"}', claim);
  if ('mu' in claim) {
    requireFields('claim', claim, ['mu']);
    requireNumber('claim.mu', claim.mu, '0 or a number from 1e-9 to 1e3');
    const { curve } = gaussianTradeoff(claim.mu);
    return { name: `${shortDecimal(claim.mu)}-GDP`, curve, inverse: () => gaussianInverse(claim.mu) };
  }
  requireFields('claim', claim, ['epsilon', 'delta'], 'a claim has mu, or');
  const { epsilon, delta } = claim;
  requireNumber('claim.epsilon', epsilon, 'a number in [0, 300]');
  requireNumber('claim.delta', delta, 'a number in [0, 1]');
  const { curve } = approximateDpTradeoff(epsilon, delta);
  const name = `(${shortDecimal(epsilon)}, ${shortDecimal(delta)})-DP`;
  return { name, curve, inverse: () => meshInverse(curve), point: { epsilon, delta } };
}

/** A supporting line of a trade-off curve, 1 − δ − e^ε α, and the rates of a test that rejects at losses above ε. */
interface Node {
  readonly epsilon: number;
  readonly delta: number;
  readonly fpr: number;
  readonly tpr: number;
}

/** Number of mesh steps in the range of most losses, whose length is estimated as 2.5 δ(0). Only width depends on it. */
const FINENESS = 32;
/** Width in log δ of the lines and tests: less than the error of the mesh. */
const WIDTH = 1e-6;
/** Greatest loss of a node: e^ε does not overflow. */
const LARGEST_LOSS = 690;
const UP = 1 + ROUNDING;
const DOWN = 1 - ROUNDING;

/** Nodes at losses ε = k · `step` for integers k, computed when needed. */
class Mesh {
  private readonly known = new Map<number, Node>();
  private readonly step: number;
  private readonly last: number;
  private place = 0;

  constructor(private readonly curve: TradeoffCurve) {
    const advantage = exp(curve.logDelta(0).upper);
    this.step = Math.min(1, Math.max(1e-6, 2.5 * advantage)) / FINENESS;
    this.last = Math.floor(LARGEST_LOSS / this.step);
  }

  node(k: number): Node {
    const before = this.known.get(k);
    if (before !== undefined) return before;
    const epsilon = k * this.step;
    const { logFpr, logTpr } = this.curve.test(epsilon, WIDTH);
    const delta = exp(this.curve.logDelta(epsilon, WIDTH).upper) * UP;
    const made = { epsilon, delta, fpr: exp(logFpr) * UP, tpr: exp(logTpr) * DOWN };
    this.known.set(k, made);
    return made;
  }

  /** The k whose test has at least the given power, while the test of k + 1 has less. The search starts from the last result. */
  placeOf(power: number): number {
    const { last } = this;
    const reaches = (k: number): boolean => this.node(k).tpr >= power;
    let low = this.place;
    for (let stride = 1; low > -last && !reaches(low); stride *= 2) low = Math.max(-last, low - stride);
    let high = low + 1;
    for (let stride = 1; high < last && reaches(high); stride *= 2) {
      low = high;
      high = Math.min(last, high + stride);
    }
    this.place = firstBetween(low, high, (k) => !reaches(k)) - 1;
    return this.place;
  }
}

/**
 * The least false positive rate f̄⁻¹(R) with which a test of power R may exist under a symmetric trade-off curve. The lower bound
 * takes supporting lines: sup over ε of e^{−ε}(R − δ(ε)). The upper bound mixes the certified tests at two neighbouring losses,
 * one of power above R and one below. Both errors are quadratic in the step of the mesh.
 *
 * Ensures: f̄⁻¹(R) lies between the two bounds.
 *
 * @param curve A trade-off curve that is valid whichever of the two data sets was used.
 */
function meshInverse(curve: TradeoffCurve): ClaimedInverse {
  const mesh = new Mesh(curve);
  return {
    lower: (power) => {
      const k = mesh.placeOf(power);
      const lines = [k - 1, k, k + 1].map((each) => mesh.node(each));
      return Math.max(0, ...lines.map(({ epsilon, delta }) => exp(-epsilon) * (power * DOWN - delta) * DOWN));
    },
    upper: (power) => {
      const k = mesh.placeOf(power);
      const loose = mesh.node(k);
      if (loose.tpr < power) return power;
      const strict = mesh.node(k + 1);
      const share = strict.tpr < power ? (power - strict.tpr) / (loose.tpr - strict.tpr) : 0;
      const span = Math.max(0, loose.fpr - strict.fpr);
      // no test has less power than guessing
      return Math.min(power, (strict.fpr + Math.min(1, share * UP) * span) * UP);
    },
  };
}
