/** Outputs at which a pair of normal mixtures has given losses, by Newton's method within a bracket, for src/law/mixture-pair.ts. */
import { requireBlock } from './lanes.js';
import { loadF64, memory, storeF64 } from './memory.js';
import { expm1Of, expOf, log1pOf, logOf } from './scalar.js';

const U: f64 = 1.1102230246251565e-16;
const MAX_STEPS: i32 = 200;
/** Exponent above which log u is computed by log-sum-exp. */
const LARGE: f64 = 30;
/** Value of u below which log u is computed by log-sum-exp. */
const SMALLEST: f64 = 1e-290;
/** log u at one output, a bound of its absolute error, and its derivative. */
const VALUE: usize = memory.data(32, 16);

/**
 * log u, u = Σ w e^{a(x − a/2)} over n shifts a ≥ 0, to `VALUE`. A bound of its error and its slope in x follow. As `sideAt` of
 * src/law/mixture-side.ts computes them.
 */
function sideAt(shift: usize, weight: usize, n: usize, x: f64): void {
  if (n === 1 && loadF64(shift) === 0) {
    storeF64(VALUE, 0);
    storeF64(VALUE, 0, 8);
    storeF64(VALUE, 0, 16);
    return;
  }
  let greatest: f64 = -Infinity;
  for (let i: usize = 0; i < n << 3; i += 8) {
    const a = loadF64(shift + i);
    const s = a * (x - a / 2);
    if (s > greatest) greatest = s;
  }
  if (greatest > LARGE) {
    largeAt(shift, weight, n, x, greatest);
    return;
  }
  let excess: f64 = 0;
  let gross: f64 = 0;
  let sum: f64 = 0;
  let slope: f64 = 0;
  let moved: f64 = 0;
  for (let i: usize = 0; i < n << 3; i += 8) {
    const a = loadF64(shift + i);
    const w = loadF64(weight + i);
    const s = a * (x - a / 2);
    const rise = w * expm1Of(s);
    // for s near −∞, 1 + expm1(s) has lost the digits of e^s
    const e = s < -0.5 ? w * expOf(s) : w + rise;
    excess += rise;
    gross += Math.abs(rise);
    sum += e;
    slope += e * a;
    moved += e * (Math.abs(a * x) + a * a);
  }
  // where all exponents are very negative the sum underflows
  if (sum < SMALLEST) {
    largeAt(shift, weight, n, x, greatest);
    return;
  }
  const near = excess < -0.5;
  const u = near ? sum : 1 + excess;
  const value = near ? logOf(sum) : log1pOf(excess);
  const first = (U * ((12 + <f64>n) * gross + 5 * moved)) / u;
  // a sum of positive terms keeps its relative accuracy
  const second = U * (12 + <f64>n + (5 * moved) / u);
  storeF64(VALUE, value);
  storeF64(VALUE, (first < second ? first : second) * 1.01 + 4 * U * Math.abs(value), 8);
  storeF64(VALUE, slope / u, 16);
}

/** `sideAt` by log-sum-exp, relative to the largest exponent `top`. */
function largeAt(shift: usize, weight: usize, n: usize, x: f64, top: f64): void {
  let sum: f64 = 0;
  let slope: f64 = 0;
  let moved: f64 = 0;
  for (let i: usize = 0; i < n << 3; i += 8) {
    const a = loadF64(shift + i);
    const e = loadF64(weight + i) * expOf(a * (x - a / 2) - top);
    sum += e;
    slope += e * a;
    moved += e * (Math.abs(a * x) + a * a);
  }
  const value = top + logOf(sum);
  storeF64(VALUE, value);
  storeF64(VALUE, U * (12 + <f64>n + (5 * moved) / sum + 4 * Math.abs(value) + 4 * top), 8);
  storeF64(VALUE, slope / sum, 16);
}

/**
 * An output x for each of n ascending losses, by Newton's method within a bracket. Behind them, at an even place, a bound of the error of the loss at
 * any of them. Σ p_i N(a_i, 1) has `ups` components, shifts before weights, at `plus`; Σ r_j N(−b_j, 1) has `downs` at `minus`. Losses outside of
 * least … most have outputs ∓∞; others are sought between low and high.
 */
export function mixtureOutputs(
  losses: usize,
  n: usize,
  plus: usize,
  ups: usize,
  minus: usize,
  downs: usize,
  low: f64,
  high: f64,
  least: f64,
  most: f64,
  found: usize,
): void {
  requireBlock(losses, n);
  const off = found + ((n + (n & 1)) << 3);
  const plusWeight = plus + (ups << 3);
  const minusWeight = minus + (downs << 3);
  let start = -loadF64(minus + ((downs - 1) << 3));
  for (let k: usize = 0; k < n << 3; k += 8) {
    const y = loadF64(losses + k);
    let x: f64 = Infinity;
    let wrong: f64 = 0;
    if (!(y > least)) x = -Infinity;
    else if (y < most) {
      let below = low;
      let above = high;
      let slope: f64 = Infinity;
      x = start < low ? low : start > high ? high : start;
      for (let steps: i32 = 0; steps <= MAX_STEPS; steps++) {
        sideAt(plus, plusWeight, ups, x);
        const up = loadF64(VALUE);
        const upError = loadF64(VALUE, 8);
        slope = loadF64(VALUE, 16);
        sideAt(minus, minusWeight, downs, -x);
        const gap = up - loadF64(VALUE) - y;
        const error = upError + loadF64(VALUE, 8) + 2 * U * Math.abs(y);
        slope += loadF64(VALUE, 16);
        wrong = Math.abs(gap) + error;
        if (gap > 0) above = x;
        else below = x;
        if (Math.abs(gap) <= error || above - below <= 2 * U * (1 + Math.abs(x)) || steps === MAX_STEPS)
          break;
        const next = x - gap / slope;
        x = next > below && next < above ? next : (below + above) / 2;
      }
      // start for the next loss: where the tangent at this output reaches it
      if (k + 8 < n << 3) start = x + (loadF64(losses + k + 8) - y) / slope;
    }
    storeF64(found + k, x);
    storeF64(off + k, wrong);
  }
}
