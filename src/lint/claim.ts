import { type Evidence, parseEvidence } from '../audit/index.js';
import {
  type Check,
  fieldName,
  fieldsOf,
  InputTypeError,
  isPlain,
  requireBoolean,
  requirePositive,
  unknownName,
  wrongType,
} from '../errors.js';
import { ADJACENCIES, type Adjacency } from '../mechanism/adjacency.js';
import { LOADERS, type Loader } from '../mechanism/loaders.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { noiseMultiplierOf } from '../mechanism/noise-multiplier.js';
import { parseMechanism } from '../mechanism/parse.js';

/** How the numbers of a claim were found. The last three are approximations; the formulas 'dwork-…' hold for a range of ε only. */
export const CLAIM_METHODS = [
  'exact',
  'pld',
  'prv',
  'rdp',
  'zcdp',
  'gdp',
  'dwork-2006',
  'dwork-2014',
  'clt',
  'edgeworth',
  'asymptotic',
] as const;

/** What a publication states of a run's privacy. Every field may be left out. */
export interface Claim {
  /** (ε, δ)-DP. */
  readonly epsilon?: number;
  /** δ of the ε claimed. */
  readonly delta?: number;
  /** μ-GDP, for error rates down to `alphaMin`. */
  readonly mu?: number;
  /** The claimed μ holds where both error rates are at least this. */
  readonly alphaMin?: number;
  /** ρ-zCDP. */
  readonly rho?: number;
  /** The accountant or formula with which the numbers were computed. */
  readonly method?: (typeof CLAIM_METHODS)[number];
  /** The numbers are said to be approximate, not bounds. */
  readonly approximate?: boolean;
  /** Which data sets count as neighbours. */
  readonly adjacency?: Adjacency;
  /** How batches were formed: the loaders of docs/sampling.md; 'all': every record in every step. */
  readonly sampling?: Loader;
  /** σ: standard deviation of the noise over the clipping norm. */
  readonly noiseMultiplier?: number;
  /** Standard deviation of the noise, in place of `noiseMultiplier`, which `parseClaim` computes from it by `noiseMultiplierOf`. */
  readonly noiseStd?: number;
  /** Norm that gradients are clipped to, with `noiseStd`. */
  readonly clipNorm?: number;
  /** Number of layers or groups of which each is clipped to `clipNorm`, with `noiseStd`. */
  readonly clipGroups?: number;
  /** Records that sums are divided by before noise is added, with `noiseStd`. */
  readonly meanOf?: number;
  /** Share of the data set in an expected batch, in [0, 1]. */
  readonly samplingRate?: number;
  /** Number of steps, a whole number. */
  readonly steps?: number;
  /** Passes over the data set. */
  readonly epochs?: number;
  /** Records in the data set. */
  readonly datasetSize?: number;
  /** Records in a batch, before accumulation. */
  readonly batchSize?: number;
  /** Batches whose gradients are summed before noise is added once; default 1. */
  readonly accumulation?: number;
  /** Whether gradients are clipped by microbatches of more than one record. */
  readonly microbatching?: boolean;
  /** Training runs on the same data, this one included, among which it was chosen. */
  readonly searches?: number;
  /** Whether the numbers count those runs. */
  readonly searchesPaid?: boolean;
  /** How settings were found, in words: "grid search over 40 settings". */
  readonly tuning?: string;
  /** What an attack on the release found: counts or scores, as `audit` takes them. */
  readonly evidence?: Evidence;
  /** The run itself, where no file tells it. */
  readonly mechanism?: Mechanism;
}

const AT_LEAST_0 = 'a finite number >= 0';
const COUNT = 'a whole number from 1 to 2^53 - 1';

const FIELDS: Readonly<Record<`${keyof Claim}?`, Check>> = {
  'epsilon?': AT_LEAST_0,
  'delta?': 'a number in [0, 1)',
  'mu?': AT_LEAST_0,
  'alphaMin?': 'a number in (0, 0.5)',
  'rho?': AT_LEAST_0,
  'method?': CLAIM_METHODS,
  'approximate?': requireBoolean,
  'adjacency?': ADJACENCIES,
  'sampling?': LOADERS,
  'noiseMultiplier?': AT_LEAST_0,
  'noiseStd?': AT_LEAST_0,
  'clipNorm?': requirePositive,
  'clipGroups?': 'a whole number from 1 to 1000000000',
  'meanOf?': requirePositive,
  'samplingRate?': 'a number in (0, 1]',
  'steps?': 'a whole number from 0 to 2^53 - 1',
  'epochs?': requirePositive,
  'datasetSize?': COUNT,
  'batchSize?': requirePositive,
  'accumulation?': COUNT,
  'microbatching?': requireBoolean,
  'searches?': COUNT,
  'searchesPaid?': requireBoolean,
  'tuning?': (field: string, value: unknown) => {
    if (typeof value !== 'string' || value.length > 2000)
      throw wrongType(field, 'a text of at most 2000 characters', value);
    return value;
  },
  'evidence?': (_: string, value: unknown) => parseEvidence(value),
  'mechanism?': (_: string, value: unknown) => parseMechanism(value),
};

export const CLAIM_FIELDS: readonly string[] = Object.keys(FIELDS).map(fieldName);

/** Keys of the files of runs, which claims do not have. */
const RUN_KEYS: readonly string[] = ['kind', 'history', 'class_name', 'noise_multiplier', 'batch_size'];

/**
 * Whether parsed JSON is meant as a claim: an object with ε, μ or ρ. It has no bracket, as answers of this library have, and no
 * field of `RUN_KEYS`.
 */
export function isClaim(value: unknown): boolean {
  if (!isPlain(value)) return false;
  return (
    !Object.entries(value).some(([key, of]) => RUN_KEYS.includes(key) || (isPlain(of) && 'upper' in of)) &&
    ['epsilon', 'mu', 'rho'].some((key) => Object.hasOwn(value, key))
  );
}

/**
 * Checks a claim read from elsewhere. A field `$schema` is ignored.
 *
 * @throws TypeError | RangeError naming a field that is unknown or wrong.
 * @example
 * parseClaim({ epsilon: 8, delta: 1e-5, noiseMultiplier: 9.4 }).epsilon; // 8
 */
export function parseClaim(value: unknown): Claim {
  if (!isPlain(value)) {
    throw wrongType('claim', 'an object such as {"epsilon": 2, "delta": 1e-5}', value);
  }
  const { $schema: _, ...given } = value as Record<string, unknown>;
  for (const field of Object.keys(given))
    if (!CLAIM_FIELDS.includes(field)) throw unknownName(field, 'a claim has', CLAIM_FIELDS);
  return withMultiplier(fieldsOf(given, FIELDS));
}

/** The claim with its noise multiplier, computed from `noiseStd` and the clipping norm if those are given. */
function withMultiplier({ noiseStd, clipNorm, clipGroups, meanOf, ...claim }: Claim): Claim {
  const others = Object.fromEntries(
    Object.entries({ clipNorm, clipGroups, meanOf }).filter(([, value]) => value !== undefined),
  );
  if (noiseStd === undefined) {
    const [name] = Object.keys(others);
    if (name !== undefined) throw new InputTypeError(`"${name}" needs "noiseStd"`);
    return claim;
  }
  if (claim.noiseMultiplier !== undefined)
    throw new InputTypeError('"noiseStd" and "noiseMultiplier" are two ways to state one number');
  if (clipNorm === undefined) throw new InputTypeError('"clipNorm" is missing: "noiseStd" needs it');
  return { ...claim, noiseMultiplier: noiseMultiplierOf({ ...others, noiseStd, clipNorm }) };
}
