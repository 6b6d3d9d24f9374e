import {
  fieldName,
  InputSyntaxError,
  InputTypeError,
  placed,
  quotable,
  requireNumber,
  requirePositive,
  requireStated,
  requireWhole,
  wrongType,
} from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { treeAggregation } from '../mechanism/fixed-order.js';
import * as basic from '../mechanism/kinds/index.js';
import { joint } from '../mechanism/kinds/joint.js';
import { select } from '../mechanism/kinds/select.js';
import {
  compose,
  type Mechanism,
  poissonSubsampled,
  repeat,
  withoutReplacement,
} from '../mechanism/mechanism.js';
import type { Basic } from '../mechanism/pairs.js';
import { usualAdjacency } from '../mechanism/reduce.js';
import { releaseOf, stepsOf } from '../mechanism/steps.js';
import type { Tries } from '../mechanism/tries.js';
import { greatest } from '../numeric/extremes.js';
import { LONG_SUM, up } from '../numeric/rounding.js';
import { log1p } from '../numeric/scalar.js';
import { PythonCall } from './python-numbers.js';
import { parsePythonRepr } from './python-repr.js';
import type { RecognisedRun } from './recognised.js';

/** Greatest nesting of events. No library writes deeper ones, and each level takes stack and memory. */
const MAX_DEPTH = 100;
const MAX_EVENTS = 1_000_000;

/** Whether a text begins like the `repr` of a DpEvent. */
export function looksLikeEvent(text: string): boolean {
  return /^\s*[\w.]*DpEvent(NamedTupleWrapper)?\s*\(/.test(text);
}

/** Whether parsed JSON is the named tuple of a DpEvent: a dictionary with class_name, or an array of the tuple's values. */
export function isEventData(value: unknown): boolean {
  if (Array.isArray(value)) return typeof value[1] === 'string' && /DpEvent$/.test(value[1]);
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'class_name');
}

/**
 * Reads a DpEvent of dp_accounting: its `repr` as text, or its named tuple as parsed JSON. The tuple is an object with
 * class_name, or the array that `json.dumps` makes of it.
 *
 * @throws SyntaxError | TypeError | RangeError, in one sentence, for what is no event, and for events
 * for which this library has no theorem.
 */
export function dpEventRun(value: unknown): RecognisedRun {
  const parsed = typeof value === 'string' ? parsePythonRepr(value) : value;
  const budget: Budget = { left: MAX_EVENTS, merged: false };
  const mechanism = mechanismOf(parsed, 0, 'event', budget);
  const samplings = new Set(stepsOf(mechanism).map(({ sampling }) => sampling));
  const adjacency = usualAdjacency(mechanism);
  return {
    format: 'dp-event',
    mechanism,
    facts: {
      ...(samplings.has('poisson') && { sampling: 'poisson' as const }),
      ...(samplings.has('without-replacement') && { sampling: 'without-replacement' as const }),
      ...(adjacency !== 'add-remove' && { adjacency }),
    },
    notes: [TAKEN_AS[adjacency], ...(budget.merged ? [ONE_SAMPLE] : [])],
  };
}

const ONE_SAMPLE =
  'releases on one sample are composed first and sampled once; were each drawn a sample of its own, epsilon would be another';

/** Notes on the adjacency that was assumed, as an event states none. */
const TAKEN_AS: Readonly<Record<Adjacency, string>> = {
  'add-remove':
    'a DpEvent does not say its adjacency: add-remove is assumed unless --adjacency says otherwise',
  'zero-out':
    'uses zero-out adjacency (replace-special in dp_accounting), since trees and truncated batches have no theorem for add-remove',
  'replace-one':
    'sampling a fixed number of records has a theorem under replace-one adjacency only; taken as that',
};

interface Budget {
  left: number;
  /** Whether several releases on one sample were merged into one. */
  merged: boolean;
}

interface Known {
  /** The names of the fields in the order of the constructor, as `requireStated` takes them. */
  readonly fields: readonly string[];
  /** Builds the mechanism from the fields, which it checks: they come from the file as they are. */
  readonly make: (
    fields: Readonly<Record<string, never>>,
    inner: (name: string, index?: number) => Mechanism,
  ) => Mechanism;
}

/** The mechanism of dp_accounting's NonPrivateDpEvent: Gaussian noise of multiplier 0. */
const nothingHidden = basic.gaussian({ noiseMultiplier: 0 });
const nothingReleased = compose([]);

const EVENTS: Readonly<Record<string, Known>> = {
  NoOpDpEvent: { fields: [], make: () => nothingReleased },
  NonPrivateDpEvent: { fields: [], make: () => nothingHidden },
  GaussianDpEvent: renamed(basic.gaussian, { noise_multiplier: 'noiseMultiplier' }),
  LaplaceDpEvent: {
    fields: ['noise_multiplier'],
    make: ({ noise_multiplier: scale }) => basic.laplace({ scale, sensitivity: 1 }),
  },
  DiscreteLaplaceDpEvent: {
    fields: ['noise_parameter', 'sensitivity'],
    // dp_accounting takes a parameter of 0 as no noise
    make: ({ noise_parameter, sensitivity }) =>
      noise_parameter === 0
        ? nothingHidden
        : basic.discreteLaplace({
            scale: 1 / requirePositive('noise_parameter', noise_parameter),
            sensitivity,
          }),
  },
  DiscreteGaussianDpEvent: {
    fields: ['sigma', 'sensitivity?', 'dimension?'],
    make: ({ sigma, sensitivity = 1, dimension }) => {
      const norm = requirePositive('sensitivity', sensitivity);
      // an integer vector with a norm below √2 has one entry at most: only then the dimension does not matter
      if (up(norm * norm, LONG_SUM) >= 2 && dimension !== 1)
        return basic.discreteGaussianVector({
          sigma,
          sensitivity: norm,
          ...(dimension !== undefined && { dimension }),
        });
      return basic.discreteGaussian({ sigma, sensitivity: Math.floor(norm) });
    },
  },
  EpsilonDeltaDpEvent: {
    fields: ['epsilon', 'delta'],
    make: ({ epsilon, delta }) =>
      delta === 0 ? basic.pureDp({ epsilon }) : basic.approximateDp({ epsilon, delta }),
  },
  RandomizedResponseDpEvent: {
    fields: ['noise_parameter', 'num_buckets'],
    make: ({ noise_parameter, num_buckets }) => {
      const p = requireNumber('noise_parameter', noise_parameter, 'a number in [0, 1]');
      const categories = requireWhole('num_buckets', num_buckets, 2, Number.MAX_SAFE_INTEGER);
      // for k-ary randomised response the true answer is 1 + k(1 − p)/p times as likely as any other
      return p === 0
        ? nothingHidden
        : basic.randomizedResponse({ epsilon: log1p((categories * (1 - p)) / p), categories });
    },
  },
  ZCDpEvent: {
    fields: ['rho', 'xi?'],
    make: ({ rho, xi = 0 }) => {
      if (xi === 0) return basic.zcdp({ rho });
      // the divergence is at most ξ at every order, which is ξ-DP
      return rho === 0 ? basic.pureDp({ epsilon: xi }) : basic.tcdp({ rho, xi });
    },
  },
  ExponentialMechanismDpEvent: renamed(basic.boundedRange, { epsilon: 'epsilon' }),
  PermuteAndFlipDpEvent: renamed(basic.noisyMax, { epsilon: 'epsilon' }),
  MixtureOfGaussiansDpEvent: renamed(basic.gaussianMixture, {
    standard_deviation: 'noiseMultiplier',
    sensitivities: 'sensitivities',
    sampling_probs: 'probabilities',
  }),
  SingleEpochTreeAggregationDpEvent: {
    fields: ['noise_multiplier', 'step_counts'],
    make: ({ noise_multiplier, step_counts }) => {
      const counts = Array.isArray(step_counts) ? step_counts : [step_counts];
      if (counts.length === 0)
        throw wrongType('step_counts', 'a whole number or a list of them', step_counts);
      const most = greatest(counts.map((n) => requireWhole('step_counts', n, 1, Number.MAX_SAFE_INTEGER)));
      // a record is in at most as many nodes as the deepest tree has levels (Kairouz et al. 2021, app. D)
      return treeAggregation({ noiseMultiplier: noise_multiplier, steps: most });
    },
  },
  RepeatAndSelectDpEvent: {
    fields: ['event', 'mean', 'shape'],
    make: ({ mean, shape }, inner) => {
      // JSON has no number for infinity
      const poisson = [Infinity, 'Infinity'].includes(shape);
      const runs: Tries = poisson
        ? { kind: 'poisson', mean }
        : { kind: 'negative-binomial', eta: shape, mean };
      return select({ runs, inner: inner('event') });
    },
  },
  TruncatedSubsampledGaussianDpEvent: renamed(basic.cappedPoisson, {
    dataset_size: 'datasetSize',
    sampling_probability: 'rate',
    truncated_batch_size: 'batchCap',
    noise_multiplier: 'noiseMultiplier',
  }),
  RandomAllocationDpEvent: {
    fields: ['event', 'num_steps', 'num_selected'],
    make: ({ num_steps, num_selected }, inner) => {
      const [selected, bins] = Object.entries({ num_steps, num_selected })
        .map(([name, value]) => requireWhole(name, value, 1, Number.MAX_SAFE_INTEGER))
        .sort((a, b) => a - b);
      const release = inner('event');
      if (release.kind !== 'gaussian')
        throw unsupported('RandomAllocationDpEvent', 'what it runs on its batches is no Gaussian noise');
      if (selected === bins) return repeat(release, bins);
      const { noiseMultiplier } = release;
      return noiseMultiplier === 0
        ? nothingHidden
        : basic.ballsAndBins({ noiseMultiplier, bins, binsPerRecord: selected });
    },
  },
  PoissonSampledDpEvent: {
    fields: ['sampling_probability', 'event'],
    make: ({ sampling_probability }, inner) =>
      sampled(inner('event'), (one) => poissonSubsampled(one, { rate: sampling_probability })),
  },
  SampledWithoutReplacementDpEvent: {
    fields: ['source_dataset_size', 'sample_size', 'event'],
    make: ({ source_dataset_size, sample_size }, inner) =>
      sampled(inner('event'), (one) =>
        withoutReplacement(one, {
          sampleSize: sample_size,
          datasetSize: source_dataset_size,
        }),
      ),
  },
  SampledWithReplacementDpEvent: {
    fields: ['source_dataset_size', 'sample_size', 'event'],
    make: ({ source_dataset_size, sample_size }, inner) =>
      sampled(inner('event'), (one) => {
        if (one.kind !== 'gaussian') throw unsupported('SampledWithReplacementDpEvent', NO_GAUSSIAN);
        return basic.withReplacement({
          noiseMultiplier: one.noiseMultiplier,
          sampleSize: sample_size,
          datasetSize: source_dataset_size,
        });
      }),
  },
  SelfComposedDpEvent: {
    fields: ['event', 'count'],
    make: ({ count }, inner) => repeat(inner('event'), count),
  },
  ComposedDpEvent: {
    fields: ['events'],
    make: ({ events }, inner) => {
      if (!Array.isArray(events)) throw wrongType('events', 'a list of events', events);
      return compose(Array.from(events, (_, i) => inner('events', i)));
    },
  },
};

/** An event whose fields are the options of one of our mechanisms, under other names. */
function renamed<O>(build: (options: O) => Basic, names: { readonly [name: string]: keyof O }): Known {
  const make: Known['make'] = (fields) =>
    build(Object.fromEntries(Object.entries(names).map(([from, to]) => [to, fields[from]])) as O);
  return { fields: Object.keys(names), make };
}

const NO_GAUSSIAN =
  'a record may be in the batch several times, and noise other than Gaussian has no pair here for that; withReplacementAmplified bounds one such release from above';

function mechanismOf(value: unknown, depth: number, place: string, budget: Budget): Mechanism {
  if (depth > MAX_DEPTH) throw new InputSyntaxError(`it is a DpEvent nested more than ${MAX_DEPTH} deep`);
  if (--budget.left < 0) throw new InputSyntaxError(`it is a DpEvent of more than ${MAX_EVENTS} events`);
  const { name, fields } = eventOf(value, place);
  requireStated(place, fields, EVENTS[name].fields, `a ${name}`);
  const inner = (field: string, index?: number): Mechanism => {
    const at = index === undefined ? `${place}.${field}` : `${place}.${field}[${index}]`;
    const part = index === undefined ? fields[field] : (fields[field] as unknown[])[index];
    const made = mechanismOf(part, depth + 1, at, budget);
    if (/^Sampled|^PoissonSampled/.test(name) && stepsOf(made).reduce((sum, { count }) => sum + count, 0) > 1)
      budget.merged = true;
    return made;
  };
  try {
    return EVENTS[name].make(fields as Readonly<Record<string, never>>, inner);
  } catch (error) {
    throw placed(error, place);
  }
}

/** The name of the class and the fields of an event, from any of its three formats. */
function eventOf(value: unknown, place: string): { name: string; fields: Record<string, unknown> } {
  const { name, positional, given } = shapeOf(value, place);
  if (name === 'UnsupportedDpEvent')
    throw unsupported(name, 'the file itself says that its privacy is not described');
  if (!Object.hasOwn(EVENTS, name)) {
    const held = [...Object.keys(given), ...(positional.length > 0 ? [`${positional.length} values`] : [])];
    throw new InputSyntaxError(
      `it is a DpEvent, but "${quotable(name)}" in it is not a known event${held.length > 0 ? ` (it holds ${held.slice(0, 8).map(quotable).join(', ')})` : ''}`,
    );
  }
  const { fields } = EVENTS[name];
  const order = fields.map(fieldName);
  if (positional.length > order.length) {
    throw new InputTypeError(`"${place}" has ${positional.length} values: a ${name} has ${order.join(', ')}`);
  }
  const named: Record<string, unknown> = { ...given };
  positional.forEach((each, i) => {
    if (Object.hasOwn(given, order[i])) throw new InputTypeError(`"${place}.${order[i]}" is given twice`);
    named[order[i]] = each;
  });
  // a field left at its default of None is a field left out
  for (const [i, field] of order.entries())
    if (field !== fields[i] && named[field] === null) delete named[field];
  return { name, fields: named };
}

function shapeOf(
  value: unknown,
  place: string,
): { name: string; positional: readonly unknown[]; given: Readonly<Record<string, unknown>> } {
  if (value instanceof PythonCall) {
    const { class_name, module_name: _, ...rest } = value.fields;
    const name = typeof class_name === 'string' ? class_name : value.name.replace(/^.*\./, '');
    return { name, positional: value.positional, given: rest };
  }
  if (Array.isArray(value) && isEventData(value)) {
    return { name: value[1], positional: value.slice(2), given: {} };
  }
  if (isEventData(value)) {
    const { class_name, module_name: _, ...rest } = value as Record<string, unknown>;
    if (typeof class_name === 'string') return { name: class_name, positional: [], given: rest };
  }
  throw wrongType(place, 'a DpEvent', value);
}

/** An event on a sample. Several releases on one sample are composed first; several Gaussians become one with less noise. */
function sampled(inner: Mechanism, sample: (one: Basic) => Mechanism): Mechanism {
  const steps = stepsOf(inner);
  if (steps.some(({ sampling }) => sampling !== 'all')) {
    throw unsupported('a sampled event', 'it samples a sample again');
  }
  if (steps.some(({ places }) => places !== undefined))
    throw unsupported('a sampled event', 'a tree on a sample has leaves that depend on who is drawn');
  const release = releaseOf(steps, (parts) => joint({ parts }));
  return release === undefined ? nothingReleased : sample(release);
}

function unsupported(name: string, why: string): SyntaxError {
  return new InputSyntaxError(`it is a DpEvent, but ${name} cannot be accounted for: ${why}`);
}
