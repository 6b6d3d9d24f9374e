import { SPLITTER } from './constants.js';

/** The number hi + lo, |lo| ≤ ulp(hi)/2: about 106 bits (double-double arithmetic). */
export interface Dd {
  readonly hi: number;
  readonly lo: number;
}

/** a + b exactly, as its rounding hi and the rounding error lo (Knuth). */
function twoSum(a: number, b: number): Dd {
  const hi = a + b;
  const t = hi - a;
  return { hi, lo: a - (hi - t) + (b - t) };
}

/** a·b exactly, as its rounding hi and the rounding error lo (Dekker), short of over- and underflow. */
export function twoProduct(a: number, b: number): Dd {
  const hi = a * b;
  const ta = SPLITTER * a;
  const ah = ta - (ta - a);
  const al = a - ah;
  const tb = SPLITTER * b;
  const bh = tb - (tb - b);
  const bl = b - bh;
  return { hi, lo: ah * bh - hi + ah * bl + al * bh + al * bl };
}

export function add(a: Dd, b: Dd): Dd {
  const s = twoSum(a.hi, b.hi);
  return twoSum(s.hi, s.lo + (a.lo + b.lo));
}

export function scale(a: Dd, factor: number): Dd {
  const p = twoProduct(a.hi, factor);
  return twoSum(p.hi, p.lo + a.lo * factor);
}

export function multiply(a: Dd, b: Dd): Dd {
  const p = twoProduct(a.hi, b.hi);
  return twoSum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/** a/b by one step of long division. The relative error is a few 2⁻¹⁰⁴. */
export function divide(a: Dd, b: Dd): Dd {
  const q = a.hi / b.hi;
  const p = twoProduct(q, b.hi);
  const rest = a.hi - p.hi - p.lo + a.lo - q * b.lo;
  return twoSum(q, rest / b.hi);
}

export function divideBy(a: Dd, b: number): Dd {
  return divide(a, { hi: b, lo: 0 });
}
