import { requireBoolean, requireFields, requireWhole, wrongValue } from '../errors.js';
import { endsEarly } from '../read/json.js';
import { sha256 } from '../text/sha256.js';
import { PrivacyLedger } from './ledger.js';
import { checkedBudget, checkedSpending, type PrivacyBudget, type Spending } from './measures.js';
import { type Charge, checkedCharges, RecordLedger, requireId } from './record-ledger.js';

/** The time of an entry, ISO 8601 in UTC, and a nonce, random digits that tell it from an equal one. */
export interface Stamp {
  readonly at: string;
  readonly nonce: string;
}

/** The place of an entry in the log, its time and its digest. */
interface Place {
  /** Number of the entry, from 1. */
  readonly seq: number;
  /** Time of writing, ISO 8601 in UTC. */
  readonly at: string;
  /** SHA-256 of the entry; the next entry names it. */
  readonly digest: string;
}

/** A payment from a ledger of one budget. */
export interface Payment {
  /** Cost of one release. */
  readonly spend: Spending;
  /** Number of releases of that cost. */
  readonly count: number;
  /** Name of the release, if it has one. */
  readonly id?: string;
}

/** A payment from a ledger with a budget for each record. */
export interface RecordPayment extends Pick<Payment, 'id'> {
  /** Costs of the release for the records that it would use. */
  readonly charges: readonly Charge[];
}

/** A paid release. */
export interface Receipt extends Payment, Place {}

/** A release paid from the budgets of its records. */
export interface RecordReceipt extends RecordPayment, Place {
  /** Records that must be left out of the release, as their budgets do not cover it. */
  readonly leftOut: readonly string[];
}

/** An entry of the log: a paid release, if it is the first entry that follows the one named by `after`. */
interface Entry extends Omit<Place, 'digest'>, Stamp {
  /** Digest of the entry before it. */
  readonly after: string;
  readonly payment: Payment | RecordPayment;
}

/** Name of the data format. */
const FORMAT = 'gdp-kernel-budget';
/** Largest length of an entry in bytes. It limits the number of Rényi points, digits and names of records in one payment. */
export const LONGEST_RECORD: number = 16 * 1024 * 1024;
/** The end of a complete line: its digest. */
const END = / ([0-9a-f]{64})$/;

/** Whether a line may be the opening entry of a ledger. */
export function looksLikeOpening(line: string): boolean {
  return line.startsWith(`{"format":"${FORMAT}"`);
}

/** The first line of a ledger. @throws TypeError | RangeError for a wrong budget. */
export function openingLine(budget: PrivacyBudget, perRecord: boolean, stamp: Stamp): string {
  PrivacyLedger.open(budget);
  const each = perRecord && { perRecord };
  return lineOf({ format: FORMAT, version: 1, budget: checkedBudget(budget), ...each, ...stamp });
}

/** An entry as a line: JSON, a space and the SHA-256 of the JSON. */
export function lineOf(record: object): string {
  const json = JSON.stringify(record);
  return `${json} ${sha256(json)}`;
}

/** The content of a line. 'torn': its end is missing, as the writer was stopped and never learned that the release was paid. 'damaged': its digest does not belong to the rest. */
type Line =
  | { readonly state: 'whole'; readonly value: unknown; readonly digest: string }
  | { readonly state: 'torn' }
  | { readonly state: 'damaged' };

/** Reads a line, and checks its digest. */
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
 * Whether a line may be the beginning of an entry whose writer was stopped. Any other incomplete line was complete once, so its release may have been
 * paid. (Zeros at the end come from a file system that had reserved the space.)
 */
function isBeginning(line: string): boolean {
  const space = line.indexOf(' ');
  // neither JSON.stringify nor any text of an entry has spaces, so a line without one has no digest yet
  if (space < 0) return /^[!-~]*$/.test(line) && endsEarly(line);
  const begun = line.slice(space + 1);
  return begun.length < 64 && sha256(line.slice(0, space)).startsWith(begun);
}

/** The empty ledger that an opening entry states. @throws TypeError | RangeError if it is no opening entry. */
export function openedBy(value: unknown): PrivacyLedger | RecordLedger {
  requireFields('record', value, ['format', 'version', 'budget', 'perRecord', 'at', 'nonce']);
  const given = value as Record<string, unknown>;
  if (given['format'] !== FORMAT) throw wrongValue('record.format', FORMAT, given['format']);
  if (given['version'] !== 1) throw wrongValue('record.version', '1', given['version']);
  const perRecord = requireBoolean('record.perRecord', given['perRecord'] ?? false);
  return (perRecord ? RecordLedger : PrivacyLedger).open(given['budget'] as PrivacyBudget);
}

/** Returns an entry of a release. @throws TypeError | RangeError if it is none. */
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

/** Returns a copy of a payment. @throws TypeError | RangeError if it is none. */
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
