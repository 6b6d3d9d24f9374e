/**
 * Checks of a cyclic composition by FFT, the inverse transform of ∏_j FFT(p_j)^{T_j}, and a bound of its rounding error. n points; u = 2⁻⁵³. A hat
 * marks a computed number.
 *
 * FFT. In one radix-4 pass a number meets at most one product by a twiddle factor r, s or c = r·s, and two sums. A sum adds u, a product √5·u
 * (Brent, Percival & Zimmermann 2007), a table twiddle 2u. The product c has another √5·u + 2u: 10.5u per pass, 5.25u per binary level. The
 * outermost pass costs less. So the complex transform of N = n/2 points has |Ẑ_k − Z_k| ≤ g·Σ|z_j| with g = 5.25·log₂N·u. The transform of reals
 * averages two such outputs twice (2g) and rounds by at most 6.3u more: |X̂_k − X_k| ≤ e₁‖x‖₁. The inverse, run the other way, has |x̂_j − x_j| ≤
 * e₁·(1/n)Σ_k|X_k| with those 6.3u doubled. Both hold for
 *   e₁ = (10.5·log₂n + 4)·u      (2g + 12.6u = (10.5·log₂n + 2.1)u; the rest covers O(u²)).
 *
 * Powers. Let F_j = FFT(p_j), η_j = e₁‖p_j‖₁ and r_jk = |F̂_jk| + η_j, which is at least |F_jk| and |F̂_jk|. With P_k = ∏_j r_jk^{T_j}, telescoping
 * the product gives |∏F̂^T − ∏F^T| ≤ P_k·Σ_j T_jη_j/r_jk. Squaring and multiplying to Ĝ_k ≈ ∏F̂^T rounds ΣT − 1 times by √5·u: a relative error of
 * R = e^{√5u(ΣT−1)} − 1. Neither Ĝ_k nor G_k = ∏F^T exceeds (1 + R)·P_k; so |Ĝ_k − G_k| ≤ E_k = P_k·(min(Σ_j T_jη_j/r_jk, 2) + R).
 *
 * Result. Each entry errs by at most (1/n)Σ_k E_k + e₁·(1/n)Σ_k|Ĝ_k|. The computed r and P_k are themselves low by at most 4u·ΣT relative, and the
 * sums by 1e-9: a factor above 1 covers both. Where a factor r^T or P_k comes below TINY, Ĝ_k is 0, P_k counts as TINY and the sum as 2: |G_k| ≤
 * P_k. Underflow of a product costs less than 1e-300 per frequency. A modulus whose squares underflow is at most 1e-153 too low; SQUARE_UNDERFLOW
 * is added to η and to the mean of |Ĝ_k|.
 */
import { checkFftLength } from './arguments.js';
import { U } from './constants.js';
import type { CyclicPart } from './kernel.js';
import type { Scalars } from './scalars.js';

/** A factor whose bound r^T is below this counts as 0, with this as its error bound. */
export const TINY = 1e-300;

/** Upper bound of what a modulus √(x² + y²) can lose to underflow of x² and y². */
const SQUARE_UNDERFLOW = 1e-153;

/** A number below log TINY. */
const LOG_TINY = -690.8;

/** e₁(n) with |X̂_k − X_k| ≤ e₁·Σ|x_j| for the FFT X̂ of n reals. Ensures: no less than the error. */
export function fftErrorBound(n: number): number {
  return (10.5 * (31 - Math.clz32(n)) + 4) * U;
}

/** What one factor of a composition contributes to the bound of its rounding error. */
export interface CompositionBound {
  /** η = e₁‖p‖₁, a bound of the error of the factor's transform. */
  readonly eta: number;
  /** T·η, for a factor of count T and the error bound η = `eta` of its transform. */
  readonly weight: number;
  /** If the bound r of the transform's modulus is below this, r^T < TINY, and the factor counts as 0. */
  readonly skip: number;
}

interface CompositionPlan {
  readonly length: number;
  /** The factors with a positive count. */
  readonly parts: readonly CyclicPart[];
  /** R, the relative error of the product's roundings. */
  readonly relative: number;
  /** What factor j contributes to the bound, from its 1-norm Σ|x_i|. */
  bound(j: number, norm1: number): CompositionBound;
  /**
   * The bound of every entry's error, (1/n)Σ_k E_k + e₁·(1/n)Σ_k|Ĝ_k|, from the two sums over all n frequencies. Ĝ_k is the computed product of
   * transforms, E_k a bound of its error. Ensures: no less than the error.
   */
  perEntry(errors: number, sizes: number): number;
}

/**
 * Checks the factors, and computes the constants of the error bound (formulas at the head of this file). Ensures: `bound` and `perEntry` are
 * rounded up. It asks the engine's functions before the call takes any memory.
 */
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

/** @throws RangeError unless all sequences have one FFT length, and counts are whole numbers in [0, 2⁵³). */
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
