import { requireFields, requireWhole, wrongType, wrongValue } from '../errors.js';

/**
 * Facts that only those behind a release know. NIST SP 800-226 and registries of deployments ask for them beside the numbers. Missing ones are shown
 * as blanks in the report.
 */
export interface Details {
  /** What is published: a model, a table, a service. */
  readonly release?: string;
  /** What the release is for. */
  readonly purpose?: string;
  /** Name and origin of the data. */
  readonly dataset?: string;
  /** Records in the data set. */
  readonly datasetSize?: number;
  /** What one record stands for: 'one patient', 'one photograph'. */
  readonly unit?: string;
  /** How many records one person may have in the data; the guarantee is about one record. */
  readonly recordsPerPerson?: number;
  /** How batches were drawn in practice. */
  readonly samplingUsed?: string;
  /** How the search for hyper-parameters is accounted for. */
  readonly tuning?: string;
  /** Other releases from the same records. */
  readonly otherReleases?: string;
  /** Who sees the data before the noise is added. */
  readonly trust?: string;
  /** Where the noise's random numbers come from. */
  readonly randomness?: string;
  /** Day of the release. */
  readonly date?: string;
  /** Whom to ask. */
  readonly contact?: string;
}

/** Every detail, `null` where nothing was given. */
export type CompleteDetails = { readonly [K in keyof Required<Details>]: Required<Details>[K] | null };

/** The details in the report's order: the name of each, and its words within a sentence. */
export const DETAILS: Readonly<Record<keyof Details, readonly [title: string, words: string]>> = {
  release: ['Release', 'what is released'],
  purpose: ['Purpose', 'the purpose'],
  dataset: ['Data set', 'the data set'],
  datasetSize: ['Data set size', 'the size of the data set'],
  unit: ['One record is', 'what one record is'],
  recordsPerPerson: ['Records per person', 'how many records a person has'],
  samplingUsed: ['Batches really drawn', 'how batches were drawn'],
  tuning: ['Search for settings', 'how settings were searched'],
  otherReleases: ['Other releases', 'other releases of the same data'],
  trust: ['Who sees raw data', 'who sees the raw data'],
  randomness: ['Random numbers from', 'the source of random numbers'],
  date: ['Date', 'the date'],
  contact: ['Contact', 'whom to ask'],
};

const NAMES = Object.keys(DETAILS) as (keyof Details)[];
const NUMBERS: readonly string[] = ['datasetSize', 'recordsPerPerson'];
/** Greatest length of a detail, in characters. */
const MAX_LENGTH = 2000;

/** @throws TypeError | RangeError for an unknown detail, or one of a wrong type or longer than 2000 characters. */
export function completeDetails(details: Details = {}): CompleteDetails {
  requireFields('details', details, NAMES, 'details have');
  return Object.fromEntries(
    NAMES.map((name) => [name, checked(name, details[name])]),
  ) as unknown as CompleteDetails;
}

function checked(name: string, value: unknown): string | number | null {
  if (value === undefined || value === null || value === '') return null;
  if (NUMBERS.includes(name)) return requireWhole(`details.${name}`, value, 1, Number.MAX_SAFE_INTEGER);
  if (typeof value !== 'string') throw wrongType(`details.${name}`, 'a string', value);
  if (value.length > MAX_LENGTH)
    throw wrongValue(`details.${name}`, `at most ${MAX_LENGTH} characters`, value);
  return value;
}
