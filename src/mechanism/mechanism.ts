import {
  requireCount,
  requireOptions,
  requireProbability,
  requireWhole,
  wrongType,
  wrongValue,
} from '../errors.js';
import { binomialMasses } from '../numeric/binomial-masses.js';
import { requireMechanism, requireMechanisms } from './checks.js';
import { type FixedOrder, isInOrder, stepsInOrder } from './fixed-order.js';
import { remade } from './kind.js';
import { gaussian } from './kinds/gaussian.js';
import { gaussianMixture, MAX_PARTS } from './kinds/gaussian-mixture.js';
import type { Basic } from './pairs.js';

/**
 * Mechanisms are plain, JSON-serialisable data, told apart by `kind`. Each is built by a function
 * that checks its numbers; data read from elsewhere goes through `parseMechanism`.
 */
export type Mechanism = Basic | FixedOrder | PoissonSubsampled | WithoutReplacement | Repeat | Compose;

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
  /** The mechanism that is run each time. */
  readonly inner: Mechanism;
}

/** All `parts` run one after the other, adaptively. */
export interface Compose {
  readonly kind: 'compose';
  /** The mechanisms that are run, in any order: no answer depends on the order. */
  readonly parts: readonly Mechanism[];
}

/** Kinds that combine mechanisms, and so cannot be sampled. */
const COMBINED: readonly unknown[] = [
  'poisson-subsampled',
  'without-replacement',
  'repeat',
  'compose',
  'select',
  'parallel',
];

/** Returns `inner` if it is a single release. @throws TypeError otherwise. */
function requireBasic(inner: Basic): Basic {
  const kind: unknown = inner?.kind;
  if (typeof kind === 'string' && !isInOrder(inner) && !COMBINED.includes(kind)) return inner;
  throw wrongType(
    'inner',
    'a single mechanism (several on one sample are "joint"; none is sampled, selected or in a fixed order)',
    kind ?? inner,
  );
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
  requireMechanism('inner', inner);
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
  return { kind: 'compose', parts: requireMechanisms('parts', parts) };
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
 * Applies `change` to every mechanism that is repeated or composed within one; returns the mechanism itself if nothing changes. An object that occurs
 * in several places is changed once.
 */
function mapped(mechanism: Mechanism, change: (one: Mechanism) => Mechanism): Mechanism {
  const known = new Map<Mechanism, Mechanism>();
  const visit = (one: Mechanism): Mechanism => {
    const before = known.get(one);
    if (before !== undefined) return before;
    const after = changed(one, change, visit);
    known.set(one, after);
    return after;
  };
  return visit(mechanism);
}

/** A mechanism with `visit` applied to the parts it composes or repeats, or with `change` applied to itself if it has none. */
function changed(
  one: Mechanism,
  change: (one: Mechanism) => Mechanism,
  visit: (part: Mechanism) => Mechanism,
): Mechanism {
  switch (one.kind) {
    case 'compose': {
      const parts = one.parts.map(visit);
      return parts.some((part, i) => part !== one.parts[i]) ? { ...one, parts } : one;
    }
    case 'repeat': {
      const inner = visit(one.inner);
      return inner === one.inner ? one : { ...one, inner };
    }
    default:
      return change(one);
  }
}

/** Applies `change` to every single release, sampled ones included, but not to Gaussian steps in a fixed order. */
export function withReleases(mechanism: Mechanism, change: (release: Basic) => Mechanism): Mechanism {
  return mapped(mechanism, (one) => {
    if (one.kind === 'poisson-subsampled' || one.kind === 'without-replacement') {
      const inner = change(one.inner) as Basic;
      return inner === one.inner ? one : { ...one, inner };
    }
    return isInOrder(one) ? one : change(one as Basic);
  });
}

/** Replaces mechanisms on batches in a fixed order by the Gaussian steps in which one record takes part. */
export function spelledOut(mechanism: Mechanism): Mechanism {
  return mapped(mechanism, (one) => {
    if (!isInOrder(one)) return one;
    const { noise, rate, count } = stepsInOrder(one);
    return repeat(rate === 1 ? noise : poissonSubsampled(noise, { rate }), count);
  });
}

/** The mechanism with `places: 'kept'` wherever batches are in a fixed order; itself where none are. */
export function withPlacesKept(mechanism: Mechanism): Mechanism {
  return mapped(mechanism, (one) =>
    isInOrder(one) || one.kind === 'matrix-mechanism' ? remade(one, { places: 'kept' }) : one,
  );
}

/** Replaces every private search by a single try; returns the mechanism itself if there is none. */
export function oneTry(mechanism: Mechanism): Mechanism {
  return withReleases(mechanism, (release) =>
    release.kind === 'select' ? oneTry(release.inner as Mechanism) : release,
  );
}

/** Replaces disjoint parts by the composition of the runs of all parts. It lists what occurs in the mechanism, though no record is in all parts. */
export function withEveryPart(mechanism: Mechanism): Mechanism {
  return withReleases(mechanism, (release) =>
    release.kind === 'parallel' ? withEveryPart(compose(release.parts as readonly Mechanism[])) : release,
  );
}

/**
 * The run for a person with `records` records, each clipped and sampled by itself (Ganesh 2024), of Gaussian steps, plain or Poisson-sampled.
 * Undefined if a step is of another kind: then use group privacy.
 *
 * @throws RangeError as `dpSgd` does for `recordsPerPerson`.
 */
export function withRecordsPerPerson(mechanism: Mechanism, records: number): Mechanism | undefined {
  let known = true;
  const changed = mapped(mechanism, (one) => {
    const [inner, samplingRate] =
      one.kind === 'poisson-subsampled' ? [one.inner, one.rate] : [one, undefined];
    if (inner.kind !== 'gaussian') {
      known = false;
      return one;
    }
    const { noiseMultiplier } = inner;
    return samplingRate === undefined
      ? gaussianMixture({ noiseMultiplier, sensitivities: [records], probabilities: [1] })
      : dpSgd({ noiseMultiplier, samplingRate, steps: 1, recordsPerPerson: records });
  });
  return known ? changed : undefined;
}
