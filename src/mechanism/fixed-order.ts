import { requireCount, requireProbability } from '../errors.js';
import { checkedFields, made, oneOf, PLACES, type StatedKind, whole, zeroOr } from './kind.js';
import { GAUSSIAN_KIND, type Gaussian } from './kinds/gaussian.js';

/**
 * How a record's steps are found where batches are not drawn at random. If absent they depend on its place in the data set, which the removal of
 * another record changes. 'kept': they follow from a rule that looks at the record alone, such as its identifier.
 */
export type Places = 'kept';

/** One epoch of Gaussian steps on batches in a fixed order: a record is in one of them, once. */
export interface FixedBatches {
  readonly kind: 'fixed-batches';
  /** Noise standard deviation over the clipping norm: 0 or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /** Number of batches of the epoch, if it is known; 1 is the whole data set. */
  readonly bins?: number;
  /** If absent, batches are cut from the data set in its order, so that a record added or removed moves all later ones. */
  readonly places?: Places;
}

/** Sums over the steps of one epoch published by a binary tree with Gaussian noise in every node. */
export interface TreeAggregation {
  readonly kind: 'tree-aggregation';
  /** Noise standard deviation of a node over the clipping norm: 0 or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /** Number of leaves, one for each step, ≥ 1. */
  readonly steps: number;
  /** If absent, a record's leaf depends on its place in the data set. */
  readonly places?: Places;
}

/** A banded matrix factorisation with cyclic Poisson sampling: records of group j may be drawn only at the steps congruent to j modulo `bands`. */
export interface BandMf {
  readonly kind: 'band-mf';
  /** Noise standard deviation over the clipping norm, where the columns of the strategy matrix C have norm at most 1: 0 or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /** Probability with which a record is drawn at a step of its group, in [0, 1]. */
  readonly samplingRate: number;
  /** Number of bands of C, ≥ 1; 1 is a Poisson sample of the whole data set. */
  readonly bands: number;
  /** Number of steps, ≥ 0. */
  readonly steps: number;
  /** If absent, a record's group depends on its place in the data set. */
  readonly places?: Places;
}

/**
 * One epoch of DP-SGD on batches in a fixed order, with a record in one of them; `repeat` it for epochs. Without `places` nothing is proved of a
 * record that is added or removed: account for zero-out or replace-one.
 *
 * @throws TypeError | RangeError if a number is outside the range its field states.
 * @example
 * account(engine, fixedBatches({ noiseMultiplier: 2, bins: 100 }), { adjacency: 'zero-out' }).epsilon(1e-5).upper; // 1.9931
 */
export function fixedBatches(options: Omit<FixedBatches, 'kind'>): FixedBatches {
  return { kind: 'fixed-batches', ...checkedFields('fixedBatches', options, FIXED_BATCHES) } as FixedBatches;
}

/** How `fixed-batches` is stated. */
export const FIXED_BATCHES: StatedKind<FixedBatches> = {
  fields: {
    noiseMultiplier: zeroOr(1e-9, 1e9),
    'bins?': whole(1, Number.MAX_SAFE_INTEGER),
    'places?': oneOf('kept'),
  },
  build: fixedBatches,
  title: 'Epoch in a fixed order',
  standing: 'exact',
  adjacency: PLACES,
  tail: 'Gaussian, mu_t = 1/noiseMultiplier',
  source: 'docs/proofs/sampling.md, 10',
};

/**
 * Sums over the steps of one epoch, published by a binary tree with Gaussian noise in every node. A record is in one leaf, and so
 * in at most ⌈log₂(steps + 1)⌉ of the nodes that are published. Each is a Gaussian step. Without `places` nothing is proved of a
 * record that is added or removed.
 *
 * @param options `noiseMultiplier`: noise of a node over the clipping norm; `steps`: leaves, a whole number ≥ 1; `places`: 'kept' where a
 *   record's leaf does not depend on the others.
 * @throws TypeError | RangeError naming the option that is wrong.
 * @example
 * account(engine, treeAggregation({ noiseMultiplier: 4, steps: 1000 }), { adjacency: 'zero-out' }).epsilon(1e-5).upper; // 3.34141
 */
export function treeAggregation(options: Omit<TreeAggregation, 'kind'>): TreeAggregation {
  const fields = checkedFields('treeAggregation', options, TREE_AGGREGATION);
  return { kind: 'tree-aggregation', ...fields } as TreeAggregation;
}

/** How `tree-aggregation` is stated. */
export const TREE_AGGREGATION: StatedKind<TreeAggregation> = {
  fields: {
    noiseMultiplier: zeroOr(1e-9, 1e9),
    steps: whole(1, Number.MAX_SAFE_INTEGER),
    'places?': oneOf('kept'),
  },
  build: treeAggregation,
  title: 'Tree aggregation',
  standing: 'exact',
  adjacency: PLACES,
  tail: 'Gaussian, mu_t = sqrt(depth)/noiseMultiplier',
  source: 'Kairouz et al. 2021, app. D',
};

/**
 * One phase of training by a banded matrix factorisation (BandMF) with cyclic Poisson sampling. Records are in `bands` groups by
 * a rule independent of the data. Group j is drawn at the steps ≡ j modulo `bands` alone. Dominated by ⌈steps/bands⌉ steps of
 * DP-SGD, and accounted as that. Without `places`, nothing is proved of a record that is added or removed where there are two
 * bands or more.
 *
 * @param options `noiseMultiplier`: noise over the clipping norm, C's columns of norm at most 1; `samplingRate`: probability with which a record
 *   of the group is drawn; `bands`: of C, a whole number ≥ 1; `steps`: all of them; `places`: 'kept' where a record's group does not
 *   depend on the others.
 * @throws TypeError | RangeError naming the option that is wrong.
 * @example
 * bandMf({ noiseMultiplier: 2, samplingRate: 0.1, bands: 4, steps: 2000 }).kind; // 'band-mf'
 */
export function bandMf(options: Omit<BandMf, 'kind'>): BandMf {
  return { kind: 'band-mf', ...checkedFields('bandMf', options, BAND_MF) } as BandMf;
}

/** How `band-mf` is stated. */
export const BAND_MF: StatedKind<BandMf> = {
  fields: {
    noiseMultiplier: zeroOr(1e-9, 1e9),
    samplingRate: requireProbability,
    bands: whole(1, Number.MAX_SAFE_INTEGER),
    steps: requireCount,
    'places?': oneOf('kept'),
  },
  build: bandMf,
  title: 'Banded matrix factorisation, cyclic Poisson samples',
  standing: 'exact',
  adjacency: `zero-out; add-remove where "places" are "kept"; replace-one by a pair of its own`,
  tail: 'Gaussian, mu_t = sqrt(steps/bands)/noiseMultiplier, rounded up',
  source: 'Choquette-Choo et al. 2023; docs/proofs/sampling.md',
};

/** Mechanisms on batches in a fixed order. */
export type FixedOrder = FixedBatches | TreeAggregation | BandMf;

const STATED = { 'fixed-batches': FIXED_BATCHES, 'tree-aggregation': TREE_AGGREGATION, 'band-mf': BAND_MF };

/** Whether a mechanism has batches in a fixed order. */
export function isInOrder(mechanism: { readonly kind: string }): mechanism is FixedOrder {
  return Object.hasOwn(STATED, mechanism.kind);
}

/** The Gaussian steps in which one record takes part: their noise, Poisson sampling rate and number. `places` is set if they follow from a fixed order. */
export function stepsInOrder({ kind, ...given }: FixedOrder): {
  readonly noise: Gaussian;
  readonly rate: number;
  readonly count: number;
  readonly places?: 'kept' | 'moved';
} {
  const mechanism = { kind, ...checkedFields(kind, given, STATED[kind]) } as FixedOrder;
  const { noiseMultiplier, places = 'moved' } = mechanism;
  const noise: Gaussian = made(GAUSSIAN_KIND, { noiseMultiplier });
  switch (mechanism.kind) {
    case 'fixed-batches':
      return { noise, rate: 1, count: 1, ...(mechanism.bins !== 1 && { places }) };
    case 'tree-aggregation':
      // ⌈log₂(n + 1)⌉ is the number of binary digits of n
      return { noise, rate: 1, count: mechanism.steps.toString(2).length, places };
    case 'band-mf': {
      const { samplingRate: rate, bands, steps } = mechanism;
      const rest = steps % bands;
      return {
        noise,
        rate,
        count: (steps - rest) / bands + (rest > 0 ? 1 : 0),
        ...(bands > 1 && { places }),
      };
    }
  }
}
