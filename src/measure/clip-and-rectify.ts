import { requireNumber, requireOptions, requirePositive, wrongType, wrongValue } from '../errors.js';

/** The guarantee of the outputs, and the interval to which they are clipped. */
export interface ClipAndRectifyOptions {
  /** Left end of the interval to which outputs are clipped, chosen without looking at the data. */
  readonly lower: number;
  /** Right end of the interval, in the unit of the outputs. */
  readonly upper: number;
  /** ε_h of a mechanism that is (ε_h, μ)-head GDP: `measureHead(…).epsilonHead`, with `mu.upper`. */
  readonly epsilonHead: number;
  /** μ of the head, ≥ 0. */
  readonly mu: number;
}

/** The guarantee of the outputs of `rectify`. */
export interface RectifiedGuarantee {
  /** μ of GDP at all error rates. */
  readonly mu: number;
  /** ε of pure DP, by the added noise alone. */
  readonly epsilon: number;
  /** The theorem by which the post-processing has this effect. */
  readonly theorem: string;
}

/** A post-processing of outputs, and the guarantee of its results. */
export interface ClipAndRectify {
  /** The guarantee of the outputs of `rectify`. */
  readonly guarantee: RectifiedGuarantee;
  /** Scale of the Laplace noise to add: (upper − lower)/ε_h. */
  readonly scale: number;
  /** min(max(value, lower), upper); NaN becomes `lower`, so that every output is in the interval. */
  clip(value: number): number;
  /**
   * The post-processed output: `clip(value)` plus one draw of `sampleLaplace(scale)`.
   *
   * @throws TypeError if `sampleLaplace` is no function, RangeError if it returns no finite number.
   */
  rectify(value: number, sampleLaplace: (scale: number) => number): number;
}

/**
 * Turns a numeric (ε_h, μ)-head GDP mechanism into a μ-GDP one by post-processing its output. The output is clipped to an interval, and Laplace noise
 * is added that alone makes it ε_h-DP (IAM thm 4.4).
 *
 * The noise comes from the caller. Drawing it safely needs a cryptographic source of randomness and a sampler without the floating-point holes of the
 * textbook one. (Mironov 2012: the low bits of −scale·log u betray the value.) Neither belongs in an accountant, so none is shipped. Discrete noise
 * on a fixed lattice is one way out.
 *
 * @throws TypeError | RangeError if lower < upper does not hold, `epsilonHead` is not > 0 or `mu` not ≥ 0.
 * @example
 * clipAndRectify({ lower: -3, upper: 5, epsilonHead: 10, mu: 1 }).scale; // 0.8
 */
export function clipAndRectify(options: ClipAndRectifyOptions): ClipAndRectify {
  requireOptions('clipAndRectify', options, ['lower', 'upper', 'epsilonHead', 'mu']);
  const lower = requireNumber('lower', options?.lower, 'a finite number');
  const upper = requireNumber(
    'upper',
    options.upper,
    `a finite number above lower (${lower})`,
    (x) => x > lower && x - lower < Infinity,
  );
  const epsilonHead = requirePositive('epsilonHead', options.epsilonHead);
  const mu = requireNumber('mu', options.mu, 'a number >= 0', (x) => x >= 0 && x < Infinity);
  // rounded up, as more noise is more private
  const scale = ((upper - lower) / epsilonHead) * (1 + 4 * Number.EPSILON);
  if (!(scale > 0 && scale < Infinity)) {
    throw wrongValue(
      'epsilonHead',
      'such that (upper - lower)/epsilonHead is a finite number > 0',
      epsilonHead,
    );
  }
  const clip = (value: number): number => {
    if (typeof value !== 'number' || Number.isNaN(value)) return lower;
    return Math.min(Math.max(value, lower), upper);
  };
  return {
    guarantee: { mu, epsilon: epsilonHead, theorem: 'IAM theorem 4.4 (clip and rectify)' },
    scale,
    clip,
    rectify: (value, sampleLaplace) => {
      if (typeof sampleLaplace !== 'function') {
        throw wrongType('sampleLaplace', 'a function that draws Laplace noise of a scale', sampleLaplace);
      }
      const noise = sampleLaplace(scale);
      if (typeof noise !== 'number') throw wrongType('sampleLaplace(scale)', 'a number', noise);
      if (!Number.isFinite(noise)) throw wrongValue('sampleLaplace(scale)', 'a finite number', noise);
      return clip(value) + noise;
    },
  };
}
