import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { atan2, cosPi, exp, log, logModulus1p, sinPi } from '../../../numeric/scalar.js';

/**
 * A smooth window on outputs, W(x) = Φ((x − from)/width) − Φ((x − to)/width): the indicator of [from, to] convolved with
 * N(0, width²). It is entire; as an integral of the normal density over [x − to, x − from],
 * |W(x + iy)| ≤ e^{y²/2width²} W(x). Windows that share their ends add up to 1.
 */
export interface OutputWindow {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  /** Outputs beyond it are none of the window's, however little it passes there: so far out u^c of a steep tilt would pass more than the window stops. */
  readonly end?: number;
}

export const EVERYTHING: OutputWindow = { from: -Infinity, to: Infinity, width: Infinity };

/** log|v| and arg v of a complex number, and the absolute error of v. */
interface Polar {
  readonly log: number;
  readonly angle: number;
  readonly error: number;
}

const NOTHING: Polar = { log: -Infinity, angle: 0, error: 0 };

/** W(x + ia). */
export function windowAt({ from, to, width }: OutputWindow, x: number, a: number): Polar {
  const tail = (edge: number, side: 1 | -1): Polar =>
    Math.abs(edge) === Infinity ? NOTHING : normalTail((side * (x - edge)) / width, (side * a) / width);
  if (from === -Infinity && to === Infinity) return { log: 0, angle: 0, error: 0 };
  if (to === Infinity || from === -Infinity) return to === Infinity ? tail(from, -1) : tail(to, 1);
  return 2 * x < from + to
    ? difference(tail(from, -1), tail(to, -1))
    : difference(tail(to, 1), tail(from, 1));
}

/**
 * An upper bound of log|W(x + ia)|: from the real axis upwards W changes at each edge by ∫_0^a of the normal density at distance
 * d + iv, so |W(x + ia)| ≤ W(x) + Σ (a/w√2π) e^{(a² − d²)/2w²}.
 */
export function windowBound(window: OutputWindow, x: number, a: number): number {
  const { log: height, error } = windowAt(window, x, 0);
  const { from, to, width } = window;
  let logs = logSum(height, log(error));
  for (const edge of [from, to]) {
    if (Math.abs(edge) === Infinity) continue;
    const d = (x - edge) / width;
    logs = logSum(logs, log(a / width) - 0.9 + ((a / width) ** 2 - d * d) / 2);
  }
  return logs + 1e-13 * (1 + Math.abs(logs));
}

/** v − w. */
function difference(v: Polar, w: Polar): Polar {
  if (w.log === -Infinity) return v;
  const size = exp(w.log - v.log);
  const turn = (w.angle - v.angle) * INVERSE_PI;
  const re = -size * cosPi(turn);
  const im = -size * sinPi(turn);
  const error = v.error + w.error + 8 * U * (exp(v.log) + exp(w.log));
  return { log: v.log + logModulus1p(re, im), angle: v.angle + atan2(im, 1 + re), error };
}

/** Step h of the rule below, and the reach π/h of the poles. */
const STEP = 0.5;
const REACH = 6.283185307179586;
const TERMS = 14;
/** t² and e^{−t²} at t = nh, that at 0 halved, and at t = (n + ½)h. */
const WHOLE = ruleFrom(0);
const HALF = ruleFrom(0.5);

function ruleFrom(first: number): { readonly square: Float64Array; readonly weight: Float64Array } {
  const square = Float64Array.from({ length: TERMS }, (_, n) => (first + n) * (first + n) * STEP * STEP);
  return { square, weight: square.map((t) => exp(-t) * (t === 0 ? 0.5 : 1)) };
}

/**
 * 1 − Φ(t + iy) = ½ erfc(z), z = (t + iy)/√2, for t ≥ 0 as e^{−z²} times
 *   (hz/2π) Σ e^{−t_n²}/(z² + t_n²) + e^{z²}/(1 ∓ e^{2πz/h}),
 * t_n = nh (−) or (n + ½)h (+), whichever has its poles further from z; the last term where Re z < π/h (Matta & Reichl,
 * Math. Comp. 25 (1971) 339; Hunter & Regan, Math. Comp. 26 (1972) 539). The rule itself errs by e^{−π²/h²} < 1e-17.
 */
function normalTail(t: number, y: number): Polar {
  if (t < 0 && t * t - y * y > 90) return { log: 0, angle: 0, error: U };
  if (t < 0) return difference({ log: 0, angle: 0, error: 0 }, normalTail(-t, -y));
  const x = t * Math.SQRT1_2;
  const v = y * Math.SQRT1_2;
  const phase = Math.abs(v) / STEP;
  const whole = Math.abs(phase - Math.floor(phase) - 0.5) < 0.25;
  const re2 = x * x - v * v;
  const im2 = 2 * x * v;
  let re = 0;
  let im = 0;
  const { square, weight } = whole ? WHOLE : HALF;
  for (let n = 0; n < TERMS; n++) {
    const a = re2 + square[n];
    const norm = weight[n] / (a * a + im2 * im2);
    re += norm * a;
    im -= norm * im2;
  }
  const unit = STEP * INVERSE_PI;
  [re, im] = [unit * (re * x - im * v), unit * (re * v + im * x)];
  if (x < REACH) {
    // e^{z²}/(1 ∓ e^{2πz/h})
    const size = exp(2 * REACH * x);
    const turn = (2 * v) / STEP;
    const sign = whole ? -1 : 1;
    const a = 1 + sign * size * cosPi(turn);
    const b = sign * size * sinPi(turn);
    const scale = exp(re2) / (a * a + b * b);
    const cos = cosPi(im2 * INVERSE_PI);
    const sin = sinPi(im2 * INVERSE_PI);
    re += scale * (cos * a + sin * b);
    im += scale * (sin * a - cos * b);
  }
  const modulus = Math.sqrt(re * re + im * im);
  const height = log(modulus) - re2;
  return { log: height, angle: atan2(im, re) - im2, error: exp(height) * U * (100 + 8 * (x * x + v * v)) };
}
