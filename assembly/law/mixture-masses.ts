/** Masses of two normal mixtures on intervals of outputs, for src/law/mixture-pair.ts. */
import { U } from '../../src/kernel/constants.js';
import { normalIntervals } from '../functions/gdp.js';
import { requireBlock } from '../lane/lanes.js';
import { loadF64, storeF64 } from '../lane/memory.js';

/**
 * Upper bound of the change of a normal law's mass between a and b when these edges, each x − shift, are rounded. The bound is the edges' rounding
 * errors times a bound of the density there, mass·(1/(b − a) + 1 + max(|a|, |b|)). Ensures: no less than the change.
 */
function cutOf(a: f64, b: f64, shift: f64, mass: f64): f64 {
  const reach = Math.max(a > -Infinity ? Math.abs(a) : 0, b < Infinity ? Math.abs(b) : 0);
  return 6 * U * (reach + 2 * shift) * mass * (1 / Math.max(b - a, 1e-300) + 1 + reach);
}

/**
 * Adds the masses of the mixture Σ w N(sign·a, 1) between the n + 1 outputs at x to `sum`, by differences of Φ.
 * Bounds of the errors from rounded edges are added to `wrong`.
 * @param work Room for the moved outputs, and for masses.
 */
function addMasses(x: usize, n: usize, mixture: usize, work: usize, sum: usize, wrong: usize): void {
  const m = <usize>loadF64(mixture);
  const sign = loadF64(mixture, 8);
  const parts = mixture + 16;
  const own = work + ((n + 4 + (n & 1)) << 3);
  const end = n << 3;
  for (let i: usize = 0; i < m << 3; i += 8) {
    const shift = loadF64(parts + i);
    const weight = loadF64(parts + (m << 3) + i);
    for (let k: usize = 0; k <= end; k += 8) storeF64(work + k, loadF64(x + k) - sign * shift);
    storeF64(work + end, 0, 8);
    storeF64(work + end, 0, 16);
    normalIntervals(work, n, own);
    for (let k: usize = 0; k < end; k += 8) {
      const mass = weight * loadF64(own + k);
      if (mass === 0) continue;
      storeF64(sum + k, loadF64(sum + k) + mass);
      const cut = cutOf(loadF64(work + k), loadF64(work + k, 8), shift, mass);
      storeF64(wrong + k, loadF64(wrong + k) + cut);
    }
  }
}

/**
 * Masses of two mixtures between n + 1 ascending outputs at x, whose losses have the absolute errors at `off`. A mixture is Σ w N(sign·a, 1), stored
 * as its number of components, the sign, its shifts a and its weights w. Its masses are differences of the normal distribution function Φ.
 *
 * Four rows go to `out`, which holds zeros at first: masses of `base`, masses of `other`, absolute errors of the latter, and of the former. The
 * errors cover rounding, and each mass times the loss errors at both ends.
 * @param work Room for 2n + 8 numbers, n even or not.
 */
export function mixtureMasses(
  x: usize,
  off: usize,
  n: usize,
  base: usize,
  other: usize,
  work: usize,
  out: usize,
): void {
  requireBlock(x, n + 1);
  requireBlock(off, n + 1);
  const row = (n + (n & 1)) << 3;
  addMasses(x, n, other, work, out + row, out + 2 * row);
  addMasses(x, n, base, work, out, out + 3 * row);
  const rounding = 6 * U * (loadF64(base) + loadF64(other));
  for (let k = out; k < out + (n << 3); k += 8, off += 8) {
    const relative = loadF64(off) + loadF64(off, 8) + rounding;
    storeF64(k + 2 * row, loadF64(k + 2 * row) + relative * loadF64(k + row));
    storeF64(k + 3 * row, loadF64(k + 3 * row) + relative * loadF64(k));
  }
}
