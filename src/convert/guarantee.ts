import {
  InputRangeError,
  isInputError,
  requireKind,
  requireNumber,
  requireOptions,
  requireProbability,
  wrongValue,
} from '../errors.js';
import { type Kind, stated as madeOf } from '../mechanism/kind.js';
import * as kinds from '../mechanism/kinds/index.js';
import { approximateDp, gdp } from '../mechanism/kinds/index.js';
import { kindOf, pairOf } from '../mechanism/pairs.js';
import { type Bracket, bracket, exactly, ordered } from '../numeric/bracket.js';
import { least } from '../numeric/extremes.js';
import { logComplement, outward } from '../numeric/log-arithmetic.js';
import { down, FEW_ROUNDINGS, ROUNDING, up } from '../numeric/rounding.js';
import { log, log1p } from '../numeric/scalar.js';
import { quadraticCeiling } from '../profile/gdp-inverse.js';
import { aroundLog, type Profile } from '../profile/profile.js';
import { impliedLogDelta } from '../profile/refine.js';
import type { DirectedRun, Vertices } from '../run/directed-run.js';
import { gaussianRun, nothingRun } from '../run/gaussian-run.js';

/** A privacy guarantee as data: nine kinds that are kinds of mechanism too, and two that are not. */
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
  | ApproximateZcdp
  | ProbabilisticDp;

/** Name of a kind of guarantee, as in `GUARANTEE_KINDS`. */
export type GuaranteeKind = Exclude<Guarantee['kind'], 'tcdp' | 'mcdp' | 'approximate-zcdp'>;

/** Probabilistic DP: with probability at least 1 − δ the privacy loss is at most ε in size. */
export interface ProbabilisticDp {
  readonly kind: 'probabilistic-dp';
  /** ε, in nats, in [0, 300]. */
  readonly epsilon: number;
  /** δ, in [0, 1]. */
  readonly delta: number;
}

/** δ-approximate ρ-zCDP: on either data set, the output given an event of probability at least 1 − δ is ρ-zCDP (Bun, Steinke 2016, def. 8.1). */
export interface ApproximateZcdp {
  readonly kind: 'approximate-zcdp';
  /** ρ, in nats: 0 or in [1e-12, 1e4]. */
  readonly rho: number;
  /** δ, in [0, 1). */
  readonly delta: number;
}

/** Kinds of mechanism that are also guarantees. The last two, tcdp and mcdp, can be converted from, not into. */
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

/** The least value of each parameter; a smaller result is stated as this, which is a weaker guarantee. */
const SMALLEST = { epsilon: 1e-12, mu: 1e-9, rho: 1e-12 };

/** The guarantee that a conversion found, checked; up to ε = 300 `account` takes it as a mechanism. @throws ConversionRefused if it is too large to be stated. */
export function stated(from: string, found: Guarantee): Guarantee {
  const fields = Object.entries(found).map(([name, value]) => {
    const least = name in SMALLEST && value > 0 ? SMALLEST[name as keyof typeof SMALLEST] : value;
    return [name, value < least ? least : value];
  });
  try {
    return parseGuarantee(Object.fromEntries(fields));
  } catch (error) {
    if (!isInputError(error)) throw error;
    // a guarantee with a larger ε is valid, although `account` does not take it
    if ('epsilon' in found && found.epsilon > 300 && found.epsilon < Infinity) return found;
    throw new ConversionRefused(from, found.kind, `what follows is out of range: ${error.message}`);
  }
}

/** The kinds of guarantee that can be converted into. */
export const GUARANTEE_KINDS: readonly GuaranteeKind[] = [
  ...KINDS.slice(0, -2).map(({ name }) => name as GuaranteeKind),
  'probabilistic-dp',
];

/** The kinds of guarantee that can be converted: `GUARANTEE_KINDS`, and three that cannot be converted into. */
export const FROM_KINDS: readonly Guarantee['kind'][] = [
  ...GUARANTEE_KINDS,
  'tcdp',
  'mcdp',
  'approximate-zcdp',
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
  /** The theorem that justifies the guarantee. */
  readonly theorem: string;
  /** What better known and weaker conversions give for the same number, for comparison. They are valid too. */
  readonly beside?: readonly { readonly name: string; readonly value: number }[];
}

/** The error of a conversion that no theorem allows, or whose result cannot be stated; `reason` says why. */
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
  const kind = requireKind('guarantee', value, FROM_KINDS);
  const { kind: _, ...options } = value as Guarantee;
  if (kind === 'approximate-zcdp') {
    const { delta, ...rest } = options as ApproximateZcdp;
    const { rho } = kinds.zcdp(rest);
    return { kind, rho, delta: requireNumber('delta', delta, 'a number in [0, 1)') };
  }
  if (
    kind === 'tcdp' &&
    ((options as kinds.Tcdp).xi !== undefined || (options as kinds.Tcdp).omega === undefined)
  )
    throw wrongValue('guarantee', 'a tcdp with rho and omega: ask for epsilon of one with xi', kind);
  const stating = KINDS.find(({ name }) => name === kind);
  return stating === undefined ? probabilisticDp(options as ProbabilisticDp) : madeOf(stating, options);
}

/** The source of a conversion: the privacy profile that its guarantee implies, and what else is known of it. */
export interface ConversionSource {
  readonly name: string;
  readonly profile: Profile;
  /** The dominating pair with this privacy profile, if there is one. */
  readonly run?: DirectedRun | undefined;
  /** The vertices of the trade-off curve, if it is a polygon. */
  readonly vertices?: Vertices | undefined;
  /** An ε for which the source is ε-DP; ∞ if there is none. */
  readonly pure: number;
  /** A ρ for which the source is ρ-zCDP; ∞ if none is known. */
  readonly rho: number;
  /** An upper bound of the Rényi divergence of an order, if the source is a run. */
  readonly renyi?: (order: number) => number;
  /** Both directions of the pair, if the source is a pair itself and not only dominated by one: its privacy loss is then the source's. */
  readonly pairs?: readonly DirectedRun[];
  readonly guarantee?: Guarantee;
}

/** The pair (ε, δ) of a guarantee that states a single one; undefined for other guarantees. */
export function lineOf(guarantee: Guarantee | undefined): { epsilon: number; delta: number } | undefined {
  if (guarantee?.kind === 'pure-dp') return { epsilon: guarantee.epsilon, delta: 0 };
  return guarantee?.kind === 'approximate-dp' || guarantee?.kind === 'probabilistic-dp'
    ? guarantee
    : undefined;
}

/** The source of a conversion from a guarantee: at each ε, the largest δ of the mechanisms that meet it. */
export function sourceOf(guarantee: Guarantee): ConversionSource {
  switch (guarantee.kind) {
    case 'probabilistic-dp': {
      const { kind, epsilon, delta } = guarantee;
      return { ...sourceOf(approximateDp({ epsilon, delta })), name: kind, guarantee };
    }
    case 'approximate-zcdp':
      return butFor(guarantee);
    case 'zcdp':
    case 'rdp':
    case 'tcdp':
    case 'mcdp': {
      if (kindOf(guarantee).revealsNothing?.(guarantee))
        return { ...sourceOf(gdp({ mu: 0 })), name: guarantee.kind, guarantee };
      // the dominating pair of all mechanisms that meet the guarantee, as `account` uses it
      const run = pairOf(guarantee).forward;
      const concentrated = guarantee.kind === 'zcdp' || guarantee.kind === 'mcdp';
      const rho = concentrated ? kindOf(guarantee).rho?.(guarantee) : undefined;
      const tail = rho === undefined ? RDP_TAIL : zcdpTail(rho);
      return sourceFrom(guarantee, run, { pure: Infinity, tail });
    }
    default: {
      const run = runOf(guarantee);
      const pure = largestLoss(guarantee);
      const source = sourceFrom(guarantee, run, { pure, tail: pairTail(guarantee, pure) });
      return { ...source, vertices: run.vertices };
    }
  }
}

/**
 * The profile of δ-approximate ρ-zCDP, δ + (1 − δ)δ′(ε), where δ′(ε) is the largest δ(ε) of ρ-zCDP mechanisms. That the sum is the largest is proved
 * in docs/proofs/renyi.md.
 *
 * Ensures: log δ lies in its bracket.
 */
function butFor(guarantee: ApproximateZcdp): ConversionSource {
  const { rho, delta, kind } = guarantee;
  const inner = sourceOf(kinds.zcdp({ rho }));
  if (delta === 0) return inner;
  const { profile } = inner;
  const hidden = log1p(-delta);
  // log of 1 − (1 − δ)(1 − δ′), δ′ that of ρ-zCDP. log(1 − δ) + log(1 − δ′) has terms of one sign, so a δ near 1 loses no digits of 1 − δ.
  const at = (logDelta: number, side: 1 | -1): number => {
    const rest = (hidden + logComplement(logDelta)) * (1 + side * ROUNDING);
    return outward(logComplement(rest), side);
  };
  return {
    name: kind,
    pure: Infinity,
    rho: Infinity,
    guarantee,
    profile: {
      ...profile,
      title: kind,
      tail: { mu: exactly(Infinity), reason: REVEALING, ceiling: () => Infinity },
      logDelta: (epsilon, ...more) => {
        const { lower, upper } = profile.logDelta(epsilon, ...more);
        return ordered(at(lower, -1), at(upper, 1));
      },
    },
  };
}

const REVEALING = 'with some probability an output identifies the record beyond doubt';

function sourceFrom(
  guarantee: Guarantee,
  run: DirectedRun,
  { pure, tail }: { pure: number; tail: Profile['tail'] },
): ConversionSource {
  const line = lineOf(guarantee);
  return {
    name: guarantee.kind,
    run,
    pure,
    rho: Infinity,
    guarantee,
    profile: {
      title: guarantee.kind,
      standing: 'bound',
      adjacency: 'unstated',
      symmetric: true,
      tail,
      ...(guarantee.kind === 'gdp' && { gaussianMu: exactly(guarantee.mu) }),
      logDelta: (epsilon) => {
        if (epsilon >= pure) return exactly(-Infinity);
        if (line === undefined) return run.logDelta(epsilon);
        if (line.delta === 1) return exactly(0);
        // the logarithm of the stated δ is rounded too
        return aroundLog(impliedLogDelta(line.epsilon, log(line.delta), epsilon));
      },
    },
  };
}

type Paired = Extract<Guarantee, { kind: 'pure-dp' | 'approximate-dp' | 'gdp' | 'tabulated' | 'trade-off' }>;

/** The pair that dominates all mechanisms that meet the guarantee. Ensures: upper ends are no less than δ of any of them. */
function runOf(guarantee: Paired): DirectedRun {
  if (guarantee.kind === 'gdp') return gaussianRun(guarantee.mu);
  const line = lineOf(guarantee);
  return line?.epsilon === 0 && line.delta === 0 ? nothingRun : pairOf(guarantee).forward;
}

/** Ensures: no smaller than any privacy loss of a mechanism that meets the guarantee. */
function largestLoss(guarantee: Paired): number {
  switch (guarantee.kind) {
    case 'gdp':
      return guarantee.mu === 0 ? 0 : Infinity;
    case 'trade-off': {
      const { largest, infinity } = pairOf(guarantee);
      return infinity > 0 ? Infinity : up(Math.max(0, largest), FEW_ROUNDINGS) + FEW_ROUNDINGS;
    }
    default: {
      const points = guarantee.kind === 'tabulated' ? guarantee.points : [lineOf(guarantee)!];
      return least(points.map(({ epsilon, delta }) => (delta === 0 ? Math.max(0, epsilon) : Infinity)));
    }
  }
}

function pairTail(guarantee: Paired, pure: number): Profile['tail'] {
  if (guarantee.kind === 'gdp') {
    const { mu } = guarantee;
    return { mu: exactly(mu), reason: 'it is what is stated', ceiling: () => mu };
  }
  const bounded = pure < Infinity;
  return {
    mu: exactly(bounded ? 0 : Infinity),
    reason: bounded ? 'the privacy loss is bounded' : REVEALING,
    ceiling: (epsilon) => (epsilon >= pure ? 0 : Infinity),
  };
}

const RDP_TAIL: Profile['tail'] = {
  mu: exactly(Infinity),
  reason: 'Renyi divergences at finitely many orders bound large losses only exponentially',
  ceiling: () => Infinity,
};

function zcdpTail(rho: number): Profile['tail'] {
  // Gaussian noise that is μ-GDP has the Rényi divergence αμ²/2 of order α, so μ²/2 = ρ
  const mu = Math.sqrt(2 * rho);
  const spread = up(mu, FEW_ROUNDINGS);
  return {
    mu: bracket(down(mu, FEW_ROUNDINGS), spread),
    reason: 'log delta falls as -epsilon^2/(4 rho)',
    // ρ-zCDP implies log δ(ε) ≤ −(ε − ρ)²/4ρ for ε ≥ ρ
    ceiling: (epsilon) =>
      epsilon >= rho ? quadraticCeiling({ spread, linear: 0.5, constant: -rho / 4 }, epsilon) : Infinity,
  };
}
