import { type Bracket, bracket } from './bracket.js';

/**
 * Exact arithmetic of sums: digits·10^−scale with digits of any length. Every double is such a number (2^−e = 5^e·10^−e),
 * and so is every decimal a person writes; sums and products of them are exact.
 */
export interface ExactDecimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** 0. */
export const ZERO: ExactDecimal = { digits: 0n, scale: 0 };

/** Largest number of digits, and largest exponent, of an input; squares of the smallest double need fewer. */
const LONGEST = 2400;
/** Largest number of digits, and largest exponent, of a result: enough for squares of inputs, times an order and a count. */
export const LONGEST_SUM = 20_000;
/** Sign, mantissa and exponent of a decimal. */
const PATTERN = /^([+-]?)(\d+\.?\d*|\.\d+)(?:e([+-]?\d{1,5}))?$/i;

/** A finite double or a decimal, exactly; undefined if it is neither, or longer than `longest`. */
export function exactDecimal(x: number | string, longest: number = LONGEST): ExactDecimal | undefined {
  if (typeof x === 'number') return Number.isFinite(x) ? fromDouble(x) : undefined;
  if (x.length > longest) return undefined;
  const match = PATTERN.exec(x);
  if (match === null) return undefined;
  const [, sign, mantissa, power = '0'] = match;
  if (Math.abs(Number(power)) > longest) return undefined;
  const [whole, fraction = ''] = mantissa.split('.');
  const digits = BigInt(whole + fraction);
  return normal(sign === '-' ? -digits : digits, fraction.length - Number(power));
}

/** A finite double exactly, from its bits: mantissa·2^exponent, where 2^−e = 5^e·10^−e. */
function fromDouble(x: number): ExactDecimal {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const field = Number((bits >> 52n) & 0x7ffn);
  let mantissa = (bits & 0xfffffffffffffn) | (field === 0 ? 0n : 1n << 52n);
  let exponent = Math.max(field, 1) - 1075;
  for (; exponent < 0 && mantissa !== 0n && (mantissa & 1n) === 0n; exponent++) mantissa >>= 1n;
  if (x < 0) mantissa = -mantissa;
  if (exponent >= 0) return normal(mantissa << BigInt(exponent), 0);
  return normal(mantissa * 5n ** BigInt(-exponent), -exponent);
}

/** Without trailing zeros, so that equal numbers have equal data. */
function normal(digits: bigint, scale: number): ExactDecimal {
  if (digits === 0n) return ZERO;
  let [kept, at] = [digits, scale];
  for (const step of [256, 16, 1]) {
    const power = 10n ** BigInt(step);
    for (; kept % power === 0n; at -= step) kept /= power;
  }
  return { digits: kept, scale: at };
}

export function plus(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  const scale = Math.max(a.scale, b.scale);
  return normal(raised(a, scale) + raised(b, scale), scale);
}

export function minus(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  return plus(a, { digits: -b.digits, scale: b.scale });
}

export function times(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  return normal(a.digits * b.digits, a.scale + b.scale);
}

/** −1, 0 or 1, as a is less than, equal to or greater than b. */
export function compareExact(a: ExactDecimal, b: ExactDecimal): -1 | 0 | 1 {
  const scale = Math.max(a.scale, b.scale);
  const [x, y] = [raised(a, scale), raised(b, scale)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The digits of the number at a larger scale. */
function raised({ digits, scale }: ExactDecimal, to: number): bigint {
  return digits * 10n ** BigInt(to - scale);
}

/** The number as a decimal that `exactDecimal` reads. */
export function exactText({ digits, scale }: ExactDecimal): string {
  if (scale <= 0 && scale > -30) return String(digits * 10n ** BigInt(-scale));
  const negative = digits < 0n;
  const text = String(negative ? -digits : digits);
  const sign = negative ? '-' : '';
  const zeros = scale - text.length;
  if (scale < 0 || zeros > 30) return `${sign}${text}e${-scale}`;
  const padded = text.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** The largest double ≤ the number ('down'), or the smallest double ≥ it ('up'). Ensures: it is on that side. */
export function doubleOf({ digits, scale }: ExactDecimal, side: 'down' | 'up'): number {
  const away = digits < 0n;
  const { lower, upper } = doublesAround(fractionOfDecimal({ digits: away ? -digits : digits, scale }));
  if (away) return side === 'up' ? -lower : -upper;
  return side === 'up' ? upper : lower;
}

/** The next double above (1) or below (−1) a finite one. */
export function neighbour(x: number, side: 1 | -1): number {
  if (x === 0) return side * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + (x > 0 === side > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

/** A rational number over/under ≥ 0, for values that are no decimals, such as a third. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/** The finite double x ≥ 0 as a fraction, exactly. */
export function fractionOf(x: number): Fraction {
  let under = 1n;
  let whole = x;
  // exact: a product with a power of 2, and the conversion of an integer to a bigint
  for (; !Number.isInteger(whole); whole *= 2 ** 52) under <<= 52n;
  return { over: BigInt(whole), under };
}

/**
 * The decimal of at most 15 significant digits whose nearest double is x, finite and ≥ 0; if there is none, the double exactly. So 0.1 is 1/10, although
 * the double is above that.
 */
export function typedFraction(x: number): Fraction {
  const text = x.toExponential(14);
  // below about 1e-290 several decimals of 15 digits may have the same double
  if (x < 1e-290 || Number(text) !== x) return fractionOf(x);
  return fractionOfDecimal(exactDecimal(text)!);
}

/** A decimal ≥ 0 as a fraction, exactly. */
function fractionOfDecimal({ digits, scale }: ExactDecimal): Fraction {
  return { over: digits * 10n ** BigInt(Math.max(0, -scale)), under: 10n ** BigInt(Math.max(0, scale)) };
}

export function sum(a: Fraction, b: Fraction): Fraction {
  if (a.under % b.under === 0n) return { over: a.over + b.over * (a.under / b.under), under: a.under };
  if (b.under % a.under === 0n) return sum(b, a);
  return { over: a.over * b.under + b.over * a.under, under: a.under * b.under };
}

export function product(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.over, under: a.under * b.under };
}

export function quotient(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.under, under: a.under * b.over };
}

/**
 * The largest double ≤ the fraction and the smallest double ≥ it; both are the fraction if it is a double.
 *
 * Ensures: holds the fraction.
 */
export function doublesAround(value: Fraction): Bracket {
  const upper = roundedUp(value);
  const exact = upper < Infinity && compareFractions(fractionOf(upper), value) === 0;
  return bracket(exact ? upper : neighbour(upper, -1), upper);
}

/**
 * The largest double ≤ the fraction's square root and the smallest double ≥ it.
 *
 * Ensures: holds the square root.
 */
export function rootsAround(value: Fraction): Bracket {
  const against = (x: number): number => compareFractions(product(fractionOf(x), fractionOf(x)), value);
  let lower = Math.sqrt(roundedUp(value));
  for (; against(lower) > 0; ) lower = neighbour(lower, -1);
  for (let next = neighbour(lower, 1); against(next) <= 0; next = neighbour(next, 1)) lower = next;
  return bracket(lower, against(lower) === 0 ? lower : neighbour(lower, 1));
}

/** −1, 0 or 1, as a is less than, equal to or greater than b. */
function compareFractions(a: Fraction, b: Fraction): -1 | 0 | 1 {
  const [x, y] = [a.over * b.under, b.over * a.under];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The smallest double ≥ the fraction. Ensures: it is no smaller. */
export function roundedUp({ over, under }: Fraction): number {
  const shift = 4 * (over.toString(16).length - under.toString(16).length) - 64;
  const whole = shift < 0 ? (over << BigInt(-shift)) / under : over / (under << BigInt(shift));
  // in two factors, as 2^shift may underflow; the nearest double is at most one below the smallest above
  const half = Math.trunc(shift / 2);
  let x = Number(whole) * 2 ** half * 2 ** (shift - half);
  for (; x < Infinity; x = neighbour(x, 1)) {
    if (compareFractions(fractionOf(x), { over, under }) >= 0) break;
  }
  return x;
}

/** The largest double whose square is at most a value ≥ 0. Ensures: it is no larger than the square root. */
export function rootDown(value: ExactDecimal): number {
  const fits = (x: number) => compareExact(times(fromDouble(x), fromDouble(x)), value) <= 0;
  if (value.digits <= 0n) return 0;
  const half = Math.floor((String(value.digits).length - value.scale) / 2);
  const near = doubleOf({ digits: value.digits, scale: value.scale + 2 * half }, 'down');
  let x = Number(`${Math.sqrt(near)}e${half}`);
  for (; !(x < Infinity) || (x > 0 && !fits(x)); ) x = x < Infinity ? neighbour(x, -1) : Number.MAX_VALUE;
  for (let next = neighbour(x, 1); next < Infinity && fits(next); next = neighbour(x, 1)) x = next;
  return x;
}
