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

/** What forms the batches of a run; 'fixed': the same ones every epoch; 'all': every record is in every batch. */
export type Loader = Exclude<
  Drawing,
  'fixed-kept' | 'cyclic-poisson' | 'cyclic-poisson-kept' | 'divided' | 'with-replacement'
>;

/** The one name of each, on the page and in reports; `--sampling` takes the keys. */
export const LOADER_NAMES: Readonly<Record<Loader, string>> = {
  poisson: 'Poisson samples',
  'balls-and-bins': 'Balls and bins',
  shuffled: 'Shuffled epochs',
  'capped-poisson': 'Capped Poisson samples',
  'without-replacement': 'Samples of a fixed size',
  fixed: 'Batches in a fixed order',
  all: 'Full batches',
};
export const LOADERS = Object.keys(LOADER_NAMES) as readonly Loader[];

/** Of these a record is in at most one batch of an epoch. */
export const IN_EPOCHS: readonly string[] = ['balls-and-bins', 'shuffled', 'fixed'];

/** Steps of DP-SGD that share their settings, whatever forms their batches. */
export interface BatchPhase {
  /** What forms them in the run. */
  readonly loader: Loader;
  readonly noiseMultiplier: number;
  /** Share of the records that a batch has, on average. */
  readonly rate: number;
  /** Batches an epoch; the epochs of a phase follow each other, and the last may end early. */
  readonly bins: number;
  readonly steps: number;
  /** Share of the records that no batch of an epoch has; none unless given. */
  readonly leftOut?: number;
  /** Where one is stated. */
  readonly cap?: { readonly datasetSize: number; readonly batchCap: number };
}

/** The batches of a run of Gaussian noise; undefined where a step is of another kind, or no batch is smaller than the data set. */
export function batchPhases(mechanism: Mechanism): BatchPhase[] | undefined {
  const phases = stepsOf(mechanism).map(phaseOf);
  const known = phases.filter((phase) => phase !== undefined && Number.isSafeInteger(phase.steps));
  return known.length === phases.length && phases.some((phase) => phase!.rate < 1)
    ? (known as BatchPhase[])
    : undefined;
}

function phaseOf({ mechanism, sampling, rate, count, places }: Step): BatchPhase | undefined {
  // how many batches there are is not known, nor are groups the batches of an epoch
  if (places !== undefined) return undefined;
  switch (mechanism.kind) {
    case 'gaussian': {
      const { noiseMultiplier } = mechanism;
      return { loader: sampling, noiseMultiplier, rate, bins: batchesFor(rate), steps: count };
    }
    case 'balls-and-bins': {
      const { noiseMultiplier, bins, visited = bins, binsPerRecord } = mechanism;
      // no other loader here puts a record in several batches of an epoch
      if (binsPerRecord !== undefined) return undefined;
      // several epochs that end early are no run of epochs that follow each other
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

/** Whole batches of a pass over the data set, for a share that was rounded to a double. A smaller last batch is not counted. */
function batchesFor(rate: number): number {
  return Math.floor(up(1 / rate, FEW_ROUNDINGS));
}

/**
 * Keeps noise, shares and steps, and takes another loader, whose epochs begin with each phase. Undefined where that cannot be
 * stated: a cap that is not stated, or a share that is no fraction of whole numbers up to 10⁶. It is also undefined for more
 * batches an epoch, or more or less noise, than the kind takes.
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

const MAKERS: Readonly<Record<Loader, (phase: BatchPhase) => Mechanism | undefined>> = {
  poisson: ({ noiseMultiplier, rate, steps }) =>
    repeat(poissonSubsampled(gaussian({ noiseMultiplier }), { rate }), steps),
  'balls-and-bins': (phase) =>
    inEpochs(phase, ({ noiseMultiplier, bins }, visited) => ballsAndBins({ noiseMultiplier, bins, visited })),
  shuffled: (phase) =>
    inEpochs(phase, ({ noiseMultiplier, bins: all, leftOut = 0 }, bins) => {
      // of an epoch that ends early a record is left out with the share of the batches that are not run
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

/** Batches an epoch, epochs and what is left of one, in words: '100 batches an epoch, 10 epochs'. */
export function epochsText(phase: BatchPhase): string {
  const { bins, epochs, rest } = epochsOf(phase);
  return `${bins} batches an epoch, ${epochs} epochs${rest > 0 ? ` and ${rest} batches` : ''}`;
}

/** Epochs of so many batches run, the last of which may end early; undefined beyond what the kinds of epochs take. */
function inEpochs(
  phase: BatchPhase,
  epoch: (phase: BatchPhase, run: number) => Mechanism,
): Mechanism | undefined {
  const { bins, noiseMultiplier, epochs, rest } = epochsOf(phase);
  if (!(bins <= MOST_BINS && noiseMultiplier >= 1e-3 && noiseMultiplier <= 1e6)) return undefined;
  return compose([repeat(epoch(phase, bins), epochs), ...(rest > 0 ? [epoch(phase, rest)] : [])]);
}

/** Epochs that a record may be in a batch of. */
function epochsMet(phase: BatchPhase): number {
  const { epochs, rest } = epochsOf(phase);
  return epochs + (rest > 0 ? 1 : 0);
}

/**
 * The Gaussian steps that a record may take part in, whatever chooses them, with noise `louder` times smaller. Where a record is
 * in one batch at most these are one step of each epoch, and otherwise all.
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

/** Whole epochs, and the batches of one that is not finished. */
function epochsOf(phase: BatchPhase): BatchPhase & { readonly epochs: number; readonly rest: number } {
  const rest = phase.steps % phase.bins;
  return { ...phase, epochs: (phase.steps - rest) / phase.bins, rest };
}

/** Larger data sets are stated by their rate alone. */
const LARGEST_PART = 1e6;

/** Whole numbers up to 10⁶ whose quotient is the double `rate`, by its continued fraction. */
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

/** log of the least chance that all records of a person are in a batch. */
const LOG_SMALLEST = -644;

/** The run of people of so many records each, drawn by itself; undefined where batches are no Poisson samples, or it is too unlikely that all are drawn. */
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
