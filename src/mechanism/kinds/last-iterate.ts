import { requireNumber, requireOptions, wrongValue } from '../../errors.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import { branchedPair } from '../../law/joined-laws.js';
import { cellLaw } from '../../law/lattice/cell-law.js';
import type { Branch, Pair } from '../../law/pair.js';
import { U } from '../../numeric/constants.js';
import { down, FEW_ROUNDINGS, FUNCTION_ERROR, up } from '../../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../../numeric/scalar.js';
import { shortDecimal } from '../../text/decimal.js';
import type { Adjacency } from '../adjacency.js';
import { built, type Kind, made, oneOf, whole, zeroOr } from '../kind.js';
import { GDP_KIND } from './gaussian.js';
import { GAUSSIAN_MIXTURE_KIND, REPLACED_GAUSSIAN_KIND } from './gaussian-mixture.js';

/**
 * Noisy gradient descent on a convex, smooth loss of which only the last iterate is published. The batches of an epoch are fixed
 * and visited in a fixed order, or in a new random order each epoch. Not covered: clipping of single gradients outside generalised linear models, momentum, Adam,
 * published checkpoints, and stopping by a look at the iterates.
 */
export interface LastIterate {
  readonly kind: 'last-iterate';
  /** Noise multiplier σb/L: the standard deviation σ of the noise on a batch's mean gradient, over L/b, by which one record changes that mean. 0 or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /** Number of batches of an epoch, 1 … 1e9; 1 for full batches. */
  readonly batches: number;
  /** Number of epochs, 1 … 1e9. */
  readonly epochs: number;
  /** Contraction factor c in [0, 1]: a step maps any two points to at most c times their distance. See `contractionOf`. */
  readonly contraction: number;
  /** Order of the batches of an epoch: 'fixed' unless given, or 'shuffled', uniformly at random and anew each epoch. */
  readonly order?: 'fixed' | 'shuffled';
  /** Relative error of the noise multiplier, [0, 1e-6]; 0 unless given. Brackets hold for each noise within it. */
  readonly noiseError?: number;
}

/**
 * Training by gradient descent of which the last iterate alone is published (Bok, Su, Altschuler 2024; docs/proofs/last-iterate.md).
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `LastIterate`.
 * @example
 * const fit = lastIterate({ noiseMultiplier: 1, batches: 100, epochs: 10, contraction: 1 });
 * account(engine, fit, { adjacency: 'zero-out' }).epsilon(1e-5).upper; // 4.60143
 */
export function lastIterate(options: Omit<LastIterate, 'kind'>): LastIterate {
  const mechanism = built(LAST_ITERATE_KIND, options);
  const { noiseMultiplier, order } = mechanism;
  if (order === 'shuffled' && noiseMultiplier !== 0 && !(noiseMultiplier >= 1e-3 && noiseMultiplier <= 1e6))
    throw wrongValue('noiseMultiplier', '0 or from 1e-3 to 1e6 where batches are shuffled', noiseMultiplier);
  return mechanism;
}

/** A loss and the step of gradient descent on it. */
export interface ContractionOptions {
  /** Smoothness M: the Lipschitz constant of the gradient, > 0. */
  readonly smoothness: number;
  /** Strong convexity m, 0 … M; 0 unless given. */
  readonly strongConvexity?: number;
  /** Step size η, > 0 and at most 2/M. */
  readonly stepSize: number;
}

/**
 * The factor by which a step x − η∇f(x) brings any two points together: max(|1 − ηm|, |1 − ηM|), rounded up.
 *
 * @throws TypeError | RangeError if M or η is not positive, m is not in [0, M], or η is above 2/M.
 * @example
 * contractionOf({ smoothness: 4, strongConvexity: 0.2, stepSize: 0.1 }); // 0.98
 */
export function contractionOf(options: ContractionOptions): number {
  requireOptions('contractionOf', options, ['smoothness', 'strongConvexity', 'stepSize']);
  const smoothness = requireNumber('smoothness', options?.smoothness, 'a number > 0');
  const convexity = requireNumber('strongConvexity', options.strongConvexity ?? 0, 'a number >= 0');
  const step = requireNumber('stepSize', options.stepSize, 'a number > 0');
  if (convexity > smoothness)
    throw wrongValue('strongConvexity', `at most the smoothness, ${smoothness}`, convexity);
  if (step * smoothness > 2) throw wrongValue('stepSize', `at most 2/${smoothness}`, step);
  const factor = Math.max(Math.abs(1 - step * convexity), Math.abs(1 - step * smoothness));
  return convexity === 0 ? 1 : Math.min(1, up(factor, FUNCTION_ERROR));
}

/** Bound of the relative rounding error of `squareAt` and `squareOf`. */
const SQUARE_ERROR = 4e-14;

/**
 * The greatest convex minorant of the record's accumulated shift as a function of the accumulated noise variance (docs/proofs/last-iterate.md, 4 and
 * 6). It consists of chords; a chord at least as steep as the next is merged with it.
 */
export class Minorant {
  private readonly lines: (readonly [shift: number, noise: number])[] = [];

  /** Adds an interval of steps: its shift and its noise variance, both contracted by all later steps. */
  add(shift: number, noise: number): void {
    const { lines } = this;
    for (let last = lines.at(-1); last && last[0] * noise >= shift * last[1]; last = lines.at(-1)) {
      [shift, noise] = [shift + last[0], noise + last[1]];
      lines.pop();
    }
    lines.push([shift, noise]);
  }

  /** μ² = Σ shift²/variance over the chords, without a bound of its rounding error. */
  get square(): number {
    return this.lines.reduce((sum, [shift, noise]) => sum + (noise > 0 ? shift ** 2 / noise : 0), 0);
  }
}

/** Σ e^{−iy}, i = 1 … n, as a geometric series: e^{−y}(1 − e^{−ny})/(1 − e^{−y}), with a few roundings of relative error. */
export function decaying(y: number, n: number): number {
  return y === 0 || n === 0 ? n : (exp(-y) * expm1(-n * y)) / expm1(-y);
}

/** A smaller contraction c is replaced by this one, which changes μ² by no more than a rounding. */
const LEAST_CONTRACTION = 1e-60;

/** −log c of the contraction c, with a few roundings of relative error. */
export function rateOf(contraction: number): number {
  return contraction < 0.5 ? -log(Math.max(contraction, LEAST_CONTRACTION)) : -log1p(contraction - 1);
}

/**
 * μ²·noiseMultiplier² of a run with fixed batches: 1 + S²/X, or (1 + S)²/(1 + X) for full batches (docs/proofs/last-iterate.md). There are E epochs of l
 * batches, and c is the contraction factor. S is the sum of c^{il} for i = 1 … E − 1. X is the sum of c^{2i} for i = 1 … (E − 1)l. The relative error is
 * SQUARE_ERROR at most.
 */
function squareOf({ batches, epochs, contraction }: LastIterate): number {
  const before = epochs - 1;
  if (before === 0 || contraction === 0) return 1;
  const rate = rateOf(contraction);
  const shifts = decaying(batches * rate, before);
  const noise = decaying(2 * rate, before * batches);
  if (batches === 1) return (1 + shifts) ** 2 / (1 + noise);
  return noise > 0 ? 1 + shifts ** 2 / noise : 1;
}

/**
 * μ²·noiseMultiplier² for a record that is in batch `batches` − r of the last epoch, and in the last batch of all other epochs. It is by the greatest
 * convex minorant (docs/proofs/last-iterate.md, 4).
 *
 * Ensures: no less than that of the run, apart from rounding.
 */
function squareAt({ batches, epochs, contraction }: LastIterate, r: number): number {
  if (contraction === 0) return r === 0 ? 1 : 0;
  const rate = rateOf(contraction);
  const power = (k: number): number => exp(-k * rate);
  // shift and noise variance of three intervals: all epochs but two, the last but one, and the last
  const lines = new Minorant();
  if (epochs >= 3)
    lines.add(
      power(batches) * decaying(batches * rate, epochs - 2),
      power(2 * batches) * decaying(2 * rate, (epochs - 2) * batches),
    );
  if (epochs >= 2) lines.add(power(batches), power(2 * r) * decaying(2 * rate, batches - r));
  lines.add(power(r), 1 + decaying(2 * rate, r));
  return lines.square;
}

/** Places r in the last epoch are grouped to blocks of r/ALONE, so about this many are told apart. Only width depends on it. */
const ALONE = 24;

/**
 * The pair of shuffled batches, if the record's place in the last epoch is published: a mixture of Gaussians, one for each group of places.
 *
 * Ensures: the μ of a group is no less than that of any of its places.
 */
function shuffledPair(m: LastIterate): Pair {
  const { batches, noiseMultiplier } = m;
  const branches: Branch[] = [];
  for (let r = 0; r < batches; ) {
    const next = Math.min(batches, r + 1 + Math.floor(r / ALONE));
    const mu = Math.max(1e-300, up(Math.sqrt(squareAt(m, r)) / noiseMultiplier, errorOf(m)));
    const pair = gaussianPair(1 / mu, mu);
    branches.push({
      weight: (next - r) / batches,
      law: (direction) => cellLaw(pair, 1, direction),
    });
    r = next;
  }
  const mu = up(Math.sqrt(squareAt(m, 0)) / noiseMultiplier, errorOf(m));
  return branchedPair(branches, FEW_ROUNDINGS, { tailMu: mu, gdpMu: up(mu, 8 * U) });
}

/**
 * Lower bound of μ²·noiseMultiplier² for shuffled batches: an attack by the sum of what the record adds, where every step contracts by exactly c.
 * Each epoch adds at least what the record in its first batch would. It is not rounded.
 */
function sumSquare({ batches, epochs, contraction }: LastIterate): number {
  if (contraction === 0) return 0;
  const rate = rateOf(contraction);
  const shift = exp(-(batches - 1) * rate) * (1 + decaying(batches * rate, epochs - 1));
  return shift ** 2 / (1 + decaying(2 * rate, batches * epochs - 1));
}

/** An attack on shuffled batches by the record's place in the last epoch: with probability 1/batches it is in the last batch. A sampled Gaussian, for the adjacency. */
function lastPlace(
  { noiseMultiplier, batches }: LastIterate,
  adjacency: Adjacency,
): { readonly kind: string } {
  const rate = down(1 / batches, FUNCTION_ERROR);
  if (adjacency === 'replace-one') return made(REPLACED_GAUSSIAN_KIND, { noiseMultiplier, rate });
  const probabilities = [1 - rate, rate];
  return made(GAUSSIAN_MIXTURE_KIND, { noiseMultiplier, sensitivities: [0, 1], probabilities });
}

/** Whether the run has several batches in a random order. */
const isShuffled = ({ order, batches }: LastIterate): boolean => order === 'shuffled' && batches > 1;

/** Bound of the relative error of μ, by roundings and `noiseError`. Ensures: no less than that error. */
const errorOf = ({ noiseError = 0 }: LastIterate): number => 2 * SQUARE_ERROR + 1.00001 * noiseError;

/** μ of a run with fixed batches, rounded up. */
const muOf = (m: LastIterate): number => up(Math.sqrt(squareOf(m)) / m.noiseMultiplier, errorOf(m));

export const LAST_ITERATE_KIND: Kind<LastIterate> = {
  name: 'last-iterate',
  families: ['gaussian', 'branched'],
  title: 'Last iterate of convex training',
  standing: 'bound',
  adjacency: 'zero-out; replace-one doubles the sensitivity',
  tail: 'Gaussian, mu_t is the mu of the whole',
  source: 'Bok, Su, Altschuler 2024; docs/proofs/last-iterate.md',
  drawing: 'fixed',
  fields: {
    noiseMultiplier: zeroOr(1e-9, 1e9),
    batches: whole(1, 1e9),
    epochs: whole(1, 1e9),
    contraction: 'a number in [0, 1]',
    'order?': oneOf('fixed', 'shuffled'),
    'noiseError?': 'a number in [0, 1e-6]',
  },
  build: lastIterate,
  describe: (m) =>
    `last iterate of ${m.epochs} epochs of ${m.batches} ${isShuffled(m) ? 'shuffled ' : ''}batches, noise multiplier ${shortDecimal(m.noiseMultiplier)}, contraction ${shortDecimal(m.contraction)}`,
  wide: 'shuffled batches: from below by the sum of what the record adds, or by its place in the last epoch',
  pair: (m) => (isShuffled(m) ? shuffledPair(m) : gaussianPair(1 / muOf(m), muOf(m))),
  doubled: (m) => ({ ...m, noiseMultiplier: m.noiseMultiplier / 2 }),
  revealsAll: (m) => m.noiseMultiplier === 0,
  gaussianMu: (m) => (isShuffled(m) ? undefined : muOf(m)),
  attacks: (m, adjacency) => {
    if (m.noiseMultiplier === 0) return [];
    const times = adjacency === 'replace-one' ? 2 : 1;
    const square = isShuffled(m) ? sumSquare(m) : squareOf(m);
    const mu = down((times * Math.sqrt(square)) / m.noiseMultiplier, errorOf(m));
    const ofSum = made(GDP_KIND, { mu });
    if (!isShuffled(m)) return [ofSum];
    const noiseMultiplier = up(m.noiseMultiplier, errorOf(m));
    return [ofSum, lastPlace({ ...m, noiseMultiplier }, adjacency)];
  },
};
