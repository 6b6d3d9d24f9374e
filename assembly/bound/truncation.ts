/**
 * The last node of a contour, and the truncation error (1/π)·h·Σ|φ(τ)|/τ^r over the omitted nodes τ, h the spacing, φ(τ) = M(c + iτ)/M(c). The order r
 * is 2 for δ, and 1 for rates.
 */
import { Composed } from '../law/law.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { mark, release, spend, take } from '../lane/room.js';
import { expOf } from '../functions/scalar.js';

/** Limit of the number of frequencies τ at which |φ(τ)| = |M(c + iτ)|/M(c) is bounded. */
const MOST: usize = 160;
/** Number of frequencies that are bounded at a time. */
const BLOCK: usize = 8;
/** Ratio of neighbouring frequencies τ; FAR_GROWTH once log|M(c + iτ)/M(c)| < −FAR_BELOW·depth. */
const GROWTH: f64 = 1.2;
const FAR_GROWTH: f64 = 1.5;
const FAR_BELOW: f64 = 3;
/**
 * Where the bound of the sum over all larger frequencies is below this fraction of the tolerated truncation error, |φ| is bounded no further. The
 * error includes that bound.
 */
const LITTLE: f64 = 1e-4;
/** Upper bound of 1/π. */
const INVERSE_PI_ABOVE: f64 = 0.3184;

/** Search for the last node of one contour. */
export class LineEnd {
  /** Number of nodes; ∞ where no end was found. */
  nodes: f64 = Infinity;
  /** Ensures: no less than the truncation error relative to M(c). */
  truncation: f64 = Infinity;
  private taus: usize = 0;
  private logs: usize = 0;
  private m: usize = 0;

  /**
   * @param step The spacing h of nodes.
   * @param wanted Heuristic: the tolerated truncation error.
   * @param depth Heuristic: |φ(τ)| = |M(c + iτ)|/M(c) below e^{−depth} is negligible.
   * @param order The exponent r, 1 or 2.
   * @param loosest Heuristic: the error that is tolerated where there would be more than `longest` nodes.
   */
  constructor(
    private run: Composed,
    private step: f64,
    private wanted: f64,
    private depth: f64,
    private order: f64 = 2,
    private loosest: f64 = 0,
    private longest: f64 = Infinity,
  ) {}

  /**
   * Sets `nodes`, the number of nodes, and `truncation`, an upper bound of the truncation error relative to M(c).
   * @param start The smallest frequency at which |φ| is bounded.
   * @param sharp Whether tighter, slower bounds of |φ| are used; their tables stay in memory.
   */
  find(start: f64, sharp: bool): void {
    const before = mark();
    this.taus = take(MOST + 2 * BLOCK);
    this.logs = take(MOST + 2 * BLOCK);
    this.m = 0;
    storeF64(this.taus, Math.max(start, this.step));
    this.walk(sharp);
    this.end();
    if (!sharp) release(before);
  }

  /**
   * Computes upper bounds of log|φ(τ)| = log|M(c + iτ)/M(c)| on the intervals of a geometric grid of frequencies, until the remaining tail is
   * negligible. Ensures: no less than log|φ|.
   */
  private walk(sharp: bool): void {
    let more = this.counts(loadF64(this.taus));
    while (more && this.m < MOST) {
      const last = this.m > 0 ? loadF64(this.logs + ((this.m - 1) << 3)) : 0;
      const growth = last < -FAR_BELOW * this.depth ? FAR_GROWTH : GROWTH;
      const from = this.taus + (this.m << 3);
      let k: usize = 0;
      while (k < BLOCK && more) {
        storeF64(from + ((k + 1) << 3), loadF64(from + (k << 3)) * growth);
        k++;
        more = this.counts(loadF64(from + (k << 3)));
      }
      spend(200);
      this.run.decay(from, k + 1, -8 * FAR_BELOW * this.depth, sharp, this.logs + (this.m << 3));
      this.m += k;
    }
  }

  /**
   * Sums (1/π)·|φ|·(Δτ + h)/τ^r, φ(τ) = M(c + iτ)/M(c), over the intervals from the last one backwards. The contour ends where the sum would exceed
   * `wanted`, or `loosest` while there are too many nodes. Ensures: `truncation` is no less than the truncation error.
   */
  private end(): void {
    const tau = loadF64(this.taus + (this.m << 3));
    let sum = this.behind(tau, this.run.tailLog(tau));
    this.nodes = Infinity;
    this.truncation = sum;
    for (let i = this.m; sum <= this.wanted || (this.nodes > this.longest && sum <= this.loosest); i--) {
      this.nodes = Math.ceil(loadF64(this.taus + (i << 3)) / this.step) + 1;
      this.truncation = sum;
      if (i === 0) return;
      const a = loadF64(this.taus + ((i - 1) << 3));
      const b = loadF64(this.taus + (i << 3));
      const most = expOf(loadF64(this.logs + ((i - 1) << 3)));
      sum += ((b - a + this.step) * INVERSE_PI_ABOVE * most * (1 + 1e-12)) / this.powerOf(a);
    }
  }

  /** Bound of the sum over nodes beyond τ, as log|φ| ≤ `log` at τ and |φ| decays like τ^{−tailPower} or faster. Ensures: no less than it. */
  private behind(tau: f64, log: f64): f64 {
    const power = this.run.tailPower(tau);
    const decay = power + (this.order - 1);
    if (!(decay > 0)) return Infinity;
    return ((expOf(log) * INVERSE_PI_ABOVE) / this.powerOf(tau)) * (this.step + tau / decay);
  }
  private powerOf(tau: f64): f64 {
    return this.order === 1 ? tau : tau * tau;
  }

  /** Heuristic: whether the sum over nodes beyond τ is not yet negligible. */
  private counts(tau: f64): bool {
    const log = this.run.tailLog(tau);
    return !(log < -this.depth) && this.behind(tau, log) > LITTLE * this.wanted;
  }
}
