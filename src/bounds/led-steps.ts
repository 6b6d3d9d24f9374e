/**
 * Upper bounds for adaptive steps of which one pair leads all others (docs/proofs/fixed-size.md, 9 and 10). They are bounds for as many steps of that
 * pair, at a slightly larger δ. The pair leads for functions h of the likelihood ratio with h″(v) = m(v)v^{p−2}, m increasing. A function of this
 * form that is at least u − 1 is c∫(u − v)⁺v^{p−2}dv from some v₀ on.
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

/** Largest ε considered. */
const LARGEST = 1e4;

/**
 * The curve through bounds of δ at ε = ks, k from 0, joined by chords: δ is convex in e^ε.
 *
 * Ensures: no less than the curve, where each `at(k)` is no less than δ(ks) and what they bound is convex in e^ε.
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
 * The least height H = cv₀^{p−1}, v₀ = e^{−x}, at which h(u) ≥ u − 1 for all u. Here h(u) is c∫(u − v)v^{p−2}dv from v₀ to u. With w = u/v₀ that is Hg(w) ≥ w − e^x for the convex
 * g(w) = w/(1 − p) − w^p/p(1 − p) + 1/p. Where a tangent of g is at least 0 at e^x, the inverse of its slope will do.
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

/** Relative allowance for parts of an integral that are not computed. Only speed and width depend on it. */
const LEFT_OUT = 1e-6;
/**
 * Number of starting points considered at most; the search ends behind one whose bound is this many times the least. Only speed and width depend on
 * them.
 */
const FURTHEST_BELOW = 128;
const PAST = 1.5;
/** Points considered above, at most. */
const FURTHEST = 1e5;

/**
 * The least bound over starting points. Ensures: no less than log δ(ε) and ε of any adaptive choice of steps that the pair leads.
 *
 * @param profile Upper bound of δ(ε) of the steps of the leading pair, any ε.
 * @param s Distance of the ε at which it is computed.
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
    // where the profile is flat, the rest of the integral is known
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
