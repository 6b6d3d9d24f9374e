import { type Bracket, bracket } from '../numeric/bracket.js';
import { largestGap } from './largest-gap.js';
import { asTradeoff, type Subject } from './subject.js';

/** Width to stop at. */
const ENOUGH = 1e-9;

/**
 * Δ(f, g) = inf{κ ≥ 0: f(α + κ) − κ ≤ g(α) for all α ∈ [0, 1]} (REP def. 2.10): how far f must be moved along the diagonal to
 * come below g. 0 iff f ≤ g; the advantages differ by at most 2 max(Δ(f, g), Δ(g, f)). Of runs and profiles their trade-off functions.
 *
 * @throws TypeError if one is neither a run nor a profile nor a trade-off function.
 * @example
 * deltaDivergence(perfectPrivacy(), gaussianTradeoff(1)).upper; // 0.191463
 */
export function deltaDivergence(f: Subject, g: Subject): Bracket {
  const [a, b] = [asTradeoff(f, 'f'), asTradeoff(g, 'g')];
  if (f === g) return bracket(0, 0);
  return largestGap(a.curve, b.curve, ENOUGH, a.isSymmetric && b.isSymmetric);
}
