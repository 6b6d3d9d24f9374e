/**
 * Powers of power series 1 + Σ r_k h^k, k = 1 … m. Each coefficient is for a vector of nodes and has 48 bytes: real part, imaginary part, and a
 * majorant of its modulus.
 */
import { add, all, div, mul, sub } from '../lane/lanes.js';
import { load, store } from '../lane/memory.js';

/** Bytes of a coefficient. */
export const COEFFICIENT: usize = 48;

/**
 * Adds Σ (ak + b) x_k y_{i−k}, k = 1 … terms, to the coefficient y_i at `at`, and the same sum of the majorants. One rounding for each operation,
 * relative to the majorants.
 */
function addTerms(at: usize, x: usize, terms: usize, a: f64, b: f64): void {
  let re = load(at);
  let im = load(at, 16);
  let most = load(at, 32);
  let y = at;
  for (let k: usize = 1; k <= terms; k++) {
    x += COEFFICIENT;
    y -= COEFFICIENT;
    const factor = all(a * <f64>k + b);
    const p = load(x);
    const q = load(x, 16);
    const r = load(y);
    const s = load(y, 16);
    re = add(re, mul(factor, sub(mul(p, r), mul(q, s))));
    im = add(im, mul(factor, add(mul(p, s), mul(q, r))));
    most = add(most, mul(mul(factor, load(x, 32)), load(y, 32)));
  }
  store(at, re);
  store(at, im, 16);
  store(at, most, 32);
}

/** Stores a coefficient: real part and majorant; its imaginary part is 0. */
/* @inline */ function put3(at: usize, x: v128, majorant: v128): void {
  store(at, x);
  store(at, all(0), 16);
  store(at, majorant, 32);
}

/** Number of terms, for the charge, of the n-th power of a series with m coefficients, by recurrence or by squares and products. */
export function powerTerms(m: f64, n: f64): f64 {
  let bits: f64 = 0;
  for (let rest = n; rest >= 2; rest = Math.floor(rest / 2)) bits += 1;
  return ((m * (m + 1)) / 2) * (m <= n + 1 ? 1 : Math.max(1, 2 * bits));
}

/** Whether all factors (n + 1)k − i of Miller's recurrence (`raise`) are ≥ 0. */
/* @inline */ function byRecurrence(m: usize, n: f64): bool {
  return <f64>m <= n + 1;
}

/** The coefficients of (Σ b_i h^i)², b_0 = 1, in place, from the last on. */
function square(series: usize, m: usize): void {
  for (let i = m; i > 0; i--) {
    const at = series + COEFFICIENT * i;
    for (let part: usize = 0; part < COEFFICIENT; part += 16) store(at + part, mul(all(2), load(at + part)));
    addTerms(at, series, i - 1, 0, 1);
  }
}

/**
 * The first m + 1 coefficients of (1 + Σ r_k h^k)^n to `out`. Miller's recurrence is b_i = (1/i) Σ ((n+1)k − i) r_k b_{i−k}; where it would cancel,
 * squares and products are used.
 *
 * Let λ be the rounding error of one coefficient, relative to its majorant. The error of b_m is at most mλ by the recurrence, and (n − 1)λ by products.
 * For products, the error of b^j is (j − 1)λ. So that of its square is (2j − 1)λ, and that of its product with b is jλ.
 */
export function raise(series: usize, m: usize, n: f64, out: usize): void {
  const recurrent = byRecurrence(m, n);
  for (let i = COEFFICIENT; i < COEFFICIENT * (m + 1); i += 16)
    store(out + i, recurrent ? all(0) : load(series + i));
  put3(out, all(1), all(1));
  if (recurrent) {
    for (let i: usize = 1; i <= m; i++) {
      const at = out + COEFFICIENT * i;
      addTerms(at, series, i, n + 1, -(<f64>i));
      const unit = all(<f64>i);
      for (let part: usize = 0; part < COEFFICIENT; part += 16) store(at + part, div(load(at + part), unit));
    }
    return;
  }
  let bit: f64 = 1;
  while (2 * bit <= n) bit *= 2;
  for (let rest = n - bit; bit > 1;) {
    square(out, m);
    bit /= 2;
    if (rest < bit) continue;
    rest -= bit;
    for (let i = m; i > 0; i--) addTerms(out + COEFFICIENT * i, series, i, 0, 1);
  }
}

/**
 * The m-th coefficient of e^{ah} times a series Σ b_i h^i, Σ a^j/j!·b_{m−j}, to `out`, with its majorant. No majorant's term is negative, so the
 * error is at most m roundings of the majorant.
 */
export function shifted(series: usize, m: usize, a: f64, out: usize): void {
  put3(out, all(0), all(0));
  let factor: f64 = 1;
  for (let j: usize = 0; j <= m && factor !== 0; j++) {
    const from = series + COEFFICIENT * (m - j);
    for (let part: usize = 0; part < COEFFICIENT; part += 16)
      store(out + part, add(load(out + part), mul(all(factor), load(from + part))));
    factor *= a / <f64>(j + 1);
  }
}
