/**
 * The likelihood ratio u of a normal mixture Σ w N(a, 1) to N(0, 1) at an output x. It is u(x) = Σ w e^s, s = ax − a²/2. In memory n ascending shifts
 * a ≥ 0 precede their weights w. Stored shifts are good to 2 roundings of themselves, weights to 4; the exact weights sum to 1.
 */
import { INVERSE_PI, U } from '../../src/kernel/constants.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { take } from '../lane/room.js';
import {
  atan2Of,
  cosPiOf,
  expm1Of,
  expOf,
  log1pOf,
  logModulus1pOf,
  logOf,
  sinPiOf,
} from '../functions/scalar.js';

/** The largest exponent s up to which u = Σ w e^s is summed directly; above it, log-sum-exp is used. */
const LARGE: f64 = 30;
/** Log-sum-exp is also used for sums below this. */
const SMALLEST: f64 = 1e-290;
/** log u up to which u − 1 is finite. */
const FINITE: f64 = 700;

/** The results of `sideAt` at the last output. */
export class AtSide {
  /** log u, u the likelihood ratio, and a bound of its absolute error. */
  static log: f64 = 0;
  static error: f64 = 0;
  /** u − 1 (∞ where it overflows), and a bound of its absolute error. */
  static excess: f64 = 0;
  static excessError: f64 = 0;
  /** The derivative d log u/dx at the output x, with an error of about 1e-13. */
  static slope: f64 = 0;
}

/**
 * Sets `AtSide` to log u, u − 1 = Σ w(e^s − 1) and d log u/dx at an output, from n components at `side`. Ensures: log u and u − 1 each lie within
 * their stated errors.
 */
export function sideAt(side: usize, n: usize, x: f64): void {
  if (n === 1 && loadF64(side) === 0) {
    AtSide.log = 0;
    AtSide.error = 0;
    AtSide.excess = 0;
    AtSide.excessError = 0;
    AtSide.slope = 0;
    return;
  }
  const weights = side + (n << 3);
  let greatest: f64 = -Infinity;
  for (let i: usize = 0; i < n << 3; i += 8) {
    const a = loadF64(side + i);
    greatest = Math.max(greatest, a * (x - a / 2));
  }
  if (greatest > LARGE) {
    largeAt(side, n, x, greatest);
    return;
  }
  let excess: f64 = 0;
  let gross: f64 = 0;
  let sum: f64 = 0;
  let slope: f64 = 0;
  let moved: f64 = 0;
  for (let i: usize = 0; i < n << 3; i += 8) {
    const a = loadF64(side + i);
    const w = loadF64(weights + i);
    const s = a * (x - a / 2);
    const rise = w * expm1Of(s);
    // for negative s, 1 + expm1(s) would lose digits of e^s
    const e = s < -0.5 ? w * expOf(s) : w + rise;
    excess += rise;
    gross += Math.abs(rise);
    sum += e;
    slope += e * a;
    moved += e * (Math.abs(a * x) + a * a);
  }
  // where all exponents are very negative the sum underflows
  if (sum < SMALLEST) {
    largeAt(side, n, x, greatest);
    return;
  }
  const isSmall = excess < -0.5;
  const u = isSmall ? sum : 1 + excess;
  const value = isSmall ? logOf(sum) : log1pOf(excess);
  const excessError = U * ((12 + <f64>n) * gross + 5 * moved);
  // the sum of positive terms has a relative error, also where 1 + excess cancels
  const relative = Math.min(excessError / u, U * (12 + <f64>n + (5 * moved) / u));
  AtSide.log = value;
  AtSide.error = relative * 1.01 + 4 * U * Math.abs(value);
  AtSide.excess = excess;
  AtSide.excessError = excessError;
  AtSide.slope = slope / u;
}

/**
 * `sideAt` by log-sum-exp, log u = top + log Σ w e^{s − top}, s = ax − a²/2, `top` the largest s. Errors are bounded by counting roundings, u − 1 is
 * ∞ where it overflows.
 */
function largeAt(side: usize, n: usize, x: f64, top: f64): void {
  const weights = side + (n << 3);
  let sum: f64 = 0;
  let slope: f64 = 0;
  let moved: f64 = 0;
  for (let i: usize = 0; i < n << 3; i += 8) {
    const a = loadF64(side + i);
    const e = loadF64(weights + i) * expOf(a * (x - a / 2) - top);
    sum += e;
    slope += e * a;
    moved += e * (Math.abs(a * x) + a * a);
  }
  const value = top + logOf(sum);
  const error = U * (12 + <f64>n + (5 * moved) / sum + 4 * Math.abs(value) + 4 * Math.abs(top));
  const excess = value < FINITE ? expm1Of(value) : Infinity;
  AtSide.log = value;
  AtSide.error = error;
  AtSide.excess = excess;
  AtSide.excessError = Math.max(SMALLEST, (excess + 1) * (error + 4 * U));
  AtSide.slope = slope / sum;
}

/** Three rows of cos θ, sin θ and 1 − cos θ. θ = shift·a are the angles of n components on the line Im x = a. Each is good to a few roundings. */
export function turnsOf(side: usize, n: usize, a: f64): usize {
  const row = n << 3;
  const turns = take(3 * n);
  for (let i: usize = 0; i < row; i += 8) {
    const turn = loadF64(side + i) * a * INVERSE_PI;
    const half = sinPiOf(turn / 2);
    storeF64(turns + i, cosPiOf(turn));
    storeF64(turns + row + i, sinPiOf(turn));
    storeF64(turns + 2 * row + i, 2 * half * half);
  }
  return turns;
}

/** The results of `turnedAt` at the last output. */
export class OffSide {
  /** log|u| and arg u, u the likelihood ratio, and a bound of the absolute error of each. */
  static log: f64 = 0;
  static angle: f64 = 0;
  static error: f64 = 0;
}

/**
 * Sets `OffSide` to log|u| and arg u at x + ia, u = 1 + Σ w(e^{s+iθ} − 1), from the rows of `turnsOf`. The largest angle θ must be at most 0.45π.
 * Ensures: log|u| and arg u each lie within the error (sampling.md 17).
 */
export function turnedAt(side: usize, n: usize, x: f64, turns: usize): void {
  const row = n << 3;
  let re: f64 = 0;
  let im: f64 = 0;
  let gross: f64 = 0;
  let moved: f64 = 0;
  let greatest: f64 = -Infinity;
  for (let i: usize = 0; i < row; i += 8) {
    const a = loadF64(side + i);
    const w = loadF64(side + row + i);
    const s = a * (x - a / 2);
    greatest = Math.max(greatest, s);
    const rise = expm1Of(Math.min(LARGE, s));
    const e = s < -0.5 ? expOf(s) : 1 + rise;
    const sine = loadF64(turns + row + i);
    const versine = loadF64(turns + 2 * row + i);
    re += w * (rise * loadF64(turns + i) - versine);
    im += w * e * sine;
    gross += w * (Math.abs(rise) + versine + e * sine);
    moved += w * e * (Math.abs(a * x) + a * a + 2 * sine);
  }
  if (!(greatest < LARGE && Math.abs(re) + im < 0.5)) {
    turnedFar(side, n, x, turns, greatest);
    return;
  }
  const log = logModulus1pOf(re, im);
  const angle = atan2Of(im, 1 + re);
  const size = Math.abs(re) + im;
  // |u| ≥ ½
  const off = 3 * U * ((16 + <f64>n) * gross + 6 * moved);
  OffSide.log = log;
  OffSide.angle = angle;
  OffSide.error = off + U * (32 * size + 8 * (Math.abs(log) + angle));
}

/**
 * `turnedAt` by log-sum-exp, relative to the largest exponent `top`. Terms whose angles differ by at most 0.45π have a sum of at least ¾ of that of
 * their moduli, which bounds the relative error.
 */
function turnedFar(side: usize, n: usize, x: f64, turns: usize, top: f64): void {
  const row = n << 3;
  let re: f64 = 0;
  let im: f64 = 0;
  let sum: f64 = 0;
  let moved: f64 = 0;
  for (let i: usize = 0; i < row; i += 8) {
    const a = loadF64(side + i);
    const e = loadF64(side + row + i) * expOf(a * (x - a / 2) - top);
    re += e * loadF64(turns + i);
    im += e * loadF64(turns + row + i);
    sum += e;
    moved += e * (Math.abs(a * x) + a * a + 2 * loadF64(turns + row + i));
  }
  const log = top + 0.5 * logOf(re * re + im * im);
  const angle = atan2Of(im, re);
  OffSide.log = log;
  OffSide.angle = angle;
  OffSide.error = 2 * U * (20 + <f64>n + (6 * moved) / sum) + 8 * U * (Math.abs(log) + Math.abs(top) + angle);
}
