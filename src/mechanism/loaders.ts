import { FEW_ROUNDINGS, up } from '../numeric/rounding.js';
import { log } from '../numeric/scalar.js';
import { fixedBatches } from './fixed-order.js';
import { MOST_BINS } from './kinds/balls-and-bins.js';
import { ballsAndBins, cappedPoisson, gaussian, shuffled } from './kinds/index.js';
import {
  compose,
  dpSgd,
  type Mechanism,
  poissonSubsampled,
  repeat,
  withoutReplacement,
} from './mechanism.js';
import { type Step, stepsOf } from './steps.js';
import type { Drawing } from './theorems.js';

/** How the batches of a run are formed. 'fixed': the same batches in every epoch; 'all': every record is in every batch. */
export type Loader = Exclude<
  Drawing,
  'fixed-kept' | 'cyclic-poisson' | 'cyclic-poisson-kept' | 'divided' | 'with-replacement'
>;

/** Names of the loaders on the page and in reports. The keys are the values of `--sampling`. */
export const LOADER_NAMES: Readonly<Record<Loader, string>> = {
  poisson: 'Poisson samples',
  'balls-and-bins': 'Balls and bins',
  shuffled: 'Shuffled epochs',
  'capped-poisson': 'Capped Poisson samples',
  'without-replacement': 'Samples of a fixed size',
  fixed: 'Batches in a fixed order',
  all: 'Full batches',
};
/** All loaders. */
export const LOADERS = Object.keys(LOADER_NAMES) as readonly Loader[];

/** The loaders with which a record is in at most one batch of an epoch. */
export const IN_EPOCHS: readonly string[] = ['balls-and-bins', 'shuffled', 'fixed'];

/** Steps of DP-SGD with the same settings, for any loader. */
export interface BatchPhase {
  /** The loader of the run. */
  readonly loader: Loader;
  readonly noiseMultiplier: number;
  /** Expected share of the records that are in a batch, (0, 1]. */
  readonly rate: number;
  /** Number of batches of an epoch; the last epoch of a phase may be unfinished. */
  readonly bins: number;
  /** Number of steps of the phase. */
  readonly steps: number;
  /** Share of the records that are in no batch of an epoch; 0 if absent. */
  readonly leftOut?: number;
  /** Data set size and largest batch size, if stated. */
  readonly cap?: { readonly datasetSize: number; readonly batchCap: number };
}

/** The phases of a run of Gaussian noise, as loaders describe them. Undefined if a step is of another kind, or if every batch is the whole data set. */
export function batchPhases(mechanism: Mechanism): BatchPhase[] | undefined {
  const phases = stepsOf(mechanism).map(phaseOf);
  const known = phases.filter((phase) => phase !== undefined && Number.isSafeInteger(phase.steps));
  return known.length === phases.length && phases.some((phase) => phase!.rate < 1)
    ? (known as BatchPhase[])
    : undefined;
}

/** A step as a phase; undefined if it has no loader or cannot be stated for others. */
function phaseOf({ mechanism, sampling, rate, count, places }: Step): BatchPhase | undefined {
  // a record with a place in a fixed order is not drawn at random, so no other loader is comparable
  if (places !== undefined) return undefined;
  switch (mechanism.kind) {
    case 'gaussian': {
      const { noiseMultiplier } = mechanism;
      return { loader: sampling, noiseMultiplier, rate, bins: batchesFor(rate), steps: count };
    }
    case 'balls-and-bins': {
      const { noiseMultiplier, bins, visited = bins, binsPerRecord } = mechanism;
      // other loaders here put a record in at most one batch of an epoch
      if (binsPerRecord !== undefined) return undefined;
      // several unfinished epochs do not form consecutive epochs
      if (visited < bins && count > 1) return undefined;
      return { loader: 'balls-and-bins', noiseMultiplier, rate: 1 / bins, bins, steps: count * visited };
    }
    case 'shuffled': {
      const { noiseMultiplier, bins, leftOut = 0 } = mechanism;
      const share = (1 - leftOut) / bins;
      return { loader: 'shuffled', noiseMultiplier, rate: share, bins, steps: count * bins };
    }
    case 'capped-poisson': {
      const { noiseMultiplier, rate: joined, datasetSize, batchCap } = mechanism;
      const cap = { datasetSize, batchCap };
      const bins = batchesFor(joined);
      return { loader: 'capped-poisson', noiseMultiplier, rate: joined, bins, steps: count, cap };
    }
    default:
      return undefined;
  }
}

/** Number of full batches of a pass over the data set: 1/rate, rounded down. The rate is itself rounded, so 1/rate is first rounded up. */
function batchesFor(rate: number): number {
  return Math.floor(up(1 / rate, FEW_ROUNDINGS));
}

/**
 * The run with the same noise, batch sizes and number of steps under another loader, whose epochs begin with each phase. Undefined where it cannot be
 * stated: without a cap for capped batches; for a share that is no quotient of integers up to 10⁶; outside the loader's range.
 */
export function underLoader(phases: readonly BatchPhase[], loader: Loader): Mechanism | undefined {
  const parts: Mechanism[] = [];
  for (const phase of phases) {
    const part = phase.rate === 1 ? MAKERS.all(phase) : MAKERS[loader](phase);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return compose(parts);
}

/** For each loader, the mechanism of a phase; undefined where it cannot be stated. */
const MAKERS: Readonly<Record<Loader, (phase: BatchPhase) => Mechanism | undefined>> = {
  poisson: ({ noiseMultiplier, rate, steps }) =>
    repeat(poissonSubsampled(gaussian({ noiseMultiplier }), { rate }), steps),
  'balls-and-bins': (phase) =>
    inEpochs(phase, ({ noiseMultiplier, bins }, visited) => ballsAndBins({ noiseMultiplier, bins, visited })),
  shuffled: (phase) =>
    inEpochs(phase, ({ noiseMultiplier, bins: all, leftOut = 0 }, bins) => {
      // in an unfinished epoch a record is left out with the share of the batches that are not run
      return shuffled({ noiseMultiplier, bins, leftOut: (all - bins) / all + (leftOut * bins) / all });
    }),
  'capped-poisson': ({ noiseMultiplier, rate, steps, cap }) =>
    cap && repeat(cappedPoisson({ noiseMultiplier, rate, ...cap }), steps),
  'without-replacement': ({ noiseMultiplier, rate, steps }) => {
    const sizes = fractionOf(rate);
    return sizes && repeat(withoutReplacement(gaussian({ noiseMultiplier }), sizes), steps);
  },
  fixed: (phase) => {
    const { noiseMultiplier, bins } = phase;
    return repeat(fixedBatches({ noiseMultiplier, bins }), epochsMet(phase));
  },
  all: ({ noiseMultiplier, steps }) => repeat(gaussian({ noiseMultiplier }), steps),
};

/** The epochs of a phase in words: '100 batches an epoch, 10 epochs and 3 batches'. */
export function epochsText(phase: BatchPhase): string {
  const { bins, epochs, rest } = epochsOf(phase);
  return `${bins} batches an epoch, ${epochs} epochs${rest > 0 ? ` and ${rest} batches` : ''}`;
}

/** The epochs of a phase, each made by `epoch` from its number of batches; the last may be unfinished. Undefined beyond the range of the kinds of epochs. */
function inEpochs(
  phase: BatchPhase,
  epoch: (phase: BatchPhase, run: number) => Mechanism,
): Mechanism | undefined {
  const { bins, noiseMultiplier, epochs, rest } = epochsOf(phase);
  if (!(bins <= MOST_BINS && noiseMultiplier >= 1e-3 && noiseMultiplier <= 1e6)) return undefined;
  return compose([repeat(epoch(phase, bins), epochs), ...(rest > 0 ? [epoch(phase, rest)] : [])]);
}

/** Number of epochs of a phase, the unfinished one included. */
function epochsMet(phase: BatchPhase): number {
  const { epochs, rest } = epochsOf(phase);
  return epochs + (rest > 0 ? 1 : 0);
}

/**
 * The Gaussian steps that a record may take part in, without amplification by sampling.
 *
 * @param how.oncePerEpoch Whether a record is in at most one batch of an epoch: then one step counts for each epoch.
 * @param how.louder Divisor of all noise multipliers.
 */
export function unamplified(
  phases: readonly BatchPhase[],
  { oncePerEpoch, louder }: { readonly oncePerEpoch: boolean; readonly louder: number },
): Mechanism {
  return compose(
    phases.map((phase) =>
      repeat(
        gaussian({ noiseMultiplier: phase.noiseMultiplier / louder }),
        oncePerEpoch ? epochsMet(phase) : phase.steps,
      ),
    ),
  );
}

/** A phase with its number of whole epochs, and the number of batches of an unfinished one. */
function epochsOf(phase: BatchPhase): BatchPhase & { readonly epochs: number; readonly rest: number } {
  const rest = phase.steps % phase.bins;
  return { ...phase, epochs: (phase.steps - rest) / phase.bins, rest };
}

/** Largest size of a data set that is derived from a rate. */
const LARGEST_PART = 1e6;

/** Integers up to 10⁶ whose quotient rounds to the double `rate`, by its continued fraction; undefined if there are none. */
function fractionOf(rate: number): { sampleSize: number; datasetSize: number } | undefined {
  let [before, last] = [
    [0, 1],
    [1, 0],
  ];
  for (let rest = rate; ; ) {
    const whole = Math.floor(rest);
    const next = [whole * last[0] + before[0], whole * last[1] + before[1]];
    if (!(next[1] <= LARGEST_PART)) return undefined;
    if (next[0] / next[1] === rate) return { sampleSize: next[0], datasetSize: next[1] };
    [before, last] = [last, next];
    rest = 1 / (rest - whole);
  }
}

/** Least log of the probability that all records of a person are in one batch. */
const LOG_SMALLEST = -644;

/**
 * The run for people with `recordsPerPerson` records each. Undefined where batches are not Poisson samples, or if all of a person's records are
 * together in a batch with a probability below e^{−644}.
 */
export function withRecords(phases: readonly BatchPhase[], recordsPerPerson: number): Mechanism | undefined {
  const known = phases.every(
    ({ loader, rate }) =>
      (loader === 'poisson' || loader === 'all') && recordsPerPerson * log(rate) > LOG_SMALLEST,
  );
  if (!known) return undefined;
  return compose(
    phases.map(({ noiseMultiplier, rate, steps }) =>
      dpSgd({ noiseMultiplier, samplingRate: rate, steps, recordsPerPerson }),
    ),
  );
}
