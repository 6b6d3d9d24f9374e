import { requireBoolean, wrongValue } from '../../errors.js';
import { polygonPair, roundedPair } from '../../law/polygon.js';
import { U } from '../../numeric/constants.js';
import { requirePoints, requireRates } from '../checks.js';
import { BOUNDED_TAIL, built, type Kind, unless } from '../kind.js';

/**
 * Any mechanism whose trade-off function is at least f for one order of two neighbours, and hence at least f⁻¹ for the other order. The order is not
 * known, so both are covered by the largest symmetric trade-off function below both, the convex hull of min{f, f⁻¹}.
 */
export interface TradeoffPoints {
  readonly kind: 'trade-off';
  /** Breakpoints of f, with straight lines between them (Gomez et al. 2025, algorithm 1). If `linear`, (0, 1) and (1, 0) are added. */
  readonly points: readonly { readonly alpha: number; readonly beta: number }[];
  /** If false, f(αᵢ) ≥ βᵢ is all that is known, and nothing about α between the points. State false for values read off a convex curve: its chords lie above it. Default true. */
  readonly linear?: boolean;
}

/**
 * Any mechanism whose trade-off function is, for one order of two neighbours, at least β at each α listed; and at least the straight lines between if
 * `linear`.
 *
 * @throws TypeError | RangeError unless α ascends from ≥ 0 to ≤ 1, β never rises, and α + β ≤ 1.
 * @example
 * tradeoffPoints({ points: [{ alpha: 0, beta: 1 }, { alpha: 0.1, beta: 0.5 }, { alpha: 1, beta: 0 }] }).kind; // 'trade-off'
 */
export function tradeoffPoints(options: Omit<TradeoffPoints, 'kind'>): TradeoffPoints {
  return built(TRADEOFF_KIND, options, 'tradeoffPoints');
}

/** Returns points with ascending α and falling β. @throws TypeError | RangeError otherwise. */
function requireFalling(_: string, given: unknown): TradeoffPoints['points'] {
  let last = { alpha: -1, beta: 1 };
  return requirePoints(given, ['alpha', 'beta']).map((point, i) => {
    const { alpha, beta } = requireRates(point, i);
    if (!(alpha > last.alpha)) throw wrongValue(`points[${i}].alpha`, 'above the one before', alpha);
    if (!(beta <= last.beta)) throw wrongValue(`points[${i}].beta`, 'at most the one before', beta);
    last = { alpha, beta };
    return last;
  });
}

/** Relative error of a few roundings. */
const ROUNDINGS = 8 * U;

/**
 * The corners of the least trade-off function f with f(αᵢ) ≥ βᵢ, where nothing is known between the points. f is convex, at most 1 at 0, and 0 at 1.
 * Right of a point, f is above the line from (0, 1) through it, 1 − sα; left of it, above the line from (1, 0), t(1 − α). So between two points f is
 * above both lines, and touches them where they meet. Lines are rounded down.
 */
function cornersOf(points: TradeoffPoints['points']): { alpha: number; beta: number }[] {
  const heights = points.map(({ alpha, beta }) =>
    alpha < 1 ? Math.min(1, beta / (1 - alpha)) * (1 - ROUNDINGS) : 0,
  );
  for (let i = heights.length - 2; i >= 0; i--) heights[i] = Math.max(heights[i], heights[i + 1]);
  let fall = Infinity;
  return [...points, { alpha: 1, beta: 0 }].map(({ alpha, beta }, i) => {
    const height = heights[i] ?? 0;
    const meeting =
      fall === Infinity
        ? { alpha: 0, beta: height }
        : { alpha: (1 - height) / (fall - height), beta: (height * (fall - 1)) / (fall - height) };
    if (alpha > 0) fall = Math.min(fall, Math.max(1, (1 - beta) / alpha) * (1 + ROUNDINGS));
    return meeting;
  });
}

/** Whether α + β ≥ 1, decided exactly: 1 − x is exact for doubles x in [½, 1], and the larger rate is subtracted. */
function isOnDiagonal({ alpha, beta }: TradeoffPoints['points'][number]): boolean {
  return beta >= 0.5 ? alpha >= 1 - beta : beta >= 1 - alpha;
}

export const TRADEOFF_KIND: Kind<TradeoffPoints> = {
  name: 'trade-off',
  families: ['atoms'],
  title: 'Breakpoints of a trade-off function',
  standing: 'bound',
  tail: `${BOUNDED_TAIL}; infinite, where f(0) < 1`,
  source: 'the largest symmetric trade-off function under the points (Gomez et al. 2025, alg. 1)',
  fields: { points: requireFalling, 'linear?': unless(true, requireBoolean) },
  build: tradeoffPoints,
  describe: (m) => `trade-off function given at ${m.points.length} points`,
  pair: ({ points, linear = true }) =>
    linear ? polygonPair(points, true) : roundedPair(cornersOf(points), ROUNDINGS),
  revealsNothing: ({ points, linear = true }) =>
    linear
      ? points.every(isOnDiagonal)
      : points.some((point) => point.alpha > 0 && point.alpha < 1 && isOnDiagonal(point)),
  revealsAll: ({ points, linear = true }) =>
    linear
      ? points.some(({ alpha, beta }) => alpha === 0 && beta === 0)
      : points.every(({ beta }) => beta === 0),
};
