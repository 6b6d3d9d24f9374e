import {
  InputRangeError,
  requireNumber,
  requireOneOf,
  requireOptions,
  requireProbability,
  wrongType,
} from '../errors.js';
import type { Kind } from '../mechanism/kind.js';
import { APPROXIMATE_DP_KIND } from '../mechanism/kinds/approximate-dp.js';
import { GDP_KIND } from '../mechanism/kinds/gdp.js';
import {
  type ApproximateDp,
  approximateDp,
  type Gdp,
  gdp,
  type Mcdp,
  mcdp,
  type PureDp,
  pureDp,
  type Rdp,
  rdp,
  type Tabulated,
  type Tcdp,
  type TradeoffPoints,
  tabulated,
  tcdp,
  tradeoffPoints,
  type Zcdp,
  zcdp,
} from '../mechanism/kinds/index.js';
import { PURE_DP_KIND } from '../mechanism/kinds/pure-dp.js';
import { RDP_KIND } from '../mechanism/kinds/rdp.js';
import { TABULATED_KIND } from '../mechanism/kinds/tabulated.js';
import { TRADEOFF_KIND } from '../mechanism/kinds/trade-off.js';
import { ZCDP_KIND } from '../mechanism/kinds/zcdp.js';
import { made } from '../mechanism/made.js';

/** A privacy guarantee as data: the ones that are mechanisms too, and two that are not. */
export type Guarantee =
  | PureDp
  | ApproximateDp
  | Gdp
  | Zcdp
  | Rdp
  | Tabulated
  | TradeoffPoints
  | Tcdp
  | Mcdp
  | ProbabilisticDp;

export { type TradeoffPoints, tradeoffPoints };

/** Name of a kind of guarantee, as in `GUARANTEE_KINDS`. */
export type GuaranteeKind = Exclude<Guarantee['kind'], SourceKind>;

/** Kinds that are converted from, never into. */
type SourceKind = 'tcdp' | 'mcdp';

/** Probabilistic DP: with probability at least 1 − δ the privacy loss is at most ε in size. */
export interface ProbabilisticDp {
  readonly kind: 'probabilistic-dp';
  /** ε, in nats, in [0, 300]. */
  readonly epsilon: number;
  /** δ, in [0, 1]. */
  readonly delta: number;
}

const KINDS: Readonly<Record<string, unknown>> = {
  'pure-dp': PURE_DP_KIND,
  'approximate-dp': APPROXIMATE_DP_KIND,
  gdp: GDP_KIND,
  zcdp: ZCDP_KIND,
  rdp: RDP_KIND,
  tabulated: TABULATED_KIND,
  'trade-off': TRADEOFF_KIND,
};

/** What a conversion found, as the mechanism that it is too: `account` takes it. */
export function stated(guarantee: Guarantee): Guarantee {
  const kind = KINDS[guarantee.kind] as Kind<Guarantee> | undefined;
  return kind === undefined ? guarantee : made(kind, guarantee);
}

/** The kinds of guarantee that are converted, by name. */
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
  /** Its name, in minified bundles too. */
  static override readonly name: string = 'ConversionRefused';

  constructor(
    readonly from: string,
    readonly to: string,
    readonly reason: string,
  ) {
    super(`no theorem leads from ${from} to ${to}: ${reason}`);
  }
}

/**
 * States that with probability at least 1 − δ the privacy loss is at most ε nats in size.
 *
 * @throws TypeError | RangeError if `epsilon` is not in [0, 300] or `delta` not in [0, 1].
 * @example
 * convert(engine, probabilisticDp({ epsilon: 1, delta: 1e-6 }), { kind: 'approximate-dp', epsilon: 1 }).values[0].upper; // 0.000001
 */
export function probabilisticDp(options: { epsilon: number; delta: number }): ProbabilisticDp {
  requireOptions('probabilisticDp', options, ['epsilon', 'delta']);
  return {
    kind: 'probabilistic-dp',
    epsilon: requireNumber('epsilon', options?.epsilon, 'a number in [0, 300]'),
    delta: requireProbability('delta', options.delta),
  };
}

/**
 * Checks data read from elsewhere and returns it as a guarantee.
 *
 * @throws TypeError | RangeError naming what is wrong.
 * @example
 * parseGuarantee({ kind: 'zcdp', rho: 0.5 }).kind; // 'zcdp'
 */
export function parseGuarantee(value: unknown): Guarantee {
  if (typeof value !== 'object' || value === null)
    throw wrongType('guarantee', 'an object with a "kind"', value);
  const kind = requireOneOf('guarantee.kind', (value as { kind?: unknown }).kind, [
    ...GUARANTEE_KINDS,
    'tcdp',
    'mcdp',
  ] as const);
  const build: { readonly [K in Guarantee['kind']]: (options: never) => Guarantee } = {
    'pure-dp': pureDp,
    'approximate-dp': approximateDp,
    gdp,
    zcdp,
    rdp,
    tabulated,
    'trade-off': tradeoffPoints,
    tcdp,
    mcdp,
    'probabilistic-dp': probabilisticDp,
  };
  const { kind: _, ...options } = value as Guarantee;
  return build[kind](options as never);
}
