import { exp, expm1, log, log1p } from '../numeric/scalar.js';

/**
 * From a Rényi divergence to δ(ε). With X = dP/dQ, E_Q[X^α] ≤ e^{(α−1)D} and E_Q[X] = 1. The convex function x^α
 * lies above its tangents at any two points s < σ, hence above αs^{α−1}x − (α−1)s^α + A(x − e^ε)⁺ when the
 * tangents cross at e^ε, with A = α(σ^{α−1} − s^{α−1}). Taking expectations,
 *   δ(ε) ≤ (e^{(α−1)D} − αs^{α−1} + (α−1)s^α)/A    for every s in [0, e^ε).
 * s = 0 is the bound of Canonne, Kamath and Steinke (2020, prop. 12). Where D ≥ ε + log(α/(α−1)) a line −kx, k > 0, in
 * place of the first tangent is better still; with σ = e^D it gives δ(ε) ≤ 1 − e^{ε−D}. The best of all these is the
 * optimum over all pairs with that divergence, attained by one with two outputs (Asoodeh et al. 2020, by duality).
 */

/**
 * log δ, rounded up, by the two tangents whose points have the ratio s/σ = e^{−gap}; gap = ∞ is s = 0. In units of
 * e^ε the crossing condition is solved by σ = α(1 − w^{α−1})/((α−1)(1 − w^α)), w = e^{−gap}.
 *
 * @param above α − 1 > 0, given apart so that orders near 1 keep their digits.
 */
export function logDeltaByTangents(above: number, divergence: number, epsilon: number, gap: number): number {
  const order = 1 + above;
  const excess = divergence - epsilon;
  if (gap === Infinity && excess + log1p(-1 / order) >= 0) {
    return Math.min(
      0,
      log(-expm1(-excess)) + 1e-14 * (1 + (Math.abs(divergence) + Math.abs(epsilon)) / excess),
    );
  }
  const fall = -expm1(-above * gap);
  const logSigma = log(fall / -expm1(-order * gap)) - log1p(-1 / order);
  const logS = epsilon + logSigma - gap;
  // e^{(α−1)D} − 1 and 1 − αs^{α−1} + (α−1)s^α, both ≥ 0; their sum is what the tangent at s leaves over
  const a = expm1(above * divergence);
  const lift = above * expm1(order * logS);
  const drop = order * expm1(above * logS);
  const rounding =
    4e-16 * (Math.abs(lift) + Math.abs(drop)) +
    2e-15 * (1 + Math.abs(epsilon) + Math.min(gap, 1e3)) * order * above * exp(above * Math.min(logS, 0));
  const rest = a + Math.max(0, lift - drop) + rounding;
  const logRest = rest < 1e300 ? log(rest) : above * divergence;
  const value = logRest - log(order) - above * (epsilon + logSigma) - log(fall);
  return value + 1e-14 * (1 + above * (Math.abs(divergence) + Math.abs(epsilon) + 1 / order) + log(order));
}

/** Mironov 2017, prop. 3: ε = D + log(1/δ)/(α−1), as log δ. Never below the others. */
export function logDeltaMironov(above: number, divergence: number, epsilon: number): number {
  return Math.min(0, above * (divergence - epsilon));
}

/** s = 0: Canonne, Kamath, Steinke 2020, prop. 12. */
export function logDeltaCks(above: number, divergence: number, epsilon: number): number {
  const order = 1 + above;
  const value = above * (divergence - epsilon) + above * log1p(-1 / order) - log(order);
  return value + 1e-14 * (1 + above * (Math.abs(divergence) + Math.abs(epsilon) + 1 / order) + log(order));
}

/**
 * Remembers where the best tangents lay: asked at neighbouring ε's it searches only there. Whatever it finds is a
 * bound, so the memory can cost tightness but not safety.
 */
export class TangentSearch {
  private logGap: number | undefined;

  /** @param finest Where the search in the logarithm of the gap ends; the loss in log δ is of the order of its square. */
  constructor(
    private readonly above: number,
    private readonly divergence: number,
    private readonly finest = 1e-4,
  ) {}

  /** With the tangents last found, or without: log δ rounded up, at once. */
  glance(epsilon: number): number {
    if (this.logGap === undefined) return this.search(epsilon);
    return Math.min(0, this.at(this.logGap, epsilon), this.at(FAR, epsilon));
  }

  /** With the best tangents for this ε. */
  search(epsilon: number): number {
    let best = Math.min(0, this.at(FAR, epsilon));
    let centre = this.logGap ?? 0;
    const known = this.logGap !== undefined;
    for (const logGap of known ? [centre] : COARSE) {
      const value = this.at(logGap, epsilon);
      if (value < best) [best, centre] = [value, logGap];
    }
    for (let step = known ? Math.min(0.5, 8 * this.finest) : 0.5; step > this.finest; step /= 2) {
      for (const side of [-1, 1]) {
        const from = centre;
        for (let moves = 1; moves <= MOST_MOVES; moves++) {
          const logGap = from + side * moves * step;
          const value = this.at(logGap, epsilon);
          if (!(value < best)) break;
          [best, centre] = [value, logGap];
        }
        // downhill on one side is uphill on the other
        if (centre !== from) break;
      }
    }
    this.logGap = centre;
    return best;
  }

  private at(logGap: number, epsilon: number): number {
    return logDeltaByTangents(this.above, this.divergence, epsilon, logGap >= FAR ? Infinity : exp(logGap));
  }
}

/** Of one search at one step length. */
const MOST_MOVES = 64;
const COARSE = Array.from({ length: 25 }, (_, i) => (i - 16) / 2);

/** The optimum at one order: log δ, rounded up. */
export function logDeltaOptimal(above: number, divergence: number, epsilon: number): number {
  return new TangentSearch(above, divergence).search(epsilon);
}

/** ρ-zCDP, the divergence ρα at every order α > 1: searches order and tangents, from where they last were. */
export class ZcdpSearch {
  private last: readonly [logAbove: number, logGap: number] | undefined;

  /** @param finest As in `TangentSearch`, for the logarithms of order − 1 and gap. */
  constructor(
    private readonly rho: number,
    private readonly finest = 1e-4,
  ) {}

  /** log δ(ε), rounded up. */
  search(epsilon: number): number {
    const { rho } = this;
    const at = (logAbove: number, logGap: number): number => {
      const above = exp(logAbove);
      return logDeltaByTangents(above, rho * (1 + above), epsilon, logGap >= FAR ? Infinity : exp(logGap));
    };
    // without tangents the best order is near (ε + ρ)/2ρ
    const start = log(Math.max((epsilon - rho) / (2 * rho), 1e-3));
    let best = 0;
    let x = start;
    let y = FAR;
    const consider = (logAbove: number, logGap: number): boolean => {
      const value = at(logAbove, logGap);
      if (!(value < best)) return false;
      [best, x, y] = [value, logAbove, logGap];
      return true;
    };
    if (this.last !== undefined) consider(...this.last);
    else {
      for (let i = -3; i <= 5; i++) for (const logGap of [FAR, 0]) consider(start + (2 * i) / 3, logGap);
      const nearest = x;
      for (const logGap of GAPS) consider(nearest, logGap);
    }
    consider(start, FAR);
    let moves = 0;
    for (
      let step = this.last === undefined ? 0.25 : 16 * this.finest;
      step > this.finest && moves < 1000;
      moves++
    ) {
      const moved = STEPS.filter(([dx, dy]) => consider(x + dx * step, y + dy * step)).length;
      if (moved === 0) step /= 4;
    }
    this.last = [x, y];
    return best;
  }
}

/** Beyond it, the gap between the tangents is taken as infinite. */
const FAR = 30;
const GAPS = [-3, -2, -1, 1, 2];
const STEPS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [1, -1],
  [-1, 1],
];

/** What ρ-zCDP implies at ε: log δ, rounded up. */
export function logDeltaZcdp(rho: number, epsilon: number): number {
  return new ZcdpSearch(rho).search(epsilon);
}
