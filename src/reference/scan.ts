/**
 * Exponential sums over a lattice x_i = step·(first + i); assembly/scan.ts performs the same operations
 * in the same order, so both engines agree bit for bit. u = 2⁻⁵³.
 */

import { exp, expm1, log } from '../../assembly/elementary.js';
import { checkOut, suffixOutput } from '../kernel/arguments.js';
import { SCAN_BLOCK as BLOCK, LN2 } from '../kernel/constants.js';
import type { SuffixSums } from '../kernel/kernel.js';
import { finishLogMgf, scanFactors } from '../kernel/scalars.js';

const float = new Float64Array(1);
const word = new Uint32Array(float.buffer);
/** The upper half of a number. */
const HIGH = 1;

/**
 * log Σ p_i e^{λ x_i} over p_i > 0 (round-off below zero counts as 0); −∞ if there is none.
 *
 * The shift is the largest λ·x_i + ln 2·⌊log₂ p_i⌋, so the largest term is near 1 wherever p and the
 * exponential lie; e^{arg} is taken as the square of e^{arg/2}, which does not overflow against a
 * subnormal p. On fine grids (64·|λ·step| ≤ 1) one exponential serves 64 terms, times a table of
 * e^{λ·step·j}. The sum is compensated. Relative error of e^{result}: at most
 * u·(16 + 2·max|λx_i| + max|λx_i − shift| + |result|), maxima over the terms that matter.
 */
export function logMgf(p: Float64Array, first: number, step: number, lambda: number): number {
  const n = p.length;
  let shift = -Infinity;
  for (let i = 0; i < n; i++) {
    if (!(p[i] > 0)) continue;
    float[0] = p[i];
    const key = lambda * (step * (first + i)) + LN2 * ((word[HIGH] >>> 20) - 1023);
    if (key > shift) shift = key;
  }
  const blocked = Math.abs(lambda * step) * BLOCK <= 1;
  const ratios = new Float64Array(BLOCK);
  if (blocked) for (let j = 0; j < BLOCK; j++) ratios[j] = exp(lambda * (step * j));
  const sum = [0, 0];
  const rest = [0, 0];
  let e = 1;
  for (let i = 0; i < n; i++) {
    if (!blocked || i % BLOCK === 0) e = exp(0.5 * (lambda * (step * (first + i)) - shift));
    if (!(p[i] > 0)) continue;
    const term = p[i] * e * (blocked ? ratios[i % BLOCK] * e : e);
    const lane = i & 1;
    const next = sum[lane] + term;
    const part = next - sum[lane];
    rest[lane] += sum[lane] - (next - part) + (term - part);
    sum[lane] = next;
  }
  return finishLogMgf(shift, [...sum, ...rest], { exp, expm1, log });
}

/**
 * out[i] = p_i·e^{θ·x_i − shift}, the argument formed as θ·(step·(first + i)) − shift. Relative error at
 * most 2⁻⁵²·(3 + |θx_i| + |θx_i − shift|) while the result is normal; zeros stay zero.
 */
export function tilt(
  p: Float64Array,
  first: number,
  step: number,
  theta: number,
  shift: number,
  out: Float64Array = new Float64Array(p.length),
): Float64Array {
  checkOut(p, out);
  for (let i = 0; i < p.length; i++) {
    const e = exp(0.5 * (theta * (step * (first + i)) - shift));
    out[i] = p[i] === 0 ? 0 : p[i] * e * e;
  }
  return out;
}

/** x where it is above 0, else 0 (also for NaN). */
function positive(x: number): number {
  return x > 0 ? x : 0;
}

/**
 * tail[j] and delta[j] of the seam by recurrences without cancellation. From
 * 1 − e^{−(d+h)} = (1 − e^{−d}) + (1 − e^{−h})·e^{−d} follows
 *   delta[j] = D·(delta[j+1] + g·tail[j+1]),  tail[j] = p̃_j + E·tail[j+1].
 * Four steps at a time: within a block the sums are taken without what is above it, which enters by E, E², E³, E⁴
 * (D likewise), so that one product and one sum per block wait for the block before instead of four. That rounds
 * a term less often than single steps would.
 * A term from m steps above carries at most m·(4 + 2|1+θ|h + 2|θ|h)·u + 6u relative error, so every entry is
 * within n times that; terms decay like e^{−θhm}, so in practice m ≲ 40/(θh).
 */
export function suffixScan(tilted: Float64Array, theta: number, step: number, out?: SuffixSums): SuffixSums {
  const n = tilted.length;
  const sums = suffixOutput(n, out);
  const { delta, tail } = sums;
  const { D, E, g } = scanFactors(theta, step, { exp, expm1, log });
  const E2 = E * E;
  const E3 = E2 * E;
  const E4 = E2 * E2;
  const D2 = D * D;
  const D3 = D2 * D;
  const D4 = D2 * D2;
  const Dg = D * g;
  let t = 0;
  let d = 0;
  let j = n;
  while (j & 3) {
    j--;
    d = D * (d + g * t);
    t = positive(tilted[j]) + E * t;
    delta[j] = d;
    tail[j] = t;
  }
  while (j > 0) {
    j -= 4;
    const s3 = positive(tilted[j + 3]);
    const s2 = positive(tilted[j + 2]) + E * s3;
    const s1 = positive(tilted[j + 1]) + E * s2;
    const s0 = positive(tilted[j]) + E * s1;
    const t3 = s3 + E * t;
    const t2 = s2 + E2 * t;
    const t1 = s1 + E3 * t;
    const r3 = Dg * t;
    const r2 = Dg * t3 + D * r3;
    const r1 = Dg * t2 + D * r2;
    const r0 = Dg * t1 + D * r1;
    t = s0 + E4 * t;
    tail[j] = t;
    tail[j + 1] = t1;
    tail[j + 2] = t2;
    tail[j + 3] = t3;
    delta[j + 3] = r3 + D * d;
    delta[j + 2] = r2 + D2 * d;
    delta[j + 1] = r1 + D3 * d;
    d = r0 + D4 * d;
    delta[j] = d;
  }
  return sums;
}
