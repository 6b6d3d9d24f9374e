import { cosPi, sinPi } from '../../../numeric/scalar.js';

/** δ, TPR and FPR, in this order wherever all three are summed. */
export const FUNCTIONALS = 3;
const INVERSE_PI = 0.3183098861837907;
/** Rotations between fresh angles: what they add to the rounding is below `ROTATION_ERROR` of the weights' moduli. */
const ANCHOR = 16;
export const ROTATION_ERROR = 100 * 2 ** -53;

/**
 * Σ_k re_f[k] cos(k·dTau·x) + im_f[k] sin(k·dTau·x) for the three functionals f and each x: three numbers an x.
 *
 * @param weights For each functional n real parts, then n imaginary parts.
 */
export function contourSumsUniform(
  dTau: number,
  weights: Float64Array,
  xs: Float64Array,
  out = new Float64Array(FUNCTIONALS * xs.length),
): Float64Array {
  const n = weights.length / (2 * FUNCTIONALS);
  for (let i = 0; i < xs.length; i++) {
    const turn = dTau * xs[i] * INVERSE_PI;
    const c1 = cosPi(turn);
    const s1 = sinPi(turn);
    let [a, b, d] = [0, 0, 0];
    for (let from = 0; from < n; from += ANCHOR) {
      let c = cosPi(from * turn);
      let s = sinPi(from * turn);
      const to = Math.min(n, from + ANCHOR);
      for (let k = from; k < to; k++) {
        a += weights[k] * c + weights[n + k] * s;
        b += weights[2 * n + k] * c + weights[3 * n + k] * s;
        d += weights[4 * n + k] * c + weights[5 * n + k] * s;
        const next = c * c1 - s * s1;
        s = c * s1 + s * c1;
        c = next;
      }
    }
    out[FUNCTIONALS * i] = a;
    out[FUNCTIONALS * i + 1] = b;
    out[FUNCTIONALS * i + 2] = d;
  }
  return out;
}
