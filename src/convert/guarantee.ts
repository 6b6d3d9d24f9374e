import {
  InputRangeError,
  isInputError,
  requireKind,
  requireNumber,
  requireOptions,
  requireProbability,
} from '../errors.js';
import type { Kind } from '../mechanism/kind.js';
import * as kinds from '../mechanism/kinds/index.js';
import type { Bracket } from '../numeric/bracket.js';

/** A privacy guarantee as data: the ones that are mechanisms too, and two that are not. */
export type Guarantee =
  | kinds.PureDp
  | kinds.ApproximateDp
  | kinds.Gdp
  | kinds.Zcdp
  | kinds.Rdp
  | kinds.Tabulated
  | kinds.TradeoffPoints
  | kinds.Tcdp
  | kinds.Mcdp
  | ProbabilisticDp;

/** Name of a kind of guarantee, as in `GUARANTEE_KINDS`. */
export type GuaranteeKind = Exclude<Guarantee['kind'], 'tcdp' | 'mcdp'>;

/** Probabilistic DP: with probability at least 1 − δ the privacy loss is at most ε in size. */
export interface ProbabilisticDp {
  readonly kind: 'probabilistic-dp';
  /** ε, in nats, in [0, 300]. */
  readonly epsilon: number;
  /** δ, in [0, 1]. */
  readonly delta: number;
}

/** Kinds of mechanism that are guarantees; the last two are converted from, never into. */
const KINDS = [
  kinds.PURE_DP_KIND,
  kinds.APPROXIMATE_DP_KIND,
  kinds.GDP_KIND,
  kinds.ZCDP_KIND,
  kinds.RDP_KIND,
  kinds.TABULATED_KIND,
  kinds.TRADEOFF_KIND,
  kinds.TCDP_KIND,
  kinds.MCDP_KIND,
] as readonly unknown[] as readonly Kind<Guarantee>[];

/** What is smaller is stated as these, which say less. */
const SMALLEST = { epsilon: 1e-12, mu: 1e-9, rho: 1e-12 };

/** What a conversion found, as the mechanism that it is too: `account` takes it. @throws ConversionRefused if it is too large to be stated. */
export function stated(from: string, found: Guarantee): Guarantee {
  const fields = Object.entries(found).map(([name, value]) => {
    const least = name in SMALLEST && value > 0 ? SMALLEST[name as keyof typeof SMALLEST] : value;
    return [name, value < least ? least : value];
  });
  try {
    return parseGuarantee(Object.fromEntries(fields));
  } catch (error) {
    if (!isInputError(error)) throw error;
    throw new ConversionRefused(from, found.kind, `what follows is out of range: ${error.message}`);
  }
}

/** The kinds of guarantee that are converted, by name. */
export const GUARANTEE_KINDS: readonly GuaranteeKind[] = [
  ...KINDS.slice(0, -2).map(({ name }) => name as GuaranteeKind),
  'probabilistic-dp',
];

/** Result of `convert`. */
export interface Conversion {
  /** What was converted, in words. */
  readonly from: string;
  /** Kind of guarantee asked for. */
  readonly to: GuaranteeKind;
  /** What holds: every number is on its safe side. */
  readonly guarantee: Guarantee;
  /**
   * For each number of the guarantee that was solved for: the best that follows from the source lies in here. The safe
   * end is the upper one, and for β of a trade-off curve the lower one.
   */
  readonly values: readonly Bracket[];
  /** What justifies it. */
  readonly theorem: string;
  /** What better known and weaker conversions give for the same number: guarantees too, for comparison. */
  readonly beside?: readonly { readonly name: string; readonly value: number }[];
}

/** No theorem leads from the one guarantee to one of the other kind that can be stated; `reason` says why. */
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
  const kind = requireKind('guarantee', value, [...GUARANTEE_KINDS, 'tcdp', 'mcdp'] as const);
  const { kind: _, ...options } = value as Guarantee;
  const build = KINDS.find(({ name }) => name === kind)?.build ?? probabilisticDp;
  return build(options as never);
}
