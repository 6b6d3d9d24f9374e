import { ComposedRun } from '../account/composed-run.js';
import { requireFields, requireNumber, wrongType } from '../errors.js';
import type { TradeoffCurve } from '../run/tradeoff-curve.js';
import { shortDecimal } from '../text/decimal.js';
import { symmetrise } from '../tradeoff/algebra.js';
import { approximateDpTradeoff, gaussianTradeoff, runTradeoff } from '../tradeoff/constructors.js';
import { TradeoffFunction } from '../tradeoff/tradeoff-function.js';
import { meshInverse } from './mesh-inverse.js';
import { type ClaimedInverse, gaussianInverse } from './one-run.js';

/**
 * What evidence is held against: a composed run; a trade-off function between the runs without and with the record; (ε, δ)-DP; or
 * μ-GDP.
 */
export type AuditClaim =
  | ComposedRun
  | TradeoffFunction
  | { readonly epsilon: number; readonly delta: number }
  | { readonly mu: number };

/** A claim as the theorems take it. */
export interface ClaimedCurve {
  readonly name: string;
  /** T(without, with): of a run its own direction, not the hull of both. */
  readonly curve: TradeoffCurve;
  /** f̄⁻¹ of one trade-off function valid whichever of the two is the truth. */
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
