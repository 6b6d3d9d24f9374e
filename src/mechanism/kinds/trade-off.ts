import { requireBoolean, wrongValue } from '../../errors.js';
import { polygonPair } from '../../law/polygon.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { requirePoints, requireRates, unless } from '../checks.js';
import { BOUNDED_TAIL, type Kind } from '../kind.js';
import { built } from '../made.js';

/**
 * Anything whose trade-off function is above the one f of these points in one role of the neighbours, whichever that is; it is above f⁻¹ in
 * the other. What is known of both is the largest symmetric function under f: the hull of min{f, f⁻¹}.
 */
export interface TradeoffPoints {
  readonly kind: 'trade-off';
  /** Its breakpoints, with straight lines in between (REP algorithm 1); where `linear`, (0, 1) and (1, 0) are added to them. */
  readonly points: readonly { readonly alpha: number; readonly beta: number }[];
  /**
   * false: f(αᵢ) ≥ βᵢ is all that is known, nothing of the lines in between. Values read off a curve that bends say no more: its
   * chords are above it. Default true.
   */
  readonly linear?: boolean;
}

/**
 * Any mechanism whose trade-off function is, in one role of the neighbours, at least β at each α listed; straight in between where `linear`.
 *
 * @throws TypeError | RangeError unless α ascends from ≥ 0 to ≤ 1, β never rises, and α + β ≤ 1.
 * @example
 * tradeoffPoints({ points: [{ alpha: 0, beta: 1 }, { alpha: 0.1, beta: 0.5 }, { alpha: 1, beta: 0 }] }).kind; // 'trade-off'
 */
export function tradeoffPoints(options: Omit<TradeoffPoints, 'kind'>): TradeoffPoints {
  return built(TRADEOFF_KIND, 'tradeoffPoints', options);
}

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

/** The vertices of the curve that is implied: those given, or the corners of the staircase that keeps each next value. */
function cornersOf({ points, linear = true }: TradeoffPoints): { alpha: number; beta: number }[] {
  if (linear) return [...points];
  const corners = points.map(({ alpha }, i) => ({ alpha, beta: points[i + 1]?.beta ?? 0 }));
  return [{ alpha: 0, beta: points[0].beta }, ...corners];
}

export const TRADEOFF_KIND: Kind<TradeoffPoints> = {
  name: 'trade-off',
  families: [ATOMS],
  facts: {
    title: 'Breakpoints of a trade-off function',
    standing: 'bound',
    tail: `${BOUNDED_TAIL}; infinite, where f(0) < 1`,
    source: 'the largest symmetric trade-off function under the points (Gomez et al. 2025, alg. 1)',
  },
  fields: { points: requireFalling, linear: unless(true, requireBoolean) },
  optional: ['linear'],
  build: tradeoffPoints,
  describe: (m) => `trade-off function given at ${m.points.length} points`,
  pair: (m) => polygonPair(cornersOf(m), true),
  isSilent: (m) => cornersOf(m).every(({ alpha, beta }) => beta >= 1 - alpha),
  isBare: (m) => cornersOf(m).some(({ alpha, beta }) => alpha === 0 && beta === 0),
};
