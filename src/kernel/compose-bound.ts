/**
 * Checks of a cyclic composition and its a-priori round-off bound. u = 2⁻⁵³; n points, N = n/2.
 *
 * FFT. In one split-in-4 pass a number meets at most one product by r, s or c = r·s and two sums.
 * A sum adds u, a product √5·u (Brent, Percival & Zimmermann 2007), a table twiddle 2u. The formed
 * c has another √5·u + 2u: 10.5u per pass, 5.25u per binary level. The outermost pass costs less. So
 * |Ẑ_k − Z_k| ≤ g·Σ|z_j| with g = 5.25·log₂N·u. The real unpack averages two such outputs twice (2g)
 * and rounds by at most 6.3u more: |X̂_k − X_k| ≤ e₁‖x‖₁. The inverse, run the other way, has
 * |x̂_j − x_j| ≤ e₁·(1/n)Σ_k|X_k| with the rounding of the repack doubled. Both hold for
 *   e₁ = (10.5·log₂n + 4)·u      (2g + 12.6u = (10.5·log₂n + 2.1)u; the rest covers O(u²)).
 *
 * Powers. With η_j = e₁‖p_j‖₁ and r_jk = |F̂_jk| + η_j ≥ max(|F_jk|, |F̂_jk|), telescoping the product gives a bound: |∏F̂^T − ∏F^T| ≤ P_k·Σ_j T_jη_j/r_jk; P_k = ∏_j
 * r_jk^{T_j}. Forming ∏F̂^T by squaring and multiplying rounds ΣT − 1 times by √5·u: relative R = e^{√5u(ΣT−1)} − 1. Neither side exceeds (1 + R)·P_k; so |Ĝ_k − G_k|
 * ≤ E_k = P_k·(min(Σ_j T_jη_j/r_jk, 2) + R).
 *
 * Result. Each entry errs by at most (1/n)Σ_k E_k + e₁·(1/n)Σ_k|Ĝ_k|. The computed r and P_k are
 * themselves low by at most 4u·ΣT relative, and the sums by 1e-9: both are made good by a factor.
 * Where a factor r^T or P_k comes below TINY, Ĝ_k is 0, P_k counts as TINY and the sum as 2: |G_k| ≤ P_k.
 * Underflow of a product costs less than 1e-300 per frequency. A modulus whose squares underflow is at
 * most 1e-153 too low; η and the mean of |Ĝ_k| make that good.
 */
import { checkFftLength } from './arguments.js';
import { U } from './constants.js';
import type { CyclicPart } from './kernel.js';
import type { Scalars } from './scalars.js';

/** Bound of a factor that is left out because r^T is below it. */
export const TINY = 1e-300;

/** Upper bound of what a modulus √(x² + y²) can lose to underflow of x² and y². */
const SQUARE_UNDERFLOW = 1e-153;

/** Below ln TINY. */
const LOG_TINY = -690.8;

/** e₁(n): |X̂_k − X_k| ≤ e₁·Σ|x_j|. */
export function fftErrorBound(n: number): number {
  return (10.5 * (31 - Math.clz32(n)) + 4) * U;
}

/** What one part of a composition contributes to the bound of its rounding error. */
export interface CompositionBound {
  /** η = e₁‖p‖₁. */
  readonly eta: number;
  /** T·η. */
  readonly weight: number;
  /** Bound r of |F| below which r^T < TINY: the factor counts as 0. */
  readonly skip: number;
}

interface CompositionPlan {
  readonly length: number;
  /** The parts with a positive count. */
  readonly parts: readonly CyclicPart[];
  /** R above. */
  readonly relative: number;
  /** What part j contributes to the bound, by its 1-norm Σ|x_i|. */
  bound(j: number, norm1: number): CompositionBound;
  /** From Σ_k E_k and Σ_k|Ĝ_k| over all n frequencies to the bound of every entry. */
  perEntry(errors: number, sizes: number): number;
}

/** Checks the parts and fixes the constants of the bound; the engine's functions are asked here alone, before it takes any memory. */
export function planComposition(
  parts: readonly CyclicPart[],
  { expOf, expm1Of }: Pick<Scalars, 'expOf' | 'expm1Of'>,
): CompositionPlan {
  checkParts(parts);
  const length = parts[0].pmf.length;
  const active = parts.filter(({ count }) => count > 0);
  const total = active.reduce((sum, { count }) => sum + count, 0);
  const e1 = fftErrorBound(length);
  const skips = active.map(({ count }) => expOf(LOG_TINY / count) * (1 - 1e-12));
  const growth = expOf(4.1 * U * total);
  return {
    length,
    parts: active,
    relative: expm1Of(2.2361 * U * (total - 1)),
    bound: (j, norm1) => {
      const eta = e1 * norm1 * (1 + 1e-9) + SQUARE_UNDERFLOW;
      return { eta, weight: active[j].count * eta, skip: skips[j] };
    },
    perEntry: (errors, sizes) => {
      const bound = (errors / length + e1 * (sizes / length + SQUARE_UNDERFLOW)) * growth * (1 + 1e-8);
      return Number.isFinite(bound) ? bound + 4 * TINY : Infinity;
    },
  };
}

function checkParts(parts: readonly CyclicPart[]): void {
  if (parts.length === 0) throw new RangeError('"parts" must hold at least one part; got none');
  const length = parts[0].pmf.length;
  checkFftLength('parts[0].pmf', length);
  parts.forEach(({ pmf, count }, index) => {
    if (pmf.length !== length) {
      throw new RangeError(
        `"parts[${index}].pmf" must hold ${length} values like parts[0]; got ${pmf.length}`,
      );
    }
    if (!(Number.isSafeInteger(count) && count >= 0)) {
      throw new RangeError(`"parts[${index}].count" must be a whole number in [0, 2^53); got ${count}`);
    }
  });
}
