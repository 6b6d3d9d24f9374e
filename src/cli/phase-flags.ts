import {
  adaptiveClipping,
  ballsAndBins,
  cappedPoisson,
  dividedSgd,
  dpSgd,
  fixedBatches,
  gaussian,
  type Mechanism,
  type Places,
  poissonSubsampled,
  repeat,
  shuffled,
  withoutReplacement,
  withReplacement,
} from '../index.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { DIVIDED_BY_DRAWN } from '../mechanism/kinds/divided-sgd.js';
import type { Loader } from '../mechanism/loaders.js';
import { usualAdjacency } from '../mechanism/reduce.js';
import type { Args } from './args.js';
import { UsageError } from './errors.js';
import { type Flags, toggle, value } from './flags.js';

/** How batches are formed, as --sampling has it. */
export type PhaseSampling = Exclude<Loader, 'all'> | 'with-replacement';

/** One DP-SGD phase by its numbers, in place of FILE. */
export const PHASE_FLAGS: Flags = {
  'noise-multiplier': value('S', 'or one DP-SGD phase: noise over clipping norm,'),
  'sampling-rate': value('Q', 'probability that a record is in a batch: .01, 256/60000,'),
  steps: value('T', 'number of steps'),
  sampling: value(
    'HOW',
    'poisson (default), capped-poisson, balls-and-bins,\nshuffled, without-replacement, with-replacement\nor fixed (same order)',
  ),
  'batch-size': value('B', 'records in a batch, with --dataset-size: rate or bins'),
  'dataset-size': value('N', 'records of the data set'),
  'batch-cap': value('B', 'most records a capped-poisson batch keeps'),
  bins: value('N', 'batches an epoch: balls-and-bins, shuffled'),
  'bins-per-record': value('K', 'balls-and-bins: batches of an epoch that a record is in'),
  epochs: value('E', 'epochs, in place of steps'),
  'drop-last': toggle('shuffled: the last, smaller batch is not run'),
  places: value('kept', 'fixed order: adding or removing a record moves no other\nrecord to another batch'),
  'clip-count-noise': value('S', 'adaptive clipping: noise of the count of unclipped\ngradients'),
  count: value('HOW', 'that count is centred (-1/2 or 1/2) or raw (0 or 1)'),
  'noise-is-total': toggle('--noise-multiplier is that of sum and count together'),
  divisor: value(
    'WHAT',
    'poisson: sums are divided by a public constant (default),\nexpected (q n) or expected-whole (q n cut)',
  ),
  parameters: value('D', 'coordinates of a gradient, for --divisor'),
  'records-per-person': value('K', 'for a person with K records (Gaussian steps,\nplain or Poisson-sampled)'),
};

/** What a file cannot say, and may be told beside it. */
export const BESIDE_FILE: readonly string[] = ['sampling', 'dataset-size', 'places', 'records-per-person'];

interface Phase {
  /** What a drawing or a report calls it. */
  readonly title: string;
  /** Noise multipliers that it may have, in words. */
  readonly noise: string;
  /** The phase with other noise. */
  at(noiseMultiplier: number): Mechanism;
}

/**
 * The phase that the options tell, but for its noise.
 *
 * @param more Options that are given for something else, besides those of a phase.
 * @throws UsageError naming what is missing or does not go together.
 */
export function phaseOf(args: Args, more: readonly string[] = []): Phase {
  const sampling = args.oneOf('sampling', SAMPLINGS) ?? 'poisson';
  const given = Object.keys(PHASE_FLAGS).filter((flag) => args.has(flag) && !more.includes(flag));
  const { rate: ways, any, title, noise, make } = PHASES[sampling];
  const way = ways.find((flags) => flags.every((flag) => args.has(flag)));
  if (way === undefined) {
    const [first] = ways.toSorted((a, b) => missing(args, a).length - missing(args, b).length);
    const [flag] = missing(args, first);
    throw new UsageError(`"--${flag}" is missing; --sampling ${sampling} needs ${listed(ways)}`);
  }
  const known = ['sampling', 'noise-multiplier', ...way, ...any];
  for (const flag of given)
    if (!known.includes(flag))
      throw new UsageError(
        ways.some((flags) => flags.includes(flag))
          ? `"--${flag}" says what "--${way[0]}" says: give one of the two`
          : `"--${flag}" does not go with --sampling ${sampling}`,
      );
  if (args.has('steps') && args.has('epochs')) throw new UsageError('give either --steps or --epochs');
  return { title, noise, at: make(args) };
}

function missing(args: Args, flags: readonly string[]): string[] {
  return flags.filter((flag) => !args.has(flag));
}

function listed(ways: readonly (readonly string[])[]): string {
  return ways.map((flags) => flags.map((flag) => `--${flag}`).join(', ')).join(' or ');
}

/** A way of forming batches: what it takes beside the noise, all of one of the lists `rate` and any of `any`, and what is made of it. */
interface Way extends Omit<Phase, 'at'> {
  readonly rate: readonly (readonly string[])[];
  readonly any: readonly string[];
  make(args: Args): Phase['at'];
}

const [OF_SIZES, OF_BINS] = [['batch-size', 'dataset-size'], ['bins']];
const [PLAIN, PLAIN_OR_BARE, NOISY] = [
  '0 or a number from 1e-9 to 1e9',
  '0 or a number from 1e-3 to 1e6',
  'a number from 1e-3 to 1e6',
];

const PHASES: Readonly<Record<PhaseSampling, Way>> = {
  poisson: {
    title: 'DP-SGD',
    noise: PLAIN,
    rate: [['sampling-rate'], OF_SIZES],
    any: [
      'steps',
      'epochs',
      'records-per-person',
      'dataset-size',
      'clip-count-noise',
      'count',
      'noise-is-total',
      'divisor',
      'parameters',
    ],
    make: poissonPhase,
  },
  'capped-poisson': {
    title: 'DP-SGD on capped Poisson batches',
    noise: PLAIN_OR_BARE,
    rate: [
      ['sampling-rate', 'dataset-size', 'batch-cap'],
      [...OF_SIZES, 'batch-cap'],
    ],
    any: ['steps', 'epochs'],
    make: (args) => {
      const rate = rateOf(args);
      const steps = stepsIn(args, rate);
      const datasetSize = wholeOf(args, 'dataset-size', 1, 1e9)!;
      const batchCap = wholeOf(args, 'batch-cap', 1)!;
      return (noiseMultiplier) =>
        repeat(cappedPoisson({ noiseMultiplier, rate, datasetSize, batchCap }), steps);
    },
  },
  'balls-and-bins': {
    title: 'Balls-and-bins epochs',
    noise: NOISY,
    rate: [OF_BINS, OF_SIZES],
    any: ['epochs', 'dataset-size', 'bins-per-record'],
    make: (args) => {
      const [bins, epochs] = [batchesOf(args).bins, epochsOf(args)];
      const binsPerRecord = wholeOf(args, 'bins-per-record', 1, bins) ?? 1;
      return (noiseMultiplier) => repeat(ballsAndBins({ noiseMultiplier, bins, binsPerRecord }), epochs);
    },
  },
  shuffled: {
    title: 'Shuffled epochs',
    noise: NOISY,
    rate: [OF_BINS, OF_SIZES],
    any: ['epochs', 'drop-last', 'dataset-size'],
    make: (args) => {
      const [{ bins, leftOut }, epochs] = [batchesOf(args), epochsOf(args)];
      return (noiseMultiplier) => repeat(shuffled({ noiseMultiplier, bins, leftOut }), epochs);
    },
  },
  'without-replacement': {
    title: 'DP-SGD on batches of fixed size',
    noise: PLAIN,
    rate: [OF_SIZES],
    any: ['steps', 'epochs'],
    make: (args) => {
      const { sampleSize, datasetSize } = sizesOf(args);
      const steps = stepsIn(args, sampleSize / datasetSize);
      if (args.text('adjacency') === 'zero-out')
        // everybody joins, and all but the batch is cut: a sample of fixed size in which the record left out still takes its place
        return (noiseMultiplier) =>
          repeat(cappedPoisson({ noiseMultiplier, rate: 1, datasetSize, batchCap: sampleSize }), steps);
      return (noiseMultiplier) =>
        repeat(withoutReplacement(gaussian({ noiseMultiplier }), { sampleSize, datasetSize }), steps);
    },
  },
  'with-replacement': {
    title: 'DP-SGD on batches drawn with replacement',
    noise: PLAIN_OR_BARE,
    rate: [OF_SIZES],
    any: ['steps', 'epochs'],
    make: (args) => {
      const { sampleSize, datasetSize } = sizesOf(args);
      const steps = stepsIn(args, sampleSize / datasetSize);
      return (noiseMultiplier) =>
        repeat(withReplacement({ noiseMultiplier, sampleSize, datasetSize }), steps);
    },
  },
  fixed: {
    title: 'Epochs in a fixed order',
    noise: PLAIN,
    rate: [[]],
    any: ['epochs', 'bins', 'batch-size', 'dataset-size', 'places'],
    // a record is in the same one batch of every epoch: nothing is drawn, and nothing amplified
    make: (args) => {
      const [epochs, told] = [epochsOf(args), args.has('bins') || args.has('batch-size')];
      const known = { ...(told && { bins: batchesOf(args).bins }), ...placesOf(args) };
      return (noiseMultiplier) => repeat(fixedBatches({ noiseMultiplier, ...known }), epochs);
    },
  },
};

export const SAMPLINGS: readonly PhaseSampling[] = Object.keys(PHASES) as PhaseSampling[];

function poissonPhase(args: Args): Phase['at'] {
  const samplingRate = rateOf(args);
  const steps = stepsIn(args, samplingRate);
  const recordsPerPerson = recordsOf(args);
  const clipping = clippingOf(args);
  const divided = dividedOf(args);
  if (divided !== undefined) {
    if (recordsPerPerson > 1 || clipping !== undefined)
      throw new UsageError(
        `"--divisor" does not go with --${clipping === undefined ? 'records-per-person' : 'clip-count-noise'}`,
      );
    return (noiseMultiplier) => dividedSgd({ noiseMultiplier, samplingRate, steps, ...divided });
  }
  if (clipping === undefined)
    return (noiseMultiplier) => dpSgd({ noiseMultiplier, samplingRate, steps, recordsPerPerson });
  if (recordsPerPerson > 1)
    throw new UsageError('"--records-per-person" does not go with --clip-count-noise');
  return (noiseMultiplier) =>
    repeat(
      poissonSubsampled(adaptiveClipping({ noiseMultiplier, ...clipping }), { rate: samplingRate }),
      steps,
    );
}

/** What is said of the count that adaptive clipping releases beside the sum. */
function clippingOf(
  args: Args,
): { countNoise: number; count: 'centred' | 'raw'; total: boolean } | undefined {
  const countNoise = args.number('clip-count-noise', 'a number in [1e-9, 1e9]');
  if (countNoise === undefined) {
    const flag = ['count', 'noise-is-total'].find((each) => args.has(each));
    if (flag !== undefined) throw new UsageError(`"--${flag}" needs --clip-count-noise`);
    return undefined;
  }
  const count = args.oneOf('count', ['centred', 'raw'] as const);
  if (count === undefined)
    throw new UsageError(
      '"--count" is missing: say whether the count is centred (-1/2 or 1/2) or raw (0 or 1)',
    );
  return { countNoise, count, total: args.has('noise-is-total') };
}

/** Records of one person, 1 unless told. */
export function recordsOf(args: Args): number {
  return wholeOf(args, 'records-per-person', 1, 1024) ?? 1;
}

/** What is said of a divisor that hangs on the size of the data set. */
function dividedOf(
  args: Args,
): { divisor: 'expected' | 'expected-whole'; parameters: number; datasetSize: number } | undefined {
  const divisor =
    args.oneOf('divisor', ['constant', 'expected', 'expected-whole', 'drawn'] as const) ?? 'constant';
  if (divisor === 'drawn') throw new UsageError(`"--divisor drawn" is refused: ${DIVIDED_BY_DRAWN}`);
  const parameters = wholeOf(args, 'parameters', 1, 1e12);
  if (divisor === 'constant') return undefined;
  const datasetSize = wholeOf(args, 'dataset-size', 2, 1e9 - 1);
  if (parameters === undefined || datasetSize === undefined)
    throw new UsageError(
      `"--${parameters === undefined ? 'parameters' : 'dataset-size'}" is missing; --divisor ${divisor} needs it`,
    );
  return { divisor, parameters, datasetSize };
}

/** What --places says. */
export function placesOf(args: Args): { readonly places?: Places } {
  const places = args.oneOf('places', ['kept'] as const);
  return places === undefined ? {} : { places };
}

function wholeOf(
  args: Args,
  flag: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const end = most === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : most;
  return args.number(flag, `a whole number from ${least} to ${end}`);
}

function epochsOf(args: Args): number {
  return wholeOf(args, 'epochs', 0) ?? 1;
}

function sizesOf(args: Args): { sampleSize: number; datasetSize: number } {
  const datasetSize = wholeOf(args, 'dataset-size', 1)!;
  return { sampleSize: wholeOf(args, 'batch-size', 1, datasetSize)!, datasetSize };
}

/** The rate as it is given, or that of a batch of the data set. */
export function rateOf(args: Args): number {
  const expected = 'a number in [0, 1], or a fraction such as 256/60000';
  const given = args.number('sampling-rate', expected, (x) => x >= 0 && x <= 1);
  if (given !== undefined) return given;
  const { sampleSize, datasetSize } = sizesOf(args);
  return sampleSize / datasetSize;
}

/** Steps as given, or so many as epochs of ⌈1/rate⌉ have. */
function stepsIn(args: Args, rate: number): number {
  const epochs = wholeOf(args, 'epochs', 0);
  if (epochs === undefined)
    return args.required(wholeOf(args, 'steps', 0), 'steps', 'the number of steps, or --epochs');
  const perEpoch = args.has('batch-size')
    ? Math.ceil(sizesOf(args).datasetSize / sizesOf(args).sampleSize)
    : Math.ceil((1 / rate) * (1 - 1e-15));
  if (!(epochs * perEpoch <= Number.MAX_SAFE_INTEGER))
    throw new UsageError('"--epochs" are more steps than can be counted at this sampling rate');
  return epochs * perEpoch;
}

/** Batches of an epoch, and the share of the records that no batch has. */
function batchesOf(args: Args): { bins: number; leftOut: number } {
  const drops = args.has('drop-last');
  if (args.has('bins')) {
    if (drops) throw new UsageError('"--drop-last" needs --batch-size and --dataset-size');
    return { bins: wholeOf(args, 'bins', 1, 1e6)!, leftOut: 0 };
  }
  const { sampleSize, datasetSize } = sizesOf(args);
  const rest = datasetSize % sampleSize;
  return {
    bins: Math[drops ? 'floor' : 'ceil'](datasetSize / sampleSize),
    leftOut: drops ? rest / datasetSize : 0,
  };
}

/** The adjacency asked for; else the first one with a theorem for the run, with a note where it is not the usual one. */
export function adjacencyOf(
  asked: Adjacency | undefined,
  mechanism: Mechanism,
  note: (text: string) => void,
): Adjacency {
  if (asked !== undefined) return asked;
  const usual = usualAdjacency(mechanism);
  if (usual !== 'add-remove')
    note(`uses ${usual} adjacency, since these batches have no theorem for add-remove`);
  return usual;
}
