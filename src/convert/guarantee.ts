import {
  InputRangeError,
  requireFields,
  requireNumber,
  requireOneOf,
  requireOptions,
  requireProbability,
  wrongType,
  wrongValue,
} from '../errors.js';
import {
  type ApproximateDp,
  approximateDp,
  type Gdp,
  gdp,
  MAX_POINTS,
  type PureDp,
  pureDp,
  type Rdp,
  rdp,
  type Tabulated,
  tabulated,
  type Zcdp,
  zcdp,
} from '../mechanism/basic.js';

/** A privacy guarantee as data: the ones that are mechanisms too, and two that are not. */
export type Guarantee =
  | PureDp
  | ApproximateDp
  | Gdp
  | Zcdp
  | Rdp
  | Tabulated
  | TradeoffPoints
  | ProbabilisticDp;

export type GuaranteeKind = Guarantee['kind'];

/** f(αᵢ) ≥ βᵢ for both roles of the neighbours. */
export interface TradeoffPoints {
  readonly kind: 'trade-off';
  readonly points: readonly { readonly alpha: number; readonly beta: number }[];
  /**
   * f is above the straight lines between the points as well. Values read off a convex curve do not say that: its
   * chords are above it. Default false.
   */
  readonly linear?: boolean;
}

/** Probabilistic DP: with probability at least 1 − δ the privacy loss is at most ε in size. */
export interface ProbabilisticDp {
  readonly kind: 'probabilistic-dp';
  readonly epsilon: number;
  readonly delta: number;
}

export const GUARANTEE_KINDS: readonly GuaranteeKind[] = [
  'pure-dp',
  'approximate-dp',
  'gdp',
  'zcdp',
  'rdp',
  'tabulated',
  'trade-off',
  'probabilistic-dp',
];

/** No theorem leads from the one guarantee to the other; `reason` says why. */
export class ConversionRefused extends InputRangeError {
  constructor(
    readonly from: string,
    readonly to: string,
    readonly reason: string,
  ) {
    super(`no theorem leads from ${from} to ${to}: ${reason}`);
    this.name = 'ConversionRefused';
  }
}

/** @throws TypeError | RangeError unless α ascends from ≥ 0 to ≤ 1, β never rises, and α + β ≤ 1. */
export function tradeoffPoints(options: {
  points: readonly { alpha: number; beta: number }[];
  linear?: boolean;
}): TradeoffPoints {
  requireOptions('tradeoffPoints', options, ['points', 'linear']);
  const given: unknown = options?.points;
  if (!Array.isArray(given)) throw wrongType('points', 'an array of {"alpha", "beta"} objects', given);
  if (given.length === 0 || given.length > MAX_POINTS)
    throw wrongValue('points', `1 to ${MAX_POINTS} points`, given);
  const linear = options.linear ?? false;
  if (typeof linear !== 'boolean') throw wrongType('linear', 'true or false', linear);
  let last = { alpha: -1, beta: 1 };
  const points = given.map((point, i) => {
    requireFields(`points[${i}]`, point, ['alpha', 'beta']);
    const alpha = requireProbability(`points[${i}].alpha`, point.alpha);
    const beta = requireProbability(`points[${i}].beta`, point.beta);
    if (!(alpha > last.alpha)) throw wrongValue(`points[${i}].alpha`, 'above the one before', alpha);
    if (!(beta <= last.beta)) throw wrongValue(`points[${i}].beta`, 'at most the one before', beta);
    if (alpha + beta > 1 + 1e-15) throw wrongValue(`points[${i}].beta`, 'at most 1 - alpha', beta);
    last = { alpha, beta };
    return last;
  });
  return { kind: 'trade-off', points, ...(linear && { linear }) };
}

/** @throws TypeError | RangeError if `epsilon` is not in [0, 300] or `delta` not in [0, 1]. */
export function probabilisticDp(options: { epsilon: number; delta: number }): ProbabilisticDp {
  requireOptions('probabilisticDp', options, ['epsilon', 'delta']);
  return {
    kind: 'probabilistic-dp',
    epsilon: requireNumber('epsilon', options?.epsilon, 'a number in [0, 300]', (x) => x >= 0 && x <= 300),
    delta: requireProbability('delta', options.delta),
  };
}

/**
 * Checks data read from elsewhere and returns it as a guarantee.
 *
 * @throws TypeError | RangeError naming what is wrong.
 */
export function parseGuarantee(value: unknown): Guarantee {
  if (typeof value !== 'object' || value === null)
    throw wrongType('guarantee', 'an object with a "kind"', value);
  const kind = requireOneOf('guarantee.kind', (value as { kind?: unknown }).kind, GUARANTEE_KINDS);
  const build: { readonly [K in GuaranteeKind]: (options: never) => Guarantee } = {
    'pure-dp': pureDp,
    'approximate-dp': approximateDp,
    gdp,
    zcdp,
    rdp,
    tabulated,
    'trade-off': tradeoffPoints,
    'probabilistic-dp': probabilisticDp,
  };
  const { kind: _, ...options } = value as Guarantee;
  return build[kind](options as never);
}
