/**
 * Upper bounds for adaptive steps by one pair R and an exponent p, ½ ≤ p < 1, of `leadingPair` (docs/proofs/fixed-size.md, 9 and 10). E h(likelihood
 * ratio) is largest for steps of R if h″(v) = m(v)v^{p−2} with m ≥ 0 increasing. Such an h that is at least u − 1 is h(u) = c∫(u − v)⁺v^{p−2}dv over
 * v ≥ v₀, for c large enough. It gives δ(ε) ≤ c∫v^{p−2}δ_R(ε + log v)dv over v ≥ v₀, δ_R the curve of as many steps of R.
 */
import { down, LONG_SUM, MANY_ROUNDINGS, padded } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';

/** Upper bounds of a privacy curve. */
export interface CurveAbove {
  /** Ensures: no less than log δ(ε), ε ≥ 0. */
  logDelta(epsilon: number): number;
  /** Ensures: no less than the ε at which δ(ε) is e^{logDelta}. */
  epsilon(logDelta: number): number;
}

/** Largest ε considered by `curveThrough`; beyond, the answer is ∞. */
const LARGEST = 1e4;

/**
 * Upper bounds of a δ curve, convex in e^ε, from bounds `at(k)` of δ(ks), k = 0, 1, …, joined by chords in e^ε.
 *
 * Ensures: no less than δ, if each `at(k)` is no less than δ(ks) and δ is convex in e^ε.
 */
export function curveThrough(at: (k: number) => number, s: number): CurveAbove {
  return {
    logDelta: (epsilon) => {
      const k = Math.floor(epsilon / s);
      const part = Math.min(1, Math.max(0, expm1(epsilon - k * s) / expm1(s) - LONG_SUM));
      return Math.min(0, log(at(k) + part * (at(k + 1) - at(k))) + MANY_ROUNDINGS);
    },
    epsilon: (logDelta) => {
      const delta = down(exp(logDelta), MANY_ROUNDINGS);
      if (at(0) <= delta) return 0;
      let [low, high] = [0, 1];
      while (at(high) > delta) {
        if (high * s > LARGEST) return Infinity;
        [low, high] = [high, 2 * high];
      }
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (at(middle) > delta) low = middle;
        else high = middle;
      }
      const part = (at(low) - delta) / (at(low) - at(high));
      return Math.min(high * s, padded(low * s + log1p(part * expm1(s)), 1 + low * s, LONG_SUM));
    },
  };
}

/**
 * An upper bound of the least height H = cv₀^{p−1} at which h(u) ≥ u − 1 for all u. Here h(u) = c∫(u − v)v^{p−2}dv from v₀ to u, v₀ = e^{−x}, p = `power`. With
 * w = u/v₀ that is Hg(w) ≥ w − e^x, g(w) = w/(1 − p) − w^p/p(1 − p) + 1/p convex. If a tangent of g is at least 0 at w = e^x, the inverse of its slope is such
 * an H.
 *
 * Ensures: no less than that height.
 */
export function heightOf(x: number, power: number): number {
  const one = exp(x);
  const slope = (w: number): number => -expm1((power - 1) * log(w)) / (1 - power);
  const tangentAt = (w: number): number => {
    const value = (w - exp(power * log(w)) / power) / (1 - power) + 1 / power;
    return value - slope(w) * (w - one) - LONG_SUM * (w + one);
  };
  let [low, high] = [one, 2 * one];
  while (tangentAt(high) > 0) [low, high] = [high, 2 * high];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (tangentAt(middle) > 0) low = middle;
    else high = middle;
  }
  return (1 + LONG_SUM) / slope(low);
}

/** The integral of `ledAbove` ends where its remainder, which is added, is below this fraction of it. Only speed and width depend on it. */
const LEFT_OUT = 1e-6;
/** Largest number of lower limits v₀ of the integral of `ledAbove` that are tried. Only speed and width depend on it. */
const FURTHEST_BELOW = 128;
/** No further lower limits v₀ are tried after one whose bound is this many times the least. Only speed and width depend on it. */
const PAST = 1.5;
/** Largest number of cells of the integral of `ledAbove` beyond ε. Only speed and width depend on it. */
const FURTHEST = 1e5;

/**
 * The bound δ(ε) ≤ c∫v^{p−2}δ_R(ε + log v)dv over v ≥ v₀, p the `power`, at multiples of s, by the best of several v₀; c is from `heightOf`. On cells of
 * log v both factors are bounded by chords in v.
 *
 * Ensures: no less than log δ(ε) and ε of any adaptive choice of steps for which the inequality of `leadingPair` holds.
 *
 * @param profile δ_R: upper bound of δ(ε) of as many steps of the pair R of `leadingPair`, at any ε.
 * @param s Spacing of the ε at which the bound is computed.
 */
export function ledAbove(profile: (epsilon: number) => number, power: number, s: number): CurveAbove {
  const kept = (ask: (k: number) => number): ((k: number) => number) => {
    const known = new Map<number, number>();
    return (k) => {
      const found = known.get(k) ?? Math.min(1, ask(k));
      known.set(k, found);
      return found;
    };
  };
  const asked = kept((k) => profile(k * s));
  const heights: number[] = [];
  // ∫v^{p−2}δ(ε + log v)dv: both factors are convex in v, and below their chords
  const step = exp((power - 1) * s);
  const last = exp((power - 2) * s);
  const [left, right] = [(expm1(s) * (2 + last)) / 6, (expm1(s) * (1 + 2 * last)) / 6];
  const cell = (k: number): number => left * asked(k) + right * asked(k + 1);
  const boundAt = (k: number): number => {
    let [rest, size, beyond] = [0, 1, Infinity];
    let j = k;
    // once δ_R is nearly constant, the remainder is bounded by its integral with a constant δ_R
    let isFlat = false;
    for (; beyond > LEFT_OUT * rest && !isFlat && j < k + FURTHEST; j++) {
      rest += size * cell(j);
      size *= step;
      beyond = (size * asked(j + 1)) / (1 - power);
      isFlat = asked(j + 1) > (1 - LEFT_OUT) * asked(j);
    }
    rest += beyond;
    let best = Infinity;
    for (j = k - 1; j > k - FURTHEST_BELOW; j--) {
      rest = cell(j) + step * rest;
      heights[k - j] ??= heightOf((k - j) * s, power);
      const here = heights[k - j] * rest;
      if (here > PAST * best) break;
      best = Math.min(best, here);
    }
    return best * (1 + 1e-9);
  };
  return curveThrough(kept(boundAt), s);
}
