import { type Checks, wrongValue } from '../../errors.js';
import { atomicPair } from '../../law/atomic-pair.js';
import { type Changes, type Shift, someShifts, wholeSquare, worstShifts } from '../../law/discrete-vector.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import {
  binomialAtoms,
  binomialTail,
  type ListedNoise,
  listedBinomial,
  listedSkellam,
  skellamAtoms,
  type WholeNoise,
} from '../../law/integer-noise.js';
import { type GaussianBelow, gaussianBelow, shiftBelow, shiftDelta } from '../../law/integer-vector.js';
import { latePair } from '../../law/late-pair.js';
import { ALL_LOSSES, type AtomicPair, type Atoms } from '../../law/pair.js';
import { Lazy, LruCache } from '../../numeric/lru-cache.js';
import { FEW_ROUNDINGS, ROUNDINGS, up } from '../../numeric/rounding.js';
import { log } from '../../numeric/scalar.js';
import { shortDecimal } from '../../text/decimal.js';
import type { Adjacency } from '../adjacency.js';
import { between, built, type Kind, made, type Part, whole, zeroOr } from '../kind.js';
import { asGaussian, GDP_KIND, noNoise } from './gaussian.js';

/** Bounds of the change that one record makes to several integers, each with independent noise. Without these fields there is a single integer. */
export interface VectorChange {
  /** Number of integers, 1 … 1e9; not limited if only norms are given. */
  readonly dimension?: number;
  /** Largest l1 norm of the change, an integer from 1 to 1e9; not limited if absent. */
  readonly sensitivityL1?: number;
  /** Largest l2 norm of the change, 1 … 3e4; it is read to a relative 1e-12, so that √N stands for N squared. Not limited if absent. */
  readonly sensitivityL2?: number;
  /** Set by the account: one record is replaced by another, which doubles the norms. */
  readonly replaced?: true;
  /** Set by the account: the change itself, a list of [entry, number of integers with it]. */
  readonly shift?: Shift;
}

/** An integer query plus the number of heads of fair coins: binomial noise. Each of many parties adds a few coins to its own value, and secure aggregation adds up the values. */
export interface Binomial extends VectorChange {
  readonly kind: 'binomial';
  /** Number of coins of all parties together: an integer up to 4e8; 0 is no privacy, ε = ∞. */
  readonly trials: number;
  /** Largest change of one integer: an integer from 1 to 1e6. */
  readonly sensitivity: number;
}

/** Integer query plus Skellam noise, the difference of two Poisson numbers of mean variance/2. Sums of Skellam noise are Skellam: the variances of the parties add up. */
export interface Skellam extends VectorChange {
  readonly kind: 'skellam';
  /** Variance of the noise of all parties together, in [0.01, 1e8]; 0 is no privacy, ε = ∞. */
  readonly variance: number;
  /** Largest change of one integer: an integer from 1 to 1e6, with sensitivity/√variance ≤ 50. */
  readonly sensitivity: number;
}

/**
 * Binomial noise on an integer query: the sum of `trials` fair coins.
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `Binomial`.
 * @example
 * account(engine, binomial({ trials: 2000, sensitivity: 1 }), { adjacency: 'add-remove' }).epsilon(1e-6).upper; // 0.168254
 */
export function binomial(options: Omit<Binomial, 'kind' | 'replaced' | 'shift'>): Binomial {
  return built(BINOMIAL_KIND, options);
}

/**
 * Skellam noise on an integer query.
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `Skellam`.
 * @example
 * account(engine, skellam({ variance: 25, sensitivity: 1 }), { adjacency: 'add-remove' }).epsilon(1e-6).upper; // 0.775701
 */
export function skellam(options: Omit<Skellam, 'kind' | 'replaced' | 'shift'>): Skellam {
  const mechanism = built(SKELLAM_KIND, options);
  const { variance, sensitivity } = mechanism;
  if (variance === 0 || sensitivity / Math.sqrt(variance) <= 50) return mechanism;
  const expected = `such that sensitivity/√variance is at most 50 (sensitivity is ${sensitivity})`;
  throw wrongValue('variance', expected, variance);
}

type Noise = Binomial | Skellam;

/** One of the two kinds of noise: how it is stated, and the functions that compute its distribution. */
interface NoiseLaw<M extends Noise> {
  /** The number that states the noise: coins, or the variance. */
  readonly noise: (m: M) => number;
  readonly stated: (m: M) => object;
  /** The losses of one integer that changes by `sensitivity`. */
  readonly atoms: (noise: number, sensitivity: number) => Atoms;
  /** The masses of the noise, down to e^{−depth}. */
  readonly listed: (noise: number, more: number, depth?: number) => ListedNoise;
  /** Whether the noise has more losses than are listed, and no listed output reveals the record for certain. */
  readonly isEndless: (noise: number, sensitivity: number) => boolean;
  /** The tail limit μ_t of the pair, if `isEndless`. */
  readonly tailMu: number;
  /** Standard deviation of the noise. */
  readonly deviation: (noise: number) => number;
  /** Tails of the noise are compared with those of Gaussian noise down to e^{−depth}. A deeper comparison gives a larger μ. */
  readonly depth: (noise: number) => number;
  /** Whether a change of this size reveals the record for certain, as the noise is bounded or absent. */
  readonly revealsAll: (noise: number, change: number) => boolean;
  readonly kind: () => Kind<M>;
}

/** Largest number of equal entries of a change. */
const MOST_EQUAL = 1e9;
/** Largest depth: tails of the noise and of a Gaussian are compared down to e^{−640}. */
const DEEPEST = 640;

/** Whether a record changes several integers, or a change is given. */
function isVector({ dimension, sensitivityL1, sensitivityL2, shift }: Noise): boolean {
  return [dimension, sensitivityL1, sensitivityL2, shift].some((stated) => stated !== undefined);
}

/**
 * The admissible changes: bounds of the largest entry, the l1 norm, the squared l2 norm and the dimension, each no larger than the others imply. They
 * are doubled where a record is replaced. Exact.
 */
function changesOf(m: Noise): Changes & { readonly largest: number } {
  const times = m.replaced ? 2 : 1;
  const { sensitivity, sensitivityL1 = Infinity, sensitivityL2 = Infinity, dimension = Infinity } = m;
  // norms of one record's vector of integers; a replacement doubles them below
  const sum = Math.min(Math.floor(sensitivityL1), dimension * sensitivity);
  const square = wholeSquare(sensitivityL2);
  const largest = Math.min(sensitivity, sum, Math.floor(Math.sqrt(square)));
  const squared = Math.min(square, sum * largest);
  return { largest: largest * times, sum: sum * times, squared: squared * times * times, dimension };
}

/**
 * The worst change, if there is a single one: the largest change of every integer if no norms are given. Under norms it must be the only maximal
 * change, and a replaced record has none.
 */
function worstOf(m: Noise, replaces: boolean): Shift | undefined {
  const shifts = worstShifts(changesOf(m));
  if (shifts?.length !== 1) return undefined;
  const isBox = m.sensitivityL1 === undefined && m.sensitivityL2 === undefined;
  return isBox || !replaces ? shifts[0] : undefined;
}

/** Gaussians that dominate a change of 1, cached by the noise. */
const gaussians = new LruCache<string, GaussianBelow>(64);

/**
 * A Gaussian release that dominates all admissible changes, except with probability e^{logRare}. Its μ is the largest l2 norm times that of a change
 * of 1 (docs/proofs/integer-noise.md). Both are rounded up.
 */
function gaussianOf<M extends Noise>(
  law: NoiseLaw<M>,
  m: M,
): { readonly mu: number; readonly logRare: number } {
  const noise = law.noise(m);
  const below = gaussians.of(`${m.kind} ${noise}`, () =>
    gaussianBelow(law.listed(noise, 0), law.depth(noise)),
  );
  const { largest, squared, sum, dimension } = changesOf(m);
  const changed = Math.min(dimension, squared, sum);
  return {
    mu: up(Math.sqrt(squared) * below.mu, FEW_ROUNDINGS),
    logRare: Math.min(0, below.logRare(largest) + log(changed) + ROUNDINGS),
  };
}

/** Heuristic: number of losses that are listed per standard deviation of the noise. */
const TAIL = 75;
/** Largest number of worst changes of one release for which upper bounds of δ are computed. Only sharpness and speed depend on it. */
const MOST_TOLD = 12;
/** Number of changes for which lower bounds are computed. Only sharpness and speed depend on it. */
const MOST_ASKED = 2;

/** Heuristic: the admissible changes of the largest l2 norm, at most `MOST_ASKED`, for lower bounds. */
function strongest(changes: Changes): Shift[] {
  const squareOf = (shift: Shift): number =>
    shift.reduce((sum, [entry, count]) => sum + entry * entry * count, 0);
  const all = worstShifts(changes) ?? someShifts(changes, MOST_EQUAL);
  return [...all].sort((a, b) => squareOf(b) - squareOf(a)).slice(0, MOST_ASKED);
}

/**
 * An upper bound of log δ(ε) of one release: the largest over its worst changes; undefined if these are too many. Ensures: no less than log δ(ε), by
 * `shiftDelta` of each change.
 */
function deltaAlone<M extends Noise>(
  law: NoiseLaw<M>,
  m: M,
  adjacency: Adjacency,
): ((epsilon: number) => number) | undefined {
  const shifts = worstShifts(changesOf(adjacency === 'replace-one' ? { ...m, replaced: true } : m));
  if (shifts === undefined || shifts.length > MOST_TOLD) return undefined;
  const each = new Lazy(() =>
    shifts.map((shift) => shiftDelta(shift, (entry) => law.atoms(law.noise(m), entry))),
  );
  return (epsilon) =>
    epsilon >= 0 ? each.value.reduce((most, delta) => Math.max(most, delta?.(epsilon) ?? 0), -Infinity) : 0;
}

/** The pair of a single integer. Long lists of losses are made on first use, as runs of many distinct steps may need the limits alone. */
function alonePair<M extends Noise>(law: NoiseLaw<M>, m: M): AtomicPair {
  const listed = (): AtomicPair => atomicPair(law.atoms(law.noise(m), m.sensitivity));
  if (!law.isEndless(law.noise(m), m.sensitivity)) return listed();
  const losses = Math.ceil(TAIL * law.deviation(law.noise(m)));
  const known = { ...ALL_LOSSES, gdpMu: Infinity, tailMu: law.tailMu, losses };
  return latePair(known, listed);
}

/** The noise of a single integer by its masses, for comparison with Gaussians. */
function wholeNoise<M extends Noise>(law: NoiseLaw<M>, m: M): WholeNoise {
  const noise = law.noise(m);
  return {
    deviation: law.deviation(noise),
    change: m.sensitivity,
    listed: (depth) => law.listed(noise, 0, depth),
  };
}

type Hooks = 'pair' | 'noise' | 'doubled' | 'sampled' | 'rank' | 'parts' | 'attacks' | 'alone' | 'logLost';

/**
 * The methods of a kind that depend on its noise. A single integer has the pair of the noise itself. Several integers have the parts of their worst
 * change, if there is one, or else a dominating Gaussian.
 */
function hooksOf<M extends Noise>(law: NoiseLaw<M>): Pick<Kind<M>, Hooks> {
  const one = (m: M, sensitivity: number): M =>
    made(law.kind(), { ...law.stated(m), sensitivity } as unknown as Omit<M, 'kind'>);
  const parts = (m: M, shift: Shift): Part[] =>
    shift.map(([entry, count]) => ({ mechanism: one(m, entry), count }));
  const revealsAll = (m: M): boolean =>
    law.revealsAll(law.noise(m), m.shift?.[0][0] ?? (isVector(m) ? changesOf(m).largest : m.sensitivity));
  const isOpen = (m: M): boolean => isVector(m) && m.shift === undefined && !revealsAll(m);
  return {
    pair: (m) => {
      const atoms = (entry: number): Atoms => law.atoms(law.noise(m), entry);
      if (m.shift !== undefined) return shiftBelow(m.shift, atoms);
      if (!isVector(m)) return alonePair(law, m);
      const { mu } = gaussianOf(law, m);
      return gaussianPair(1 / mu, mu);
    },
    noise: (m) => (isVector(m) ? undefined : wholeNoise(law, m)),
    doubled: (m) => (isVector(m) ? { ...m, replaced: true } : { ...m, sensitivity: m.sensitivity * 2 }),
    sampled: (m) => {
      if (revealsAll(m)) return noNoise();
      if (!isVector(m) || m.shift !== undefined) return undefined;
      const { mu } = gaussianOf(law, m);
      return mu > 0 ? asGaussian(1 / mu) : { rate: 1, mechanism: made(GDP_KIND, { mu }) };
    },
    // a sum of two independent such noises is of the same kind, so more noise is more private
    rank: (m) => {
      const noise = law.noise(m);
      const size = m.sensitivity / Math.sqrt(noise);
      return isVector(m) ? undefined : { common: m.sensitivity, order: -noise, size };
    },
    parts: (m, adjacency) => {
      if (!isVector(m) || revealsAll(m)) return undefined;
      const shift = m.shift ?? worstOf(m, adjacency === 'replace-one');
      return shift && parts(m, shift);
    },
    attacks: (m, adjacency, onAll) => {
      const replaces = adjacency === 'replace-one';
      const isExact = onAll && worstOf(m, replaces) !== undefined;
      if (!isVector(m) || m.shift !== undefined || revealsAll(m) || isExact) return [];
      const times = replaces ? 2 : 1;
      return strongest(changesOf(m)).map((shift) =>
        made(law.kind(), {
          ...law.stated(m),
          sensitivity: m.sensitivity,
          shift: shift.map(([entry, count]) => [entry * times, count] as const),
        } as unknown as Omit<M, 'kind'>),
      );
    },
    alone: (m, adjacency) => (isOpen(m) ? deltaAlone(law, m, adjacency) : undefined),
    logLost: (m, adjacency, onAll) => {
      if (!isVector(m) || m.shift !== undefined || revealsAll(m)) return -Infinity;
      const isExact = onAll && worstOf(m, adjacency === 'replace-one') !== undefined;
      return isExact
        ? -Infinity
        : gaussianOf(law, m.replaced || adjacency !== 'replace-one' ? m : { ...m, replaced: true }).logRare;
    },
  };
}

const SOURCE = 'docs/proofs/integer-noise.md';

const VECTOR: Checks = {
  'dimension?': whole(1, MOST_EQUAL),
  'sensitivityL1?': whole(1, MOST_EQUAL),
  'sensitivityL2?': between(1, 3e4),
};

/** The norms of a change in words. */
function ofVector(m: Noise): string {
  if (!isVector(m)) return '';
  const { dimension, sensitivityL1, sensitivityL2 } = m;
  const of = dimension === undefined ? ', of several numbers' : `, of ${shortDecimal(dimension)} numbers`;
  const norms = [
    ...(sensitivityL1 === undefined ? [] : [`, L1 ${shortDecimal(sensitivityL1)}`]),
    ...(sensitivityL2 === undefined ? [] : [`, L2 ${shortDecimal(sensitivityL2)}`]),
  ];
  return `${of}${norms.join('')}`;
}

/** What is known of the width of brackets, for the facts of both kinds. */
const WIDE =
  'where several changes of a vector could be the worst, or it is on a sample: wide where the noise is small';

/**
 * Number of coins for each unit of `depth` of binomial noise. The score of a tail probability p is −Φ⁻¹(p). At z standard deviations the score of a
 * Gaussian exceeds that of the coins by a relative |z|²/(4·trials), which this keeps small. Only sharpness depends on it.
 */
const COINS = 1000;

const BINOMIAL: NoiseLaw<Binomial> = {
  noise: (m) => m.trials,
  stated: ({ trials }) => ({ trials }),
  atoms: binomialAtoms,
  listed: listedBinomial,
  isEndless: (trials, sensitivity) => binomialTail(trials, sensitivity) === 0,
  tailMu: Infinity,
  deviation: (trials) => Math.sqrt(trials) / 2,
  depth: (trials) => Math.min(DEEPEST, Math.max(80, trials / COINS)),
  revealsAll: (trials, change) => change > trials,
  kind: () => BINOMIAL_KIND,
};

const SKELLAM: NoiseLaw<Skellam> = {
  noise: (m) => m.variance,
  stated: ({ variance }) => ({ variance }),
  atoms: skellamAtoms,
  listed: listedSkellam,
  isEndless: () => true,
  tailMu: 0,
  deviation: Math.sqrt,
  depth: () => DEEPEST,
  revealsAll: (variance) => variance === 0,
  kind: () => SKELLAM_KIND,
};

export const BINOMIAL_KIND: Kind<Binomial> = {
  ...hooksOf(BINOMIAL),
  name: 'binomial',
  families: ['atoms', 'gaussian'],
  title: 'Binomial noise of many parties',
  standing: 'exact',
  tail: 'some outputs give the record away: mu_t = ∞, though with probability 2^-trials and little more',
  source: SOURCE,
  wide: WIDE,
  fields: { trials: whole(0, 4e8), sensitivity: whole(1, 1e6), ...VECTOR },
  build: binomial,
  describe: (m) =>
    `binomial noise of ${shortDecimal(m.trials)} fair coins, sensitivity ${m.sensitivity}${ofVector(m)}`,
};

export const SKELLAM_KIND: Kind<Skellam> = {
  ...hooksOf(SKELLAM),
  name: 'skellam',
  families: ['atoms', 'gaussian'],
  title: 'Skellam noise of many parties',
  standing: 'exact',
  tail: 'lighter than Gaussian, mu_t = 0',
  source: SOURCE,
  wide: WIDE,
  fields: { variance: zeroOr(0.01, 1e8), sensitivity: whole(1, 1e6), ...VECTOR },
  build: skellam,
  describe: (m) =>
    `Skellam noise of variance ${shortDecimal(m.variance)}, sensitivity ${m.sensitivity}${ofVector(m)}`,
};
