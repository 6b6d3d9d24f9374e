import { requireCount, requireNumber, requireProbability, wrongType } from '../errors.js';

/**
 * Mechanisms are plain, JSON-serialisable data, told apart by `kind`. Each is built by a function
 * that checks its numbers; data read from elsewhere goes through `parseMechanism`.
 */
export type Mechanism = Gaussian | PoissonSubsampled | Repeat | Compose;

/** Sum query of L2 sensitivity 1 (add/remove one record) plus N(0, σ²I) noise. */
export interface Gaussian {
  readonly kind: 'gaussian';
  /** Noise standard deviation over sensitivity: 0 (no privacy, ε = ∞) or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
}

/** `inner` run on a Poisson sample: every record takes part independently with probability `rate`. */
export interface PoissonSubsampled {
  readonly kind: 'poisson-subsampled';
  readonly rate: number;
  readonly inner: Gaussian;
}

/** `inner` run `count` times, adaptively, with fresh randomness each time. */
export interface Repeat {
  readonly kind: 'repeat';
  readonly count: number;
  readonly inner: Mechanism;
}

/** All `parts` run one after the other, adaptively. */
export interface Compose {
  readonly kind: 'compose';
  readonly parts: readonly Mechanism[];
}

/**
 * @example gaussian({ noiseMultiplier: 1.1 })
 * @throws TypeError | RangeError if `noiseMultiplier` is neither 0 nor in [1e-9, 1e9].
 */
export function gaussian(options: { noiseMultiplier: number }): Gaussian {
  const noiseMultiplier = requireNumber(
    'noiseMultiplier',
    options.noiseMultiplier,
    '0 or a number from 1e-9 to 1e9',
    (x) => x === 0 || (x >= 1e-9 && x <= 1e9),
  );
  return { kind: 'gaussian', noiseMultiplier };
}

/** @throws TypeError | RangeError if `rate` is not in [0, 1] or `inner` is not a Gaussian. */
export function poissonSubsampled(inner: Gaussian, options: { rate: number }): PoissonSubsampled {
  if (inner?.kind !== 'gaussian') throw wrongType('inner', 'a gaussian mechanism', inner);
  return { kind: 'poisson-subsampled', rate: requireProbability('rate', options.rate), inner };
}

/** @throws TypeError | RangeError if `count` is not a whole number ≥ 0. */
export function repeat(inner: Mechanism, count: number): Repeat {
  return { kind: 'repeat', count: requireCount('count', count), inner };
}

export function compose(parts: readonly Mechanism[]): Compose {
  if (!Array.isArray(parts)) throw wrongType('parts', 'an array of mechanisms', parts);
  return { kind: 'compose', parts };
}

/** One DP-SGD phase: `steps` Poisson-subsampled Gaussian steps. */
export function dpSgd(options: { noiseMultiplier: number; samplingRate: number; steps: number }): Repeat {
  const rate = requireProbability('samplingRate', options.samplingRate);
  const steps = requireCount('steps', options.steps);
  return repeat(poissonSubsampled(gaussian(options), { rate }), steps);
}
