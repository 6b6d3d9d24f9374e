import { account } from '../account/account.js';
import { type ComposedRun, requireRun } from '../account/composed-run.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireOptions, requireShare, requireWhole } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import {
  type BatchPhase,
  batchPhases,
  epochsText,
  IN_EPOCHS,
  LOADERS,
  type Loader,
  unamplified,
  underLoader,
  withRecords,
} from '../mechanism/loaders.js';
import { adjacenciesOf } from '../mechanism/theorems.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { runTradeoff } from '../tradeoff/constructors.js';
import { groupPrivacy } from '../tradeoff/group-privacy.js';
import { seen } from '../tradeoff/subject.js';
import { pairEpsilon } from './pair-bound.js';

/** Relative width of ε in all rows but the run's own: they are printed with three digits. */
const TOLERANCE = 5e-3;
/** Runs of more distinct phases have no table, because each row would be an account of all of them. */
const MOST_PHASES = 4;
/** The work that a row may take, as a share of the work allowed for one question about the run. */
const SHARE = 0.2;
/**
 * The work that group privacy may take, as a share of the work allowed for one question. It chains data sets, one record apart each, and needs
 * hundreds of points of the trade-off curve. For 8 records and an unsampled run it takes 0.3 to 0.6.
 */
const CHAIN_SHARE = 0.6;
const RECORDS = [1, 2, 4, 8];
const MOST_RECORDS = 1024;

/** ε with one loader, for the noise multipliers, sampling rates and steps of the run. */
export interface LoaderRow {
  /** What forms the batches. */
  readonly loader: Loader;
  /** Whether it is the run's own. */
  readonly own: boolean;
  /** The neighbour relation of the row: the run's, or the nearest to it that has a theorem for this loader. */
  readonly adjacency: Adjacency;
  /** null: not computed, for the reason in `how`. */
  readonly epsilon: Bracket | null;
  /** How it was computed, and what the ends of the bracket mean. */
  readonly how: string;
}

/** ε of the run for a person with several records. */
export interface RecordsRow {
  /** Records of one person. */
  readonly records: number;
  /** ε of the run for that person. */
  readonly epsilon: Bracket;
  /** The theorem by which it was computed. */
  readonly how: string;
}

/** ε under each loader, and for persons with several records. Plain data. */
export interface LoaderTable {
  /** δ of all ε in the table. */
  readonly delta: number;
  /** Relative width asked for, except in the run's own row. The brackets are proved at any width. */
  readonly tolerance: number;
  /** The rows of the loaders. */
  readonly loaders: readonly LoaderRow[];
  /** The rows of persons with more records, under the run's own loader. */
  readonly records: readonly RecordsRow[];
}

/** The δ of the table, and a number of records for a row. */
export interface LoaderOptions {
  /** δ, in (0, 1); default 1e-5. */
  readonly delta?: number;
  /** Greatest number of records of one person, 1 … 1024, for which the table has a row too. */
  readonly recordsPerPerson?: number;
}

/**
 * Epsilon with the noise, batch shares and steps of a run, for a report. It is computed under every loader with a theorem, and
 * for people with 1, 2, 4 and 8 records. Rows beside the run's own are computed to three digits. Undefined where the run has no
 * batches of Gaussian noise, or more than four distinct phases.
 *
 * @throws TypeError | RangeError naming the option that is wrong.
 * @example
 * sameNoise(engine, run)?.loaders.find(({ loader }) => loader === 'shuffled')?.epsilon?.upper; // 14.8915
 */
export function sameNoise(
  engine: Engine,
  run: ComposedRun,
  options: LoaderOptions = {},
): LoaderTable | undefined {
  requireEngine(engine);
  requireRun(run);
  requireOptions('sameNoise', options, ['delta', 'recordsPerPerson']);
  const { delta = 1e-5, recordsPerPerson = 1 } = options;
  requireShare('delta', delta);
  const stated = Math.min(MOST_RECORDS, requireWhole('recordsPerPerson', recordsPerPerson, 1, 2 ** 53));
  const phases = batchPhases(run.settings.mechanism);
  if (phases === undefined || phases.length > MOST_PHASES) return undefined;
  const table = { engine, run, phases, delta };
  return {
    delta,
    tolerance: TOLERANCE,
    loaders: LOADERS.flatMap((loader) => rowOf(table, loader) ?? []),
    records: recordsRows(table, stated),
  };
}

interface Asked {
  readonly engine: Engine;
  readonly run: ComposedRun;
  readonly phases: readonly BatchPhase[];
  readonly delta: number;
}

const HOW: Readonly<Record<Loader, string>> = {
  poisson:
    'Each record joins each batch independently. The probability is the share of the records in a batch.',
  'balls-and-bins': 'Each record joins one batch of each epoch, chosen uniformly and independently.',
  shuffled:
    'Batches cut from a new random order each epoch. The upper end assumes no amplification and holds for every data set. Some data set needs at least the lower end.',
  'capped-poisson':
    'Poisson samples that keep at most the cap. The upper end holds for every data set. Some data set needs at least the lower end.',
  'without-replacement': 'Each batch is a uniformly random set of its size, drawn afresh.',
  fixed: 'A record is in the same batch of every epoch: nothing is drawn, and nothing is amplified.',
  all: 'No way of choosing batches without looking at the data can be worse.',
};

/**
 * ε without amplification, for a person of `records` records. The loader may use each record at most once an epoch; then an epoch counts as one step.
 * The worst case is that all records of the person fall into the same batch: its noise is divided by their number.
 *
 * Ensures: ε of these steps lies in the bracket.
 */
function oncePerEpoch({ engine, run, phases, delta }: Asked, loader: Loader, records: number): Bracket {
  const mechanism = unamplified(phases, { oncePerEpoch: IN_EPOCHS.includes(loader), louder: records });
  const { adjacency, effort } = run.settings;
  return epsilonOf(account(engine, mechanism, { adjacency, effort }), delta);
}

function epsilonOf(other: ComposedRun, delta: number): Bracket {
  return other.question(() => other.epsilon(delta), SHARE);
}

function upTo(lower: number, ...uppers: number[]): Bracket {
  return bracket(lower, Math.max(lower, Math.min(...uppers)));
}

/** The row of a loader; undefined if the loader needs a fact that is not given. */
function rowOf(table: Asked, loader: Loader): LoaderRow | undefined {
  const { run, phases, delta } = table;
  const asked = run.settings.adjacency;
  // steps that use every record are the same with every loader
  if (phases.every((phase) => phase.loader === loader || phase.rate === 1))
    return { loader, own: true, adjacency: asked, epsilon: run.epsilon(delta), how: HOW[loader] };
  const mechanism = underLoader(phases, loader);
  if (mechanism === undefined) return undefined;
  const proved = adjacenciesOf(loader);
  const adjacency = proved.includes(asked) ? asked : 'zero-out';
  const inEpochs = IN_EPOCHS.includes(loader);
  const how = inEpochs ? `${HOW[loader]} ${phases.map(epochsText).join('; ')}.` : HOW[loader];
  const about = { loader, own: false, adjacency };
  if (!proved.includes(adjacency))
    return {
      ...about,
      epsilon: null,
      how: `${how} Not computed here: with one record left out it is a capped Poisson sample of rate 1.`,
    };
  const { effort } = run.settings;
  const other = account(table.engine, mechanism, { adjacency, tolerance: TOLERANCE, effort });
  const epsilon = epsilonOf(other, delta);
  if (asked !== 'replace-one' || adjacency === asked) return { ...about, epsilon, how };
  const twice = other.question(() => pairEpsilon(other, delta), SHARE);
  // Replacing a record is removing one and adding one, which bounds ε from above. Removal alone is a replacement too, by a record that contributes
  // nothing, and bounds ε from below.
  return {
    ...about,
    adjacency: asked,
    epsilon: upTo(epsilon.lower, twice, oncePerEpoch(table, loader, 1).upper),
    how: `${how} From the guarantee for one record left out, from above as two steps of it.`,
  };
}

/** The rows for 1, 2, 4 and 8 records, and for the stated number. */
function recordsRows(table: Asked, stated: number): RecordsRow[] {
  const { engine, run, phases, delta } = table;
  const { adjacency, mechanism, effort } = run.settings;
  const one = run.epsilon(delta);
  const own = phases.every(({ loader }) => IN_EPOCHS.includes(loader)) ? 'fixed' : 'all';
  const coarse = account(engine, mechanism, { adjacency, tolerance: TOLERANCE, effort });
  return [...new Set([...RECORDS, stated])]
    .sort((a, b) => a - b)
    .map((records) => {
      if (records === 1) return { records, epsilon: one, how: 'The run itself.' };
      const exact = adjacency === 'replace-one' ? undefined : withRecords(phases, records);
      if (exact !== undefined)
        return {
          records,
          epsilon: epsilonOf(account(engine, exact, { adjacency, tolerance: TOLERANCE, effort }), delta),
          how: `Each of the person's records is drawn by itself.`,
        };
      // group privacy needs hundreds of points of the trade-off curve, which are slow by the grid method
      const chained =
        run.method === 'grid'
          ? Infinity
          : coarse.question(
              () => seen(groupPrivacy(runTradeoff(coarse), records)).ask.epsilon(delta).upper,
              CHAIN_SHARE,
            );
      return {
        records,
        epsilon: upTo(one.lower, chained, oncePerEpoch(table, own, records).upper),
        how: 'From above by group privacy, or without amplification; from below as a person of one record.',
      };
    });
}
