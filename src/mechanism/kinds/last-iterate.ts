import { requireNumber, requireOptions, wrongValue } from '../../errors.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import { GAUSSIAN } from '../../methods/families/gaussian.js';
import { down, FUNCTION_ERROR, up } from '../../numeric/rounding.js';
import { exp, expm1, log1p } from '../../numeric/scalar.js';
import { shortDecimal } from '../../text/decimal.js';
import { built, type Kind, made, whole, zeroOr } from '../kind.js';
import { GDP_KIND } from './gaussian.js';

/**
 * Noisy gradient descent on a convex, smooth loss of which only the last iterate is published. The batches of an epoch are fixed
 * and visited in a fixed order. Not covered: clipping of single gradients outside generalised linear models, momentum, Adam,
 * published checkpoints, and stopping by a look at the iterates.
 */
export interface LastIterate {
  readonly kind: 'last-iterate';
  /** σb/L: noise of a mean gradient over what one record moves it by, 0 or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /** Batches an epoch, 1 … 1e9; 1 for full batches. */
  readonly batches: number;
  /** 1 … 1e9. */
  readonly epochs: number;
  /** c: each step moves any two points to at most c times their distance, [0, 1]. See `contractionOf`. */
  readonly contraction: number;
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
  return built(LAST_ITERATE_KIND, options);
}

/** A loss and the step of gradient descent on it. */
export interface ContractionOptions {
  /** M: the gradient's Lipschitz constant, > 0. */
  readonly smoothness: number;
  /** m: strong convexity, 0 … M; 0 unless given. */
  readonly strongConvexity?: number;
  /** η: step size, > 0 and at most 2/M. */
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

/** Relative error of the square below. */
const SQUARE_ERROR = 4e-14;

/**
 * μ² in units of 1/noiseMultiplier². S is the sum of c^{il}, i = 1 … E − 1; X is that of c^{2i}, i = 1 … (E − 1)l. It is
 * 1 + S²/X; of full batches (1 + S)²/(1 + X).
 */
function squareOf({ batches, epochs, contraction }: LastIterate): number {
  const before = epochs - 1;
  if (before === 0 || contraction === 0) return 1;
  const rate = -log1p(contraction - 1);
  // Σ e^{−iy}, i = 1 … n
  const sum = (y: number, n: number): number => (y === 0 ? n : (exp(-y) * expm1(-n * y)) / expm1(-y));
  const shifts = sum(batches * rate, before);
  const noise = sum(2 * rate, before * batches);
  return batches === 1 ? (1 + shifts) ** 2 / (1 + noise) : 1 + shifts ** 2 / noise;
}

const muOf = (m: LastIterate): number => up(Math.sqrt(squareOf(m)) / m.noiseMultiplier, 2 * SQUARE_ERROR);

export const LAST_ITERATE_KIND: Kind<LastIterate> = {
  name: 'last-iterate',
  families: [GAUSSIAN],
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
  },
  build: lastIterate,
  describe: (m) =>
    `last iterate of ${m.epochs} epochs of ${m.batches} batches, noise multiplier ${shortDecimal(m.noiseMultiplier)}, contraction ${shortDecimal(m.contraction)}`,
  pair: (m) => gaussianPair(1 / muOf(m), muOf(m)),
  doubled: (m) => ({ ...m, noiseMultiplier: m.noiseMultiplier / 2 }),
  revealsAll: (m) => m.noiseMultiplier === 0,
  gaussianMu: muOf,
  attacks: (m, adjacency) => {
    if (m.noiseMultiplier === 0) return [];
    const times = adjacency === 'replace-one' ? 2 : 1;
    const mu = down((times * Math.sqrt(squareOf(m))) / m.noiseMultiplier, 2 * SQUARE_ERROR);
    return [made(GDP_KIND, { mu })];
  },
};
