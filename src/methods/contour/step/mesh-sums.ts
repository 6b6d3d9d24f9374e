import { exp } from '../../../numeric/scalar.js';

/** Rows of a mesh of n outputs, one after the other: weight p, loss y, bend y − (u − 1), relative error of p, |y|·(error of y). */
export const MESH_ROWS = 5;
/** Numbers that `cumulantSums` gives for each tilt. */
export const CUMULANT_SUMS = 6;
/** Terms added up before they are added to the rest. */
export const BLOCK = 16;
/** Below this e^t − 1 − t is its series; above, exp (to 1 ulp) rounds it by less than 24 u. */
const NEAR = 0.7;
/** 1/2!, 1/3!, … 1/18!: the next term is below 1e-19 of the first. */
const TERMS = 17;
const SERIES = Float64Array.from({ length: TERMS }, (_, k) => {
  let factorial = 1;
  for (let i = 2; i <= k + 2; i++) factorial *= i;
  return 1 / factorial;
});

/** e^t − 1 − t for |t| < `NEAR`. */
function exponentialExcess(t: number): number {
  let sum = SERIES[TERMS - 1];
  for (let k = TERMS - 2; k >= 0; k--) sum = sum * t + SERIES[k];
  return sum * t * t;
}

/**
 * For each tilt c, over the nodes `from` … `to` − 1 of a mesh with rows of length `stride`:
 * Σpe^{cy}, Σpe^{cy}y, Σpe^{cy}y², Σp(u^c − 1 − c(u − 1)), Σ(error of p)·p(|e^{cy} − 1 − cy| + |c·bend|), Σpe^{cy}·|y|·(error of y).
 *
 * The fourth is summed as p((e^{cy} − 1 − cy) + c·bend), in blocks of `BLOCK`. Its rounding is at most (28 + BLOCK + (to − from)/BLOCK)u of the
 * moduli, beside what the weights and losses are off.
 */
export function cumulantSums(
  mesh: Float64Array,
  stride: number,
  from: number,
  to: number,
  tilts: Float64Array,
  out = new Float64Array(CUMULANT_SUMS * tilts.length),
): Float64Array {
  const [loss, bend, rough, blur] = [stride, 2 * stride, 3 * stride, 4 * stride];
  for (let i = 0; i < tilts.length; i++) {
    const c = tilts[i];
    let mass = 0;
    let first = 0;
    let second = 0;
    let rise = 0;
    let size = 0;
    let shift = 0;
    let block = 0;
    for (let j = from; j < to; j++) {
      if ((j & (BLOCK - 1)) === 0) {
        rise += block;
        block = 0;
      }
      const p = mesh[j];
      const y = mesh[loss + j];
      const t = c * y;
      const e = exp(t);
      const f = p * e;
      mass += f;
      first += f * y;
      second += f * y * y;
      const g = t < NEAR && t > -NEAR ? exponentialExcess(t) : e - 1 - t;
      const straight = c * mesh[bend + j];
      block += p * (g + straight);
      size += p * mesh[rough + j] * (g + Math.abs(straight));
      shift += f * mesh[blur + j];
    }
    out.set([mass, first, second, rise + block, size, shift], CUMULANT_SUMS * i);
  }
  return out;
}
