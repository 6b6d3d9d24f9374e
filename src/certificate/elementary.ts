/**
 * exp, log, sine and related functions for the verifier, with the same bits in every engine of JavaScript; functions of the host differ in the last
 * digit. Errors are below two ulps. Methods and constants: fdlibm.
 *
 * Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
 * Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.
 */

/** log 2 in two parts; integer multiples of the first part are exact. */
const [LN2_HIGH, LN2_LOW] = [6.9314718036912381649e-1, 1.90821492927058770002e-10];

/** For |x| below this, expm1 x and log1p x round to x. */
const LINEAR = 2 ** -54;
/** A number, and its two 32-bit halves. */
const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
/** Index in `words` of the half with sign and exponent. */
const TOP = new Uint8Array(new Float64Array([1]).buffer)[7] === 0x3f ? 1 : 0;

/** The exponent of a normal number: 2^k ≤ |x| < 2^(k + 1). */
function exponentOf(x: number): number {
  number[0] = x;
  return ((words[TOP] >>> 20) & 0x7ff) - 1023;
}

/** 2^k, a normal number. */
function powerOfTwo(k: number): number {
  words[TOP] = (1023 + k) << 20;
  words[1 - TOP] = 0;
  return number[0];
}

/** The largest power of two that is not above a normal number > 0, exactly. */
export function powerOfTwoIn(x: number): number {
  return powerOfTwo(exponentOf(x));
}

/** y·2^k, even where 2^k itself underflows or overflows. */
function scaled(y: number, k: number): number {
  if (k > 1023) return y * 2 * powerOfTwo(1023);
  return k < -1021 ? y * powerOfTwo(k + 1000) * powerOfTwo(-1000) : y * powerOfTwo(k);
}

/** The polynomial with seven coefficients, the constant first, by Horner's rule; missing ones are 0. */
function polynomial(x: number, c: readonly number[]): number {
  return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * (c[5] + x * c[6])))));
}

/** The integer k with |x − k·log 2| ≤ ½ log 2, up to rounding. */
function powersIn(x: number): number {
  const size = Math.abs(x);
  if (size <= 0.5 * Math.LN2) return 0;
  return size < 1.5 * Math.LN2 ? Math.sign(x) : Math.trunc(x * Math.LOG2E + 0.5 * Math.sign(x));
}

/** Minimax coefficients, in r², of (r(e^r + 1)/(e^r − 1) − 2)/r². */
const EXP = [
  1.66666666666666019037e-1, -2.77777777770155933842e-3, 6.61375632143793436117e-5, -1.6533902205465251539e-6,
  4.13813679705723846039e-8, 0, 0,
];

/** e^x, within two ulps, by reduction with log 2 and a minimax quotient. */
export function exp(x: number): number {
  if (!(x > -746)) return Number.isNaN(x) ? x : 0;
  if (x > 709.782712893384) return Infinity;
  const k = powersIn(x);
  const [high, low] = [x - k * LN2_HIGH, k * LN2_LOW];
  const r = high - low;
  const c = r - r * r * polynomial(r * r, EXP);
  return scaled(1 - (low - (r * c) / (2 - c) - high), k);
}

/** Minimax coefficients, in r²/2, of 6/r(½ + 1/r − 1/(e^r − 1)). */
const EXPM1 = [
  1, -3.33333333333331316428e-2, 1.58730158725481460165e-3, -7.93650757867487942473e-5,
  4.00821782732936239552e-6, -2.01099218183624371326e-7, 0,
];

/** e^x − 1, within two ulps, by reduction with log 2 and a minimax quotient. */
export function expm1(x: number): number {
  if (Math.abs(x) < LINEAR) return x;
  if (x < -39) return -1;
  if (x > 709.782712893384) return Infinity;
  const k = powersIn(x);
  const [high, low] = [x - k * LN2_HIGH, k * LN2_LOW];
  const r = high - low;
  const c = high - r - low;
  const half = 0.5 * r;
  const square = r * half;
  const p = polynomial(square, EXPM1);
  const t = 3 - p * half;
  let e = square * ((p - t) / (6 - r * t));
  if (k === 0) return r - (r * e - square);
  e = r * (e - c) - c - square;
  if (k === -1) return 0.5 * (r - e) - 0.5;
  if (k === 1) return r < -0.25 ? -2 * (e - (r + 0.5)) : 1 + 2 * (r - e);
  if (k < 0 || k > 56) return scaled(1 - (e - r), k) - 1;
  return k < 20
    ? (1 - powerOfTwo(-k) - (e - r)) * powerOfTwo(k)
    : (r - (e + powerOfTwo(-k)) + 1) * powerOfTwo(k);
}

/** Minimax coefficients, in s², of (log((1 + s)/(1 − s)) − 2s)/s³. */
const LOG = [
  6.66666666666673513e-1, 3.9999999999409419e-1, 2.85714287436623915e-1, 2.2222198432149784e-1,
  1.81835721616180501e-1, 1.53138376992093733e-1, 1.47981986051165859e-1,
];

/** log(1 + f) for about √½ ≤ 1 + f < √2, with s = f/(2 + f). */
function nearOne(f: number): number {
  const square = 0.5 * f * f;
  const s = f / (2 + f);
  return f - (square - s * (square + s * s * polynomial(s * s, LOG)));
}

/** log(u + lost) of a normal number u, where `lost` is the rounding error of u. */
function logarithm(u: number, lost: number): number {
  let k = exponentOf(u);
  // u/2^k
  words[TOP] = (words[TOP] & 0xfffff) | 0x3ff00000;
  let f = number[0] - 1;
  if (f >= 0.4142135623730951) {
    k++;
    f = 0.5 * (f - 1);
  }
  if (k === 0) return nearOne(f) + lost;
  const square = 0.5 * f * f;
  const s = f / (2 + f);
  const tail = s * (square + s * s * polynomial(s * s, LOG));
  return k * LN2_HIGH - (square - (tail + (k * LN2_LOW + lost)) - f);
}

/** log x, within two ulps, by fdlibm's reduction to 1 + f near 1. log 0 = −∞, and NaN for x < 0. */
export function log(x: number): number {
  if (!(x > 0) || x === Infinity) return x === 0 ? -Infinity : x > 0 ? x : Number.NaN;
  if (x < 2 ** -1000) return log(x * 2 ** 500) - 500 * Math.LN2;
  return logarithm(x, 0);
}

/** log(1 + x), within two ulps, from 1 + x and its rounding error. */
export function log1p(x: number): number {
  if (!(x > -1) || x === Infinity) return x === -1 ? -Infinity : x > 0 ? x : Number.NaN;
  if (Math.abs(x) < LINEAR) return x;
  if (x > -0.2929 && x < 0.4142) return nearOne(x);
  const u = 1 + x;
  return logarithm(u, (x >= 1 ? 1 - (u - x) : x - (u - 1)) / u);
}

/** sin(x + tail), |x| ≤ π/4, by minimax polynomials in x². */
function sineNear(x: number, tail: number): number {
  const z = x * x;
  const r =
    8.33333333332248946124e-3 +
    z *
      (-1.98412698298579493134e-4 +
        z * (2.75573137070700676789e-6 + z * (-2.50507602534068634195e-8 + z * 1.58969099521155010221e-10)));
  return x - (z * (0.5 * tail - z * x * r) - tail - z * x * -1.66666666666666324348e-1);
}

/** cos(x + tail), |x| ≤ π/4, by minimax polynomials in x². */
function cosineNear(x: number, tail: number): number {
  const z = x * x;
  const half = 0.5 * z;
  const whole = 1 - half;
  const r =
    4.16666666666666019037e-2 +
    z *
      (-1.38888888888741095749e-3 +
        z *
          (2.48015872894767294178e-5 +
            z *
              (-2.75573143513906633035e-7 +
                z * (2.0875723212981748279e-9 + z * -1.13596475577881948265e-11))));
  return whole + (1 - whole - half + (z * z * r - x * tail));
}

/** π/2 in parts of 33 bits, each followed by what remains of π/2. */
const QUARTERS = [
  1.57079632673412561417, 6.07710050650619224932e-11, 6.0771005063039659766e-11, 2.02226624879595063154e-21,
  2.0222662487111664558e-21, 8.47842766036889956997e-32,
];

/** Binary digits of π/2, and of the remainders of large numbers. */
const BITS = 1200n;
const KEPT = 200n;
let quarter = 0n;

/** π/2 by Machin's formula, to BITS binary digits. */
function quarterTurn(): bigint {
  const arctangent = (k: bigint) => {
    let [sum, power, sign] = [0n, (1n << BITS) / k, 1n];
    for (let n = 1n; power !== 0n; n += 2n) {
      sum += (sign * power) / n;
      power /= k * k;
      sign = -sign;
    }
    return sum;
  };
  return 2n * (4n * arctangent(5n) - arctangent(239n));
}

/** Remainder of the last reduction, in two parts. */
let [rest, tail] = [0, 0];

/** Index modulo 4 of the multiple of π/2 nearest to x; `rest` and `tail` become x minus that multiple. */
function reduce(x: number): number {
  const size = Math.abs(x);
  rest = x;
  tail = 0;
  if (size <= Math.PI / 4) return 0;
  if (!(size < 2 ** 19)) return reduceLarge(x);
  const n = Math.round(x / (Math.PI / 2));
  let left = x - n * QUARTERS[0];
  let lost = n * QUARTERS[1];
  rest = left - lost;
  // if too many digits cancelled, a further part of π/2 is subtracted
  for (let i = 2; i < 6 && !(Math.abs(rest) > (i === 2 ? 2 ** -16 : 2 ** -49) * size); i += 2) {
    const before = left;
    left = before - n * QUARTERS[i];
    lost = n * QUARTERS[i + 1] - (before - left - n * QUARTERS[i]);
    rest = left - lost;
  }
  tail = left - rest - lost;
  return n & 3;
}

/** `reduce` for large x, by whole numbers: x modulo π/2 to 1200 binary digits. */
function reduceLarge(x: number): number {
  rest = Number.NaN;
  if (!Number.isFinite(x)) return 0;
  if (quarter === 0n) quarter = quarterTurn();
  const places = BigInt(52 - exponentOf(x));
  const digits = BigInt(x * 2 ** Number(places)) << (BITS - places);
  const n = (2n * digits + (x > 0 ? quarter : -quarter)) / (2n * quarter);
  const kept = (digits - n * quarter) >> (BITS - KEPT);
  const high = Number(kept);
  rest = high / 2 ** Number(KEPT);
  tail = Number(kept - BigInt(high)) / 2 ** Number(KEPT);
  return Number(((n % 4n) + 4n) % 4n);
}

/** sin x, within two ulps, by reduction modulo π/2. */
export function sin(x: number): number {
  sinCos(x, PAIR);
  return PAIR[0];
}

/** cos x, within two ulps, by reduction modulo π/2. */
export function cos(x: number): number {
  sinCos(x, PAIR);
  return PAIR[1];
}

/** Sine and cosine, for `sin` and `cos`. */
const PAIR = new Float64Array(2);

/** sin x and cos x, each within two ulps, to the first and second place of an array. */
export function sinCos(x: number, into: Float64Array): void {
  const n = reduce(x);
  const sine = sineNear(rest, tail);
  const cosine = cosineNear(rest, tail);
  const odd = (n & 1) === 1;
  const first = odd ? cosine : sine;
  const second = odd ? sine : cosine;
  into[0] = n > 1 ? -first : first;
  into[1] = n === 1 || n === 2 ? -second : second;
}

/** Minimax coefficients, in x², of (x − atan x)/x³. */
const ATAN = [
  3.33333333333329318027e-1, -1.99999999998764832476e-1, 1.42857142725034663711e-1, -1.1111110405462355788e-1,
  9.09088713343650656196e-2, -7.69187620504482999495e-2, 6.66107313738753120669e-2,
  -5.83357013379057348645e-2, 4.97687799461593236017e-2, -3.6531572744216915527e-2, 1.62858201153657823623e-2,
];
/** atan of ½, 1, 3/2 and ∞, each in two parts. */
const [HALF, ONE, THREE_HALVES, QUARTER] = [
  [4.63647609000806093515e-1, 2.26987774529616870924e-17],
  [7.85398163397448278999e-1, 3.06161699786838301793e-17],
  [9.82793723247329054082e-1, 1.39033110312309984516e-17],
  [1.570796326794896558, 6.12323399573676603587e-17],
];

/** arctan x, x ≥ 0, within two ulps, by reduction to atan of ½, 1, 3/2 or ∞. */
function arctangentOf(x: number): number {
  const series = (t: number) => {
    const z = t * t;
    let sum = 0;
    for (let i = ATAN.length - 1; i >= 0; i--) sum = ATAN[i] + z * sum;
    return z * sum * t;
  };
  if (x < 7 / 16) return x - series(x);
  const [[high, low], t] =
    x < 11 / 16
      ? [HALF, (2 * x - 1) / (2 + x)]
      : x < 19 / 16
        ? [ONE, (x - 1) / (x + 1)]
        : x < 39 / 16
          ? [THREE_HALVES, (x - 1.5) / (1 + 1.5 * x)]
          : [QUARTER, -1 / x];
  return high - (series(t) - low - t);
}

/** The angle of x + iy in (−π, π], within a few ulps: arctan of |y/x|, reflected by the signs. */
export function atan2(y: number, x: number): number {
  // both are zeros: the sign of x chooses between 0 and π, rounded to a double; the result has the sign of y
  if (x === 0 && y === 0) return Object.is(x, -0) ? (Object.is(y, -0) ? -Math.PI : Math.PI) : y;
  const [side, height] = [Math.abs(x), Math.abs(y)];
  const angle = arctangentOf(height / side);
  const turned = x < 0 ? Math.PI - (angle - 1.22464679914735317723e-16) : angle;
  return y < 0 ? -turned : turned;
}

/** √(x² + y²), within a few ulps. It is scaled by a power of two, so that squares do not overflow. */
export function hypot(x: number, y: number): number {
  const size = Math.max(Math.abs(x), Math.abs(y));
  if (size === 0 || size === Infinity) return size;
  const scale = powerOfTwoIn(size);
  return Math.sqrt((x / scale) ** 2 + (y / scale) ** 2) * scale;
}
