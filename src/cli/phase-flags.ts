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
import { DIVIDED_BY_DRAWN } from '../mechanism/kinds/divided-sgd.js';
import type { Loader } from '../mechanism/loaders.js';
import { withRecordsPerPerson } from '../mechanism/mechanism.js';
import { down, FEW_ROUNDINGS, LONG_SUM, up } from '../numeric/rounding.js';
import { shortDecimal } from '../text/decimal.js';
import { type Args, UsageError } from './args.js';
import { each, type Flags, toggle, value } from './command.js';
import { STD_FLAGS } from './noise-flags.js';

/** The loader, as --sampling names it. */
export type PhaseSampling = Exclude<Loader, 'all'> | 'with-replacement';

const whole = (least: number, most: number | string = '2^53 - 1') =>
  `a whole number from ${least} to ${most}`;

/** Options that describe a DP-SGD phase, in place of FILE. */
export const PHASE_FLAGS: Flags = {
  'noise-multiplier': value('S', 'or one DP-SGD phase: noise over clipping norm,'),
  ...STD_FLAGS,
  'sampling-rate': value(
    'Q',
    'probability that a record is in a batch: .01, 256/60000,',
    'a number in [0, 1], or a fraction such as 256/60000',
  ),
  steps: each('T[,T...]', 'number of steps', whole(0)),
  sampling: value(
    'HOW',
    'poisson (default), capped-poisson, balls-and-bins,\nshuffled, without-replacement, with-replacement\nor fixed (same order)',
  ),
  'batch-size': value('B', 'records in a batch, with --dataset-size: rate or bins'),
  'dataset-size': value('N', 'records of the data set', whole(1)),
  'batch-cap': value('B', 'most records a capped-poisson batch keeps', whole(1)),
  bins: value('N', 'batches an epoch: balls-and-bins, shuffled', whole(1, 1e6)),
  'bins-per-record': value('K', 'balls-and-bins: batches of an epoch that a record is in'),
  epochs: each('E[,E...]', 'epochs, in place of steps', whole(0)),
  'drop-last': toggle(
    'the last, smaller batch of an epoch is not run; for\nballs-and-bins as many batches as are full',
  ),
  places: value('kept', 'fixed order: adding or removing a record moves no other\nrecord to another batch'),
  'clip-count-noise': value(
    'S',
    'adaptive clipping: noise of the count of unclipped\ngradients',
    'a number in [1e-9, 1e9]',
  ),
  count: value('HOW', 'that count is centred (-1/2 or 1/2) or raw (0 or 1)'),
  'noise-is-total': toggle('--noise-multiplier is that of sum and count together'),
  divisor: value(
    'WHAT',
    'poisson: sums are divided by a public constant (default),\nexpected (q n) or expected-whole (q n cut)',
  ),
  parameters: value('D', 'coordinates of a gradient, for --divisor', whole(1, 1e12)),
  'records-per-person': value(
    'K',
    'for a person with K records (Gaussian steps,\nplain or Poisson-sampled)',
    whole(1, 1024),
  ),
};

/** Options that --sampling may need beside a file. */
export const BESIDE_LOADER: readonly string[] = ['bins', 'drop-last', 'epochs', 'batch-cap'];

/** Options that may be given with a file, for facts that files do not state. */
export const BESIDE_FILE: readonly string[] = [
  'sampling',
  'dataset-size',
  'places',
  'records-per-person',
  ...BESIDE_LOADER,
];

/** A loader: its options, and how a phase is built from them. */
interface Way {
  /** The name of the phase in charts and reports. */
  readonly title: string;
  /** The allowed noise multipliers, in words. */
  readonly noise: string;
  /** The options beside the noise: one of the lists in `rate` must be complete; those in `any` are optional. */
  readonly rate: readonly (readonly string[])[];
  readonly any: readonly string[];
  /** Builds the phase as a function of its noise multiplier. */
  make(args: Args, say: Say): (noiseMultiplier: number) => Mechanism;
}

/** Called with a sentence on each number that was assumed. */
type Say = (taken: string) => void;

/**
 * The phase in the options, as a function of its noise multiplier; `say` is called with each assumption.
 * @throws UsageError naming what is missing or contradictory.
 */
export function phaseOf(args: Args, say: Say = () => {}) {
  const sampling = args.oneOf('sampling', SAMPLINGS) ?? 'poisson';
  const { rate: ways, any, title, noise, make } = PHASES[sampling];
  if (isOneRelease(args)) {
    const records = recordsOf(args);
    const at = (noiseMultiplier: number): Mechanism => {
      const release = gaussian({ noiseMultiplier });
      return records > 1 ? withRecordsPerPerson(release, records)! : release;
    };
    return { title: ONE_RELEASE, noise, at };
  }
  const missing = (flags: readonly string[]) => flags.filter((flag) => !args.has(flag));
  // of the lists of options that would determine the batches, the first of those with the fewest missing
  const [way] = ways.toSorted((a, b) => missing(a).length - missing(b).length);
  if (missing(way).length > 0) {
    const needed = ways.map((flags) => flags.map((flag) => `--${flag}`).join(', ')).join(' or ');
    throw new UsageError(`"--${missing(way)[0]}" is missing; --sampling ${sampling} needs ${needed}`);
  }
  const known = ['sampling', 'noise-multiplier', ...way, ...any];
  const other = Object.keys(PHASE_FLAGS).find((flag) => args.has(flag) && !known.includes(flag));
  if (other !== undefined)
    throw new UsageError(
      ways.some((flags) => flags.includes(other))
        ? `"--${other}" says what "--${way[0]}" says: give one of the two`
        : `"--${other}" does not go with --sampling ${sampling}`,
    );
  if (args.has('steps') && args.has('epochs')) throw new UsageError('give either --steps or --epochs');
  return { title, noise, at: make(args, say) };
}

/** The name, in charts and reports, of a single release for which only noise is given. */
export const ONE_RELEASE = 'One Gaussian release';
const OF_A_RELEASE: readonly string[] = ['noise-multiplier', 'dataset-size', 'records-per-person'];

/** Whether only noise is given, without steps or batches. */
function isOneRelease(args: Args): boolean {
  return Object.keys(PHASE_FLAGS).every((flag) => !args.has(flag) || OF_A_RELEASE.includes(flag));
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
    make: (args, say) => {
      const rate = rateOf(args);
      const steps = stepsIn(args, rate, say);
      const datasetSize = args.number('dataset-size', whole(1, 1e9))!;
      const batchCap = args.number('batch-cap')!;
      return (noiseMultiplier) =>
        repeat(cappedPoisson({ noiseMultiplier, rate, datasetSize, batchCap }), steps);
    },
  },
  'balls-and-bins': {
    title: 'Balls-and-bins epochs',
    noise: NOISY,
    rate: [OF_BINS, OF_SIZES],
    any: ['epochs', 'dataset-size', 'bins-per-record', 'drop-last'],
    make: (args, say) => {
      const [bins, epochs] = [binsOf(args, say), epochsOf(args)];
      const binsPerRecord = args.number('bins-per-record', whole(1, bins)) ?? 1;
      return (noiseMultiplier) => repeat(ballsAndBins({ noiseMultiplier, bins, binsPerRecord }), epochs);
    },
  },
  shuffled: {
    title: 'Shuffled epochs',
    noise: NOISY,
    rate: [OF_BINS, OF_SIZES],
    any: ['epochs', 'drop-last', 'dataset-size'],
    make: (args, say) => {
      const [{ bins, leftOut }, epochs] = [batchesOf(args, say), epochsOf(args)];
      return (noiseMultiplier) => repeat(shuffled({ noiseMultiplier, bins, leftOut }), epochs);
    },
  },
  'without-replacement': {
    title: 'DP-SGD on batches of fixed size',
    noise: PLAIN,
    rate: [OF_SIZES],
    any: ['steps', 'epochs'],
    make: (args, say) => {
      const { sampleSize, datasetSize } = sizesOf(args);
      const steps = stepsIn(args, sampleSize / datasetSize, say);
      if (args.text('adjacency') === 'zero-out')
        // a batch of all records, capped: a random sample of fixed size, in which a zeroed-out record is still counted
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
    make: (args, say) => {
      const { sampleSize, datasetSize } = sizesOf(args);
      const steps = stepsIn(args, sampleSize / datasetSize, say);
      return (noiseMultiplier) =>
        repeat(withReplacement({ noiseMultiplier, sampleSize, datasetSize }), steps);
    },
  },
  fixed: {
    title: 'Epochs in a fixed order',
    noise: PLAIN,
    rate: [[]],
    any: ['epochs', 'bins', 'batch-size', 'dataset-size', 'places'],
    // a record is in one fixed batch of every epoch: there is no amplification
    make: (args, say) => {
      const [epochs, told] = [epochsOf(args), args.has('bins') || args.has('batch-size')];
      const known = { ...(told && { bins: batchesOf(args, say).bins }), ...placesOf(args) };
      return (noiseMultiplier) => repeat(fixedBatches({ noiseMultiplier, ...known }), epochs);
    },
  },
};

export const SAMPLINGS: readonly PhaseSampling[] = Object.keys(PHASES) as PhaseSampling[];

function poissonPhase(args: Args, say: Say): ReturnType<Way['make']> {
  const samplingRate = rateOf(args);
  const steps = stepsIn(args, samplingRate, say);
  const recordsPerPerson = recordsOf(args);
  const clipping = clippingOf(args);
  const divided = dividedOf(args);
  const other = clipping === undefined ? 'records-per-person' : 'clip-count-noise';
  if (divided !== undefined && (recordsPerPerson > 1 || clipping !== undefined))
    throw new UsageError(`"--divisor" does not go with --${other}`);
  if (clipping !== undefined && recordsPerPerson > 1)
    throw new UsageError('"--records-per-person" does not go with --clip-count-noise');
  return (noiseMultiplier) => {
    if (divided !== undefined) return dividedSgd({ noiseMultiplier, samplingRate, steps, ...divided });
    if (clipping === undefined) return dpSgd({ noiseMultiplier, samplingRate, steps, recordsPerPerson });
    const step = adaptiveClipping({ noiseMultiplier, ...clipping });
    return repeat(poissonSubsampled(step, { rate: samplingRate }), steps);
  };
}

function clippingOf(args: Args) {
  const countNoise = args.number('clip-count-noise');
  if (countNoise === undefined) {
    args.without(['count', 'noise-is-total'], 'needs --clip-count-noise');
    return undefined;
  }
  const count = args.oneOf('count', ['centred', 'raw'] as const);
  if (count === undefined)
    throw new UsageError(
      '"--count" is missing: say whether the count is centred (-1/2 or 1/2) or raw (0 or 1)',
    );
  return { countNoise, count, total: args.has('noise-is-total') };
}

/** Number of records of one person; default 1. */
export function recordsOf(args: Args): number {
  return args.number('records-per-person') ?? 1;
}

function dividedOf(args: Args) {
  const divisors = ['constant', 'expected', 'expected-whole', 'drawn'] as const;
  const divisor = args.oneOf('divisor', divisors) ?? 'constant';
  if (divisor === 'drawn') throw new UsageError(`"--divisor drawn" is refused: ${DIVIDED_BY_DRAWN}`);
  const parameters = args.number('parameters');
  if (divisor === 'constant') args.without(['parameters'], 'needs --divisor expected or expected-whole');
  if (divisor === 'constant') return undefined;
  const datasetSize = args.number('dataset-size', whole(2, 1e9 - 1));
  if (parameters === undefined || datasetSize === undefined)
    throw new UsageError(
      `"--${parameters === undefined ? 'parameters' : 'dataset-size'}" is missing; --divisor ${divisor} needs it`,
    );
  return { divisor, parameters, datasetSize };
}

export function placesOf(args: Args): { readonly places?: Places } {
  const places = args.oneOf('places', ['kept'] as const);
  return places === undefined ? {} : { places };
}

function epochsOf(args: Args): number {
  return args.number('epochs') ?? 1;
}

function sizesOf(args: Args): { sampleSize: number; datasetSize: number } {
  const size = args.number('dataset-size');
  const datasetSize = args.required(size, 'dataset-size', 'the records that batches are made of');
  const most = datasetSize === Number.MAX_SAFE_INTEGER ? undefined : datasetSize;
  const sampleSize = args.number('batch-size', whole(1, most));
  return { sampleSize: args.required(sampleSize, 'batch-size', 'the records of a batch'), datasetSize };
}

/** The rate as given, or the batch divided by the size of the data set. */
function rateOf(args: Args): number {
  const given = args.number('sampling-rate');
  if (given !== undefined) return given;
  const { sampleSize, datasetSize } = sizesOf(args);
  return sampleSize / datasetSize;
}

/** The steps as given, or those of the epochs, ⌈1/rate⌉ each. */
function stepsIn(args: Args, rate: number, say: Say): number {
  const epochs = args.number('epochs');
  if (epochs === undefined)
    return args.required(args.number('steps'), 'steps', 'the number of steps, or --epochs');
  const exact = args.has('batch-size') ? sizesOf(args).datasetSize / sizesOf(args).sampleSize : 1 / rate;
  const perEpoch = Math.ceil(args.has('batch-size') ? exact : down(exact, FEW_ROUNDINGS));
  if (!(epochs * perEpoch <= Number.MAX_SAFE_INTEGER))
    throw new UsageError('"--epochs" are more steps than can be counted at this sampling rate');
  if (perEpoch > up(exact, LONG_SUM))
    say(`${epochs} epochs are taken as ${epochs * perEpoch} steps, ${perEpoch} an epoch`);
  return epochs * perEpoch;
}

/** The number of batches of an epoch, and the share of records in none. The last batch may be smaller; --drop-last leaves it out. */
function batchesOf(args: Args, say: Say): { bins: number; leftOut: number } {
  if (args.has('bins')) return { bins: binsGiven(args), leftOut: 0 };
  const { sampleSize, datasetSize } = sizesOf(args);
  const [rest, full] = [datasetSize % sampleSize, Math.floor(datasetSize / sampleSize)];
  if (rest === 0) return { bins: full, leftOut: 0 };
  const drops = args.has('drop-last');
  const last = drops ? `; ${rest} records are in none` : ` and a smaller one of ${rest}`;
  say(`an epoch is taken as ${full} batches of ${sampleSize} records${last}`);
  return drops ? { bins: full, leftOut: rest / datasetSize } : { bins: full + 1, leftOut: 0 };
}

function binsGiven(args: Args): number {
  args.without(['drop-last'], 'needs --batch-size and --dataset-size');
  args.without(['batch-size'], 'says what "--bins" says: give one of the two');
  return args.number('bins')!;
}

/**
 * The number of bins of an epoch, each with the same expected number of records.
 *
 * @throws UsageError if the batch size does not divide the size of the data set, and neither --bins nor --drop-last is given.
 */
function binsOf(args: Args, say: Say): number {
  if (args.has('bins')) return binsGiven(args);
  const { sampleSize, datasetSize } = sizesOf(args);
  const full = Math.floor(datasetSize / sampleSize);
  const each = (bins: number): string =>
    `${bins} batches of ${shortDecimal(Math.round(datasetSize / bins))} records on average`;
  if (datasetSize % sampleSize === 0) return full;
  if (!args.has('drop-last'))
    throw new UsageError(
      `"--batch-size" ${sampleSize} does not divide the ${datasetSize} records: give --bins ${full + 1} for ${each(full + 1)}, or --bins ${full} or --drop-last for ${each(full)}`,
    );
  say(`an epoch is taken as ${each(full)}`);
  return full;
}
