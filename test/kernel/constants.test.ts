import { expect, test } from 'vitest';
import { logInverses } from '../../scripts/lib/log-cells.mjs';
import * as constants from '../../src/kernel/constants.js';
import { LOG_INVERSES } from '../../src/kernel/tables.js';

// Oracle: 40 digits by integer arithmetic, no floating point before the last rounding.
const ONE = 10n ** 40n;

/** Σ ± x^(2k+1)/(2k+1) at x = 1/n: arctan (sign −1) or artanh (sign 1). */
function inverseTangent(n: bigint, sign: bigint): bigint {
  let sum = 0n;
  let power = ONE / n;
  for (let k = 1n, alternating = 1n; power !== 0n; k += 2n, alternating *= sign) {
    sum += (alternating * power) / k;
    power /= n * n;
  }
  return sum;
}

function root(x: bigint): bigint {
  const target = x * ONE;
  let y = ONE;
  for (let i = 0; i < 200; i++) y = (y + target / y) / 2n;
  return y;
}

/** log x, x > 0, by halving to 1 … 2 and log x = 2 artanh((x − 1)/(x + 1)). */
function logarithm(x: bigint): bigint {
  let halvings = 0n;
  for (; x >= 2n * ONE; halvings++) x /= 2n;
  const t = ((x - ONE) * ONE) / (x + ONE);
  let sum = 0n;
  let power = t;
  for (let k = 1n; power !== 0n; k += 2n) {
    sum += power / k;
    power = (((power * t) / ONE) * t) / ONE;
  }
  return 2n * sum + halvings * LN2;
}

const PI = 16n * inverseTangent(5n, -1n) - 4n * inverseTangent(239n, -1n);
const LN2 = 2n * inverseTangent(3n, 1n);

/** The nearest double. */
function rounded(x: bigint): number {
  const negative = x < 0n;
  const digits = String(negative ? -x : x).padStart(41, '0');
  return Number(`${negative ? '-' : ''}${digits.slice(0, -40)}.${digits.slice(-40)}`);
}

test('mathematical constants are the nearest doubles', () => {
  const exact = {
    LN2: LN2,
    LN2_600: 600n * LN2,
    SQRT1_2: root(ONE / 2n),
    SQRT2: root(2n * ONE),
    SQRT_2PI: root(2n * PI),
    INVERSE_SQRT_2PI: (ONE * ONE) / root(2n * PI),
    INVERSE_2PI: (ONE * ONE) / (2n * PI),
    TWO_OVER_SQRT_PI: (2n * ONE * ONE) / root(PI),
    LOG_4PI: logarithm(4n * PI),
    SIN_0: PI,
  };
  const literals: Record<string, number> = { ...constants };
  for (const [name, value] of Object.entries(exact)) expect(literals[name], name).toBe(rounded(value));
});

test('constants in two parts hold what the first leaves', () => {
  const parts = [
    [LN2, constants.LN2, constants.LN2_LOW],
    [root(ONE / 2n), constants.SQRT1_2, constants.SQRT1_2_LOW],
    [(2n * ONE * ONE) / root(PI), constants.TWO_OVER_SQRT_PI, constants.TWO_OVER_SQRT_PI_LOW],
    [PI, constants.SIN_0, constants.SIN_0_LOW],
  ] as const;
  for (const [exact, high, low] of parts) {
    const rest = rounded(exact - (BigInt(high * 2 ** 60) * ONE) / 2n ** 60n);
    expect(Math.abs(rest - low)).toBeLessThanOrEqual(2 ** -53 * Math.abs(low));
  }
});

test('powers of two are what their names say', () => {
  for (const [name, value] of Object.entries(constants)) {
    const exponent = /^POW_(M?)(\d+)$/.exec(name);
    if (exponent !== null) expect(value, name).toBe(2 ** ((exponent[1] ? -1 : 1) * Number(exponent[2])));
  }
  expect(constants.U).toBe(2 ** -53);
  expect(constants.TINY).toBe(2 ** -54);
  expect(constants.ERFC_SCALE * constants.ERFC_UNSCALE).toBe(1);
  expect([constants.MU_LAST_STEP, constants.MU_NEAR_LEAST, constants.MU_NEAR_MOST]).toEqual([
    2 ** -20,
    2 ** -20,
    2 ** 20,
  ]);
});

test('1/c of each cell of log is the one that a search over its neighbours finds', () => {
  // a search of its own, once, where the library has the answers written down
  expect(LOG_INVERSES).toBe(logInverses(constants.LOG_ORIGIN, constants.LOG_CELLS, 159));
});
