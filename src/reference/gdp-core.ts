/**
 * One evaluation of the Gaussian privacy profile, ε ≥ 0, in the parts its functions are made of. With the
 * Mills ratio R, t = ε/μ − μ/2 and b = t + μ:
 *
 *   t ≥ −½:  δ     = φ(t)·[R(t) − R(b)]      (divided difference of R where μ ≤ ¾(t + 1))
 *   t < −½:  1 − δ = φ(t)·[R(−t) + R(b)]
 *
 * t and t² are carried in double-double; no factor cancels or overflows. `assembly/gdp.ts` performs the
 * same IEEE operations on two lanes.
 */

import { expHiLo, log } from '../../assembly/elementary.js';
import {
  INVERSE_SQRT_2PI,
  LN2_600,
  POW_300,
  POW_400,
  POW_500,
  POW_600,
  POW_900,
  POW_M300,
  POW_M400,
  POW_M800,
  POW_M900,
  POW_M1000,
  SPLITTER,
} from '../kernel/constants.js';
import { dividedOfY, ratioOfY } from './mills.js';

// The state of one evaluation: t = T + T_LOW, B = t + μ, the density's exponent −t²/2 = HI + LO, and
// the weight W: δ = φ(t)·W if W ≥ 0, 1 − δ = −φ(t)·W if W < 0.
export const state = /* @__PURE__ */ new Float64Array(6);
/** Places in `state`. */
export const T = 0;
const T_LOW = 1;
export const B = 2;
export const HI = 3;
export const LO = 4;
export const W = 5;

/** t in double-double from the exact ε − μ²/2 and one division. */
function locateScaled(mu: number, epsilon: number): void {
  const mc = SPLITTER * mu;
  const mh = mc - (mc - mu);
  const ml = mu - mh;
  const p = mu * (0.5 * mu);
  const pl = 0.5 * (ml * ml) - (p - 0.5 * (mh * mh) - mh * ml);
  const head = epsilon - p;
  const v = head - epsilon;
  const tail = epsilon - (head - v) - (p + v) - pl;
  const s = head + tail;
  const e = tail - (s - head);
  const inverse = 1 / mu;
  const q = s * inverse;
  const qc = SPLITTER * q;
  const qh = qc - (qc - q);
  const ql = q - qh;
  const qm = q * mu;
  const rest = qh * mh - qm + qh * ml + ql * mh + ql * ml;
  const low = (s - qm - rest + e) * inverse;
  const t = q + low;
  state[T] = t;
  state[T_LOW] = low - (t - q);
  state[B] = t + mu + state[T_LOW];
}

/** The same for any μ and ε ≥ 0, by scaling with powers of two and the limits μ, ε ∈ {0, ∞}. */
function locate(mu: number, epsilon: number): void {
  state[T_LOW] = 0;
  if (mu >= POW_M300 && mu <= POW_300 && epsilon <= POW_600) {
    locateScaled(mu, epsilon);
  } else if (!(mu >= 0) || Number.isNaN(epsilon)) {
    state[T] = NaN;
    state[B] = NaN;
  } else if (mu > POW_900) {
    state[T] = mu === Infinity || epsilon < Infinity ? -0.5 * mu : Infinity;
    state[B] = mu === Infinity || epsilon < Infinity ? 0.5 * mu : Infinity;
  } else if (mu === 0 || epsilon === Infinity) {
    state[T] = Infinity;
    state[B] = Infinity;
  } else if (mu < POW_M300) {
    // t = ε/μ to within 2⁻³⁰¹.
    const m = mu * POW_600;
    const q = (epsilon * POW_600) / m;
    state[T] = q;
    if (q < POW_300) state[T_LOW] = remainder(epsilon * POW_600, q, m) / m;
    state[B] = q + mu;
  } else {
    locateScaled(mu * POW_M400, epsilon * POW_M800);
    state[T] *= POW_400;
    state[T_LOW] = state[T] < Infinity ? state[T_LOW] * POW_400 : 0;
    state[B] *= POW_400;
  }
}

/** x − q·m, exact when q is the rounded quotient. */
function remainder(x: number, q: number, m: number): number {
  const qc = SPLITTER * q;
  const qh = qc - (qc - q);
  const ql = q - qh;
  const mc = SPLITTER * m;
  const mh = mc - (mc - m);
  const ml = m - mh;
  const p = q * m;
  return x - p - (qh * mh - p + qh * ml + ql * mh + ql * ml);
}

/** −x²/2 into HI + LO for x = t + low. */
export function halfSquare(t: number, low: number): void {
  const c = SPLITTER * t;
  const h = c - (c - t);
  const l = t - h;
  const square = 0.5 * t * t;
  const error = 0.5 * h * h - square + h * l + 0.5 * l * l + t * low;
  state[HI] = -square;
  state[LO] = square < Infinity ? -error : 0;
}

/** (R(a) − R(b))/(b − a) for −½ ≤ a ≤ b ≤ a + ¾(a + 1). */
export function slope(a: number, b: number): number {
  const fa = Math.min(a, POW_500) + 2;
  const fb = Math.min(b, POW_500) + 2;
  const z = 1 / (fa * fb);
  return z * dividedOfY(fb * z, fa * z);
}

/** R(x) for x ≥ −½. */
export function ratio(x: number): number {
  return ratioOfY(1 / (Math.min(x, POW_500) + 2));
}

/** R(a) − R(b) for −½ ≤ a ≤ b, width = b − a: by the divided difference unless R(b) is well below R(a). */
export function difference(a: number, b: number, width: number): number {
  return width <= 0.75 * (a + 1) ? width * slope(a, b) : ratio(a) - ratio(b);
}

export function evaluate(mu: number, epsilon: number): void {
  locate(mu, epsilon);
  const t = state[T];
  halfSquare(t, state[T_LOW]);
  state[W] = t < -0.5 ? -(ratio(-t) + ratio(state[B])) : difference(t, state[B], mu);
}

/** φ(t)·|W|. */
export function mass(): number {
  if (state[HI] < -760) return 0;
  const w = state[W] < 0 ? -state[W] : state[W];
  return w * INVERSE_SQRT_2PI * expHiLo(state[HI], state[LO]);
}

/** log(φ(t)·|W|). */
export function logMass(mu: number): number {
  let w = state[W] < 0 ? -state[W] : state[W];
  let shift = 0;
  if (w < POW_M900) {
    // W is μ times a slope: scaled where μ is tiny; where the slope is (t > 2³⁰⁰), t²/2 swamps the logarithm.
    if (mu < POW_M300) {
      w = mu * POW_600 * slope(state[T], state[B]);
      shift = LN2_600;
    }
    if (w < POW_M1000) w = POW_M1000;
  }
  return state[HI] + (log(w * INVERSE_SQRT_2PI) + state[LO]) - shift;
}
