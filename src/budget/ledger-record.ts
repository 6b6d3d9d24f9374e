import { requireBoolean, requireFields, requireWhole, wrongValue } from '../errors.js';
import { endsEarly } from '../read/json.js';
import { sha256 } from '../text/sha256.js';
import { PrivacyLedger } from './ledger.js';
import { checkedBudget, checkedSpending, type PrivacyBudget, type Spending } from './measures.js';
import { type Charge, checkedCharges, RecordLedger, requireId } from './record-ledger.js';

/** When a record was written, ISO 8601 in UTC, and what tells it from an equal one. */
export interface Stamp {
  readonly at: string;
  readonly nonce: string;
}

/** Position and time of a release in the log. */
interface Place {
  /** Its place in the file, from 1. */
  readonly seq: number;
  /** When it was written, ISO 8601 in UTC. */
  readonly at: string;
  /** SHA-256 of its record; the next one names it. */
  readonly digest: string;
}

/** What is asked of a ledger of one budget. */
export interface Payment {
  /** What one release cost. */
  readonly spend: Spending;
  /** Releases of that cost. */
  readonly count: number;
  /** Its name, if it was given one. */
  readonly id?: string;
}

/** What is asked of a ledger of a budget for each record. */
export interface RecordPayment extends Pick<Payment, 'id'> {
  /** What the release costs the records that it would use. */
  readonly charges: readonly Charge[];
}

/** A release that is paid. */
export interface Receipt extends Payment, Place {}

/** A release that is paid by the records themselves. */
export interface RecordReceipt extends RecordPayment, Place {
  /** Records that must be left out of the release: their budgets do not cover it. */
  readonly leftOut: readonly string[];
}

/** A record of a release paid, if it is the first to follow the record named by `after`. */
interface Entry extends Omit<Place, 'digest'>, Stamp {
  /** Digest of the record before it. */
  readonly after: string;
  readonly payment: Payment | RecordPayment;
}

const FORMAT = 'gdp-kernel-budget';
/** Greatest length of a record in bytes; it limits the Rényi points and digits, and the names of records that it charges. */
export const LONGEST_RECORD: number = 16 * 1024 * 1024;
const END = / ([0-9a-f]{64})$/;

/** Whether a line may have been written as the first of a ledger. */
export function looksLikeOpening(line: string): boolean {
  return line.startsWith(`{"format":"${FORMAT}"`);
}

/** The first line of a ledger. @throws TypeError | RangeError for a wrong budget. */
export function openingLine(budget: PrivacyBudget, perRecord: boolean, stamp: Stamp): string {
  PrivacyLedger.open(budget);
  const each = perRecord && { perRecord };
  return lineOf({ format: FORMAT, version: 1, budget: checkedBudget(budget), ...each, ...stamp });
}

/** A record as a line: JSON, a space and the SHA-256 of the JSON. */
export function lineOf(record: object): string {
  const json = JSON.stringify(record);
  return `${json} ${sha256(json)}`;
}

/**
 * What a line holds. 'torn' lines lack their end: the writer was stopped, and never learned that the release was paid.
 * 'damaged' ones have an end that contradicts the rest.
 */
type Line =
  | { readonly state: 'whole'; readonly value: unknown; readonly digest: string }
  | { readonly state: 'torn' }
  | { readonly state: 'damaged' };

export function readLine(line: string): Line {
  const digest = END.exec(line)?.[1];
  if (digest === undefined) return { state: isBeginning(line.replace(/\0+$/, '')) ? 'torn' : 'damaged' };
  const json = line.slice(0, -65);
  if (sha256(json) !== digest) return { state: 'damaged' };
  try {
    return { state: 'whole', value: JSON.parse(json), digest };
  } catch {
    return { state: 'damaged' };
  }
}

/**
 * Whether a line may be the beginning of a record whose writer was stopped. A line with any other end was complete once, so its release may have been
 * paid. (Zeros at its end come from a file system that had reserved the space.)
 */
function isBeginning(line: string): boolean {
  const space = line.indexOf(' ');
  // JSON.stringify writes no spaces, and no text in a record has any: no space means no digest yet
  if (space < 0) return /^[!-~]*$/.test(line) && endsEarly(line);
  const begun = line.slice(space + 1);
  return begun.length < 64 && sha256(line.slice(0, space)).startsWith(begun);
}

/** What the first record opened. @throws TypeError | RangeError if it is no opening record. */
export function openedBy(value: unknown): PrivacyLedger | RecordLedger {
  requireFields('record', value, ['format', 'version', 'budget', 'perRecord', 'at', 'nonce']);
  const given = value as Record<string, unknown>;
  if (given['format'] !== FORMAT) throw wrongValue('record.format', FORMAT, given['format']);
  if (given['version'] !== 1) throw wrongValue('record.version', '1', given['version']);
  const perRecord = requireBoolean('record.perRecord', given['perRecord'] ?? false);
  return (perRecord ? RecordLedger : PrivacyLedger).open(given['budget'] as PrivacyBudget);
}

/** @throws TypeError | RangeError if it is no record of a release. */
export function entryOf(value: unknown): Entry {
  requireFields('record', value, ['seq', 'after', 'spend', 'count', 'charges', 'id', 'at', 'nonce']);
  const { seq, after, at, nonce, ...payment } = value as Record<string, unknown>;
  return {
    seq: requireWhole('record.seq', seq, 1, Number.MAX_SAFE_INTEGER),
    after: String(after),
    payment: checkedPayment(payment),
    at: String(at),
    nonce: String(nonce),
  };
}

/** The data alone. @throws TypeError | RangeError for what is no payment. */
export function checkedPayment(given: Partial<Record<string, unknown>>): Payment | RecordPayment {
  const { spend, count, charges, id } = given;
  const name = id !== undefined && { id: requireId('id', id) };
  if (charges !== undefined) return { charges: checkedCharges(charges), ...name };
  return {
    spend: checkedSpending(spend),
    count: requireWhole('count', count, 1, Number.MAX_SAFE_INTEGER),
    ...name,
  };
}
