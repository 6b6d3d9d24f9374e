import {
  requireCount,
  requireOptions,
  requireProbability,
  requireWhole,
  wrongType,
  wrongValue,
} from '../errors.js';
import { binomialMasses } from '../numeric/binomial-masses.js';
import { type Basic, gaussian, gaussianMixture } from './basic.js';
import { MAX_PARTS } from './kinds/gaussian-mixture.js';

/**
 * Mechanisms are plain, JSON-serialisable data, told apart by `kind`. Each is built by a function
 * that checks its numbers; data read from elsewhere goes through `parseMechanism`.
 */
export type Mechanism = Basic | PoissonSubsampled | WithoutReplacement | Repeat | Compose;

/** `inner` run on a Poisson sample: every record takes part independently with probability `rate`. Add/remove only. */
export interface PoissonSubsampled {
  readonly kind: 'poisson-subsampled';
  /** Probability with which each record takes part, in [0, 1]. */
  readonly rate: number;
  /** What is run on the sample. */
  readonly inner: Basic;
}

/** `inner` run on `sampleSize` of `datasetSize` records, every such set as likely as any other. Replace-one only. */
export interface WithoutReplacement {
  readonly kind: 'without-replacement';
  /** Records in the sample, 0 … datasetSize. */
  readonly sampleSize: number;
  /** Records in the data set, ≥ 1. */
  readonly datasetSize: number;
  /** What is run on the sample. */
  readonly inner: Basic;
}

/** `inner` run `count` times, adaptively, with fresh randomness each time. */
export interface Repeat {
  readonly kind: 'repeat';
  /** A whole number ≥ 0. */
  readonly count: number;
  /** What is run each time. */
  readonly inner: Mechanism;
}

/** All `parts` run one after the other, adaptively. */
export interface Compose {
  readonly kind: 'compose';
  /** What is run, in any order: no answer depends on it. */
  readonly parts: readonly Mechanism[];
}

const COMBINED: readonly unknown[] = [
  'poisson-subsampled',
  'without-replacement',
  'repeat',
  'compose',
  'select',
];

function requireBasic(inner: unknown): Basic {
  const { kind } = (inner ?? {}) as { kind?: unknown };
  if (typeof kind !== 'string' || COMBINED.includes(kind)) {
    throw wrongType(
      'inner',
      'a single mechanism (not sampled, repeated, composed or selected)',
      kind ?? inner,
    );
  }
  return inner as Basic;
}

/**
 * A mechanism on a Poisson sample: each record takes part independently with probability `rate`.
 *
 * @throws TypeError | RangeError if `rate` is not in [0, 1] or `inner` is not a single mechanism.
 * @example
 * poissonSubsampled(gaussian({ noiseMultiplier: 1.1 }), { rate: 0.01 }).rate; // 0.01
 */
export function poissonSubsampled(inner: Basic, options: { rate: number }): PoissonSubsampled {
  requireOptions('poissonSubsampled', options, ['rate']);
  requireBasic(inner);
  return { kind: 'poisson-subsampled', rate: requireProbability('rate', options?.rate), inner };
}

/**
 * A mechanism on a sample of fixed size, drawn without replacement.
 *
 * @throws TypeError | RangeError if the sizes are not whole numbers with 0 ≤ sampleSize ≤ datasetSize, datasetSize ≥ 1.
 * @example
 * const sampled = withoutReplacement(gaussian({ noiseMultiplier: 2 }), { sampleSize: 100, datasetSize: 1000 });
 * account(engine, sampled, { adjacency: 'replace-one' }).epsilon(1e-5).upper; // 1.68455
 */
export function withoutReplacement(
  inner: Basic,
  options: { sampleSize: number; datasetSize: number },
): WithoutReplacement {
  requireOptions('withoutReplacement', options, ['sampleSize', 'datasetSize']);
  requireBasic(inner);
  const datasetSize = requireWhole('datasetSize', options?.datasetSize, 1, Number.MAX_SAFE_INTEGER);
  const sampleSize = requireWhole('sampleSize', options.sampleSize, 0, datasetSize);
  return { kind: 'without-replacement', sampleSize, datasetSize, inner };
}

/**
 * A mechanism `count` times, each time with fresh randomness.
 *
 * @throws TypeError | RangeError if `count` is not a whole number ≥ 0.
 * @example
 * repeat(laplace({ scale: 10, sensitivity: 1 }), 5).count; // 5
 */
export function repeat(inner: Mechanism, count: number): Repeat {
  if (typeof inner?.kind !== 'string') throw wrongType('inner', 'a mechanism', inner);
  return { kind: 'repeat', count: requireCount('count', count), inner };
}

/**
 * Mechanisms one after the other, each free to depend on what came out before.
 *
 * @throws TypeError if `parts` is not an array of mechanisms.
 * @example
 * compose([gaussian({ noiseMultiplier: 2 }), laplace({ scale: 1, sensitivity: 0.1 })]).parts.length; // 2
 */
export function compose(parts: readonly Mechanism[]): Compose {
  if (!Array.isArray(parts)) throw wrongType('parts', 'an array of mechanisms', parts);
  parts.forEach((part, i) => {
    if (typeof part?.kind !== 'string') throw wrongType(`parts[${i}]`, 'a mechanism', part);
  });
  return { kind: 'compose', parts };
}

/**
 * One DP-SGD phase: `steps` Poisson-subsampled Gaussian steps.
 *
 * @param options `recordsPerPerson`: records that one person has at most, each clipped and sampled by itself; the guarantee is then
 *   that of adding or removing the person (Ganesh 2024). Default 1.
 * @throws TypeError | RangeError naming the option that is wrong; for `recordsPerPerson` if it is not a whole number from 1 to 1024, or
 *   so large that the probability of drawing all is below 1e-290.
 * @example
 * account(engine, dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 1.51537
 */
export function dpSgd(options: {
  noiseMultiplier: number;
  samplingRate: number;
  steps: number;
  recordsPerPerson?: number;
}): Repeat {
  requireOptions('dpSgd', options, ['noiseMultiplier', 'samplingRate', 'steps', 'recordsPerPerson']);
  const rate = requireProbability('samplingRate', options?.samplingRate);
  const steps = requireCount('steps', options.steps);
  const { noiseMultiplier, recordsPerPerson = 1 } = options;
  const records = requireWhole('recordsPerPerson', recordsPerPerson, 1, MAX_PARTS - 1);
  const noise = gaussian({ noiseMultiplier });
  if (records === 1 || rate === 0) return repeat(poissonSubsampled(noise, { rate }), steps);
  const probabilities = binomialMasses(records, rate);
  if (probabilities.some((p) => p > 0 && p < 1e-290) || probabilities[records] === 0) {
    throw wrongValue(
      'recordsPerPerson',
      'so few that all are drawn with probability 1e-290 or more',
      records,
    );
  }
  const sensitivities = probabilities.map((_, drawn) => drawn);
  return repeat(gaussianMixture({ noiseMultiplier, sensitivities, probabilities }), steps);
}

/**
 * One phase of training by a banded matrix factorisation (BandMF) with cyclic Poisson sampling: records in `bands` groups by a rule independent
 * of the data, group j drawn at the steps ≡ j modulo `bands` alone. Dominated by ⌈steps/bands⌉ steps of DP-SGD, which it is returned as.
 *
 * @param options `noiseMultiplier`: noise over the clipping norm, C's columns of norm at most 1; `samplingRate`: probability with which a record
 *   of the group is drawn; `bands`: of C, a whole number ≥ 1; `steps`: all of them.
 * @throws TypeError | RangeError naming the option that is wrong.
 * @example
 * bandMf({ noiseMultiplier: 2, samplingRate: 0.1, bands: 4, steps: 2000 }).count; // 500
 */
export function bandMf(options: {
  noiseMultiplier: number;
  samplingRate: number;
  bands: number;
  steps: number;
}): Repeat {
  requireOptions('bandMf', options, ['noiseMultiplier', 'samplingRate', 'bands', 'steps']);
  const bands = requireWhole('bands', options?.bands, 1, Number.MAX_SAFE_INTEGER);
  const steps = requireCount('steps', options.steps);
  const { noiseMultiplier, samplingRate } = options;
  const met = (steps - (steps % bands)) / bands + (steps % bands > 0 ? 1 : 0);
  return dpSgd({ noiseMultiplier, samplingRate, steps: met });
}

/**
 * Sums over the steps of one epoch published by a binary tree with Gaussian noise in every node: a record is in one leaf, and so in at most
 * ⌈log₂(steps + 1)⌉ of the nodes that are published. Returned as so many Gaussian steps.
 *
 * @param options `noiseMultiplier`: noise of a node over the clipping norm; `steps`: leaves, a whole number ≥ 1.
 * @throws TypeError | RangeError naming the option that is wrong.
 * @example
 * treeAggregation({ noiseMultiplier: 1, steps: 1000 }).count; // 10
 */
export function treeAggregation(options: { noiseMultiplier: number; steps: number }): Repeat {
  requireOptions('treeAggregation', options, ['noiseMultiplier', 'steps']);
  const noise = gaussian({ noiseMultiplier: options?.noiseMultiplier });
  const steps = requireWhole('steps', options.steps, 1, Number.MAX_SAFE_INTEGER);
  // ⌈log₂(n + 1)⌉ is the number of binary digits of n
  return repeat(noise, steps.toString(2).length);
}

/** The mechanism with every single release changed. */
export function withReleases(mechanism: Mechanism, change: (release: Basic) => Basic | Mechanism): Mechanism {
  switch (mechanism.kind) {
    case 'compose':
      return { ...mechanism, parts: mechanism.parts.map((part) => withReleases(part, change)) };
    case 'repeat':
      return { ...mechanism, inner: withReleases(mechanism.inner, change) };
    case 'poisson-subsampled':
    case 'without-replacement':
      return { ...mechanism, inner: change(mechanism.inner) as Basic };
    default:
      return change(mechanism);
  }
}

/** The mechanism with one try in place of every private search; itself where there is none. */
export function oneTry(mechanism: Mechanism): Mechanism {
  let found = false;
  const changed = withReleases(mechanism, (release) => {
    if (release.kind !== 'select') return release;
    found = true;
    return oneTry(release.inner as Mechanism);
  });
  return found ? changed : mechanism;
}
