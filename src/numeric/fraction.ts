/** A rational number ≥ 0, `over`/`under`; for the few sums and products that are printed as the decimals they are. */
export interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/** The finite double x ≥ 0, exactly. */
export function fractionOf(x: number): Fraction {
  let under = 1n;
  let whole = x;
  // both are exact: a product with a power of 2, and any whole number as a bigint
  for (; !Number.isInteger(whole); whole *= 2 ** 52) under <<= 52n;
  return { over: BigInt(whole), under };
}

/**
 * The decimal that a finite x ≥ 0 was typed as, if it has at most 15 significant digits, which a double keeps apart; else
 * the double exactly. So 0.1 is 1/10, although its double is above it.
 */
export function typedFraction(x: number): Fraction {
  const [digits, exponent] = x.toExponential(14).split('e') as [string, string];
  // below 1e-290 doubles are no longer closer together than such decimals
  if (x < 1e-290 || Number(`${digits}e${exponent}`) !== x) return fractionOf(x);
  const power = Number(exponent) - 14;
  const over = BigInt(digits.replace('.', ''));
  return power < 0
    ? { over, under: 10n ** BigInt(-power) }
    : { over: over * 10n ** BigInt(power), under: 1n };
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

/** The smallest double ≥ the fraction. */
export function roundedUp(exact: Fraction): number {
  const shift = bits(exact.over) - bits(exact.under) - 64;
  const whole =
    shift < 0 ? (exact.over << BigInt(-shift)) / exact.under : exact.over / (exact.under << BigInt(shift));
  // in two factors, since 2^shift may be below all doubles; the nearest double is at most one below the smallest above
  const half = Math.trunc(shift / 2);
  let found = Number(whole) * 2 ** half * 2 ** (shift - half);
  while (found < Infinity && below(fractionOf(found), exact)) found = next(found);
  return found;
}

function below(a: Fraction, b: Fraction): boolean {
  return a.over * b.under < b.over * a.under;
}

function bits(n: bigint): number {
  return n.toString(2).length;
}

/** The smallest double above x ≥ 0. */
function next(x: number): number {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, x);
  bytes.setBigUint64(0, bytes.getBigUint64(0) + 1n);
  return bytes.getFloat64(0);
}
