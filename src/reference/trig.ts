/** sin(πx) and cos(πx), scalar; `assembly/trig.ts` performs the same operations on two lanes. */
import {
  COS_1,
  COS_2,
  COS_3,
  COS_4,
  COS_5,
  COS_6,
  COS_7,
  COS_8,
  ROUND,
  SIN_0,
  SIN_0_LOW,
  SIN_1,
  SIN_2,
  SIN_3,
  SIN_4,
  SIN_5,
  SIN_6,
  SIN_7,
  TWO_52,
} from '../kernel/constants.js';

/** 2⁵³: from here on every double is an even integer. */
const EVEN_FROM = 2 * TWO_52;

/**
 * sin(πx), every double: |x| is reduced exactly to [−1, 1] and then to [−1/4, 1/4] before the Taylor
 * polynomial. sinPi(±n) = ±0 (the sign of x), sinPi(±∞) = NaN.
 */
export function sinPi(x: number): number {
  const a = Math.abs(x);
  if (!(a < EVEN_FROM)) return a === Infinity || Number.isNaN(a) ? NaN : 0 * x;
  const y = a - 2 * (a * 0.5 + TWO_52 - TWO_52);
  const n = 2 * y + ROUND - ROUND; // −2 … 2
  const r = y - 0.5 * n;
  const odd = n === 1 || n === -1;
  const value = odd ? cosPolynomial(r) : sinPolynomial(r);
  const signed = n === 2 || n === -2 || n === -1 ? -value : value;
  const positiveZero = signed + 0;
  return x < 0 || Object.is(x, -0) ? -positiveZero : positiveZero;
}

/** cos(πx), every double, by the same reduction. cosPi(n + ½) = +0, cosPi(±∞) = NaN. */
export function cosPi(x: number): number {
  const a = Math.abs(x);
  if (!(a < EVEN_FROM)) return a === Infinity || Number.isNaN(a) ? NaN : 1;
  const y = a - 2 * (a * 0.5 + TWO_52 - TWO_52);
  const n = 2 * y + ROUND - ROUND;
  const r = y - 0.5 * n;
  const odd = n === 1 || n === -1;
  const value = odd ? sinPolynomial(r) : cosPolynomial(r);
  return (n === 2 || n === -2 || n === 1 ? -value : value) + 0;
}

/** sin(πr), |r| ≤ 1/4. */
function sinPolynomial(r: number): number {
  const z = r * r;
  const tail = z * (SIN_1 + z * (SIN_2 + z * (SIN_3 + z * (SIN_4 + z * (SIN_5 + z * (SIN_6 + z * SIN_7))))));
  return r * (SIN_0 + (SIN_0_LOW + tail));
}

/** cos(πr), |r| ≤ 1/4. */
function cosPolynomial(r: number): number {
  const z = r * r;
  return (
    1 +
    z *
      (COS_1 + z * (COS_2 + z * (COS_3 + z * (COS_4 + z * (COS_5 + z * (COS_6 + z * (COS_7 + z * COS_8)))))))
  );
}
