/** Unevaluated sums hi + lo of two float64 (about 106 bits), for oracles. T. J. Dekker 1971; Knuth's TwoSum. */
export type Dd = readonly [hi: number, lo: number];

export function ddAdd(a: Dd, b: Dd): Dd {
  const s = a[0] + b[0];
  const t = s - a[0];
  const e = a[0] - (s - t) + (b[0] - t) + (a[1] + b[1]);
  const hi = s + e;
  return [hi, e - (hi - s)];
}

export function ddMul(a: Dd, b: Dd): Dd {
  const p = a[0] * b[0];
  const e = productError(a[0], b[0], p) + (a[0] * b[1] + a[1] * b[0]);
  const hi = p + e;
  return [hi, e - (hi - p)];
}

/** a·b − p for p = fl(a·b), by splitting each factor in halves. */
function productError(a: number, b: number, p: number): number {
  const ta = 134217729 * a;
  const ah = ta - (ta - a);
  const al = a - ah;
  const tb = 134217729 * b;
  const bh = tb - (tb - b);
  const bl = b - bh;
  return ah * bh - p + ah * bl + al * bh + al * bl;
}

/** Fixed-point numbers with 240 fractional bits. */
const BITS = 240n;
const ONE = 1n << BITS;

function fixedToDd(x: bigint): Dd {
  const hi = fixedToNumber(x);
  return [hi, fixedToNumber(x - numberToFixed(hi))];
}

function fixedToNumber(x: bigint): number {
  // Number() rounds a bigint to nearest.
  return Number(x) * 2 ** -240;
}

function numberToFixed(x: number): bigint {
  return BigInt(x * 2 ** 240);
}

/** arctan(1/k) in fixed point (Gregory's series). */
function arctanInverse(k: bigint): bigint {
  let power = ONE / k;
  let sum = power;
  for (let i = 3n, sign = -1n; power !== 0n; i += 2n, sign = -sign) {
    power /= k * k;
    sum += (sign * power) / i;
  }
  return sum;
}

/** (cos, sin) of 2πk/n by Machin's π and the Taylor series, in fixed point. */
export function rootOfUnity(k: number, n: number): readonly [Dd, Dd] {
  const pi = 4n * (4n * arctanInverse(5n) - arctanInverse(239n));
  const x = (2n * pi * BigInt(k)) / BigInt(n);
  let term = ONE;
  let cos = 0n;
  let sin = 0n;
  for (let i = 1n; term !== 0n; i++) {
    if (i % 2n === 1n) cos += i % 4n === 1n ? term : -term;
    else sin += i % 4n === 2n ? term : -term;
    term = ((term * x) >> BITS) / i;
  }
  return [fixedToDd(cos), fixedToDd(sin)];
}

/** Cyclic convolution by the definition. */
export function cyclicConvolve(a: readonly Dd[], b: readonly Dd[]): Dd[] {
  const n = a.length;
  return a.map((_, k) => {
    let sum: Dd = [0, 0];
    for (let i = 0; i < n; i++) sum = ddAdd(sum, ddMul(a[i], b[(k - i + n) % n]));
    return sum;
  });
}

/** count-fold cyclic convolution of a with itself, count ≥ 1. */
export function cyclicPower(a: readonly Dd[], count: number): Dd[] {
  let base = [...a];
  let result: Dd[] | undefined;
  for (let t = count; t > 0; t = Math.floor(t / 2)) {
    if (t % 2 === 1) result = result === undefined ? base : cyclicConvolve(result, base);
    if (t > 1) base = cyclicConvolve(base, base);
  }
  if (result === undefined) throw new RangeError('count must be at least 1');
  return result;
}
