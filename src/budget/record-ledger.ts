import { InputRangeError, requireFields, requireList, wrongValue } from '../errors.js';
import { PrivacyLedger } from './ledger.js';
import { checkedSpending, type PrivacyBudget, type Spending } from './measures.js';

/** A cost of a release for some of the records that it would use. */
export interface Charge {
  /** The cost for each of them, which may depend on that record and on earlier outputs, but on no other record. */
  readonly spend: Spending;
  /** Names of the records, each of 1 to 128 letters, digits or . _ : / @ -. */
  readonly records: readonly string[];
}

/** Largest number of charges, and of records of one charge. */
const MOST = 1e7;
/** A valid name. It has no spaces, so that no part of an entry of a log looks like its end. */
const NAME = /^[A-Za-z0-9._:/@-]{1,128}$/;

/**
 * A budget for each record: individual privacy filters (Feldman, Zrnic 2021; docs/budget.md 9). Before a release, each record that it would use is
 * charged its own cost. A record whose budget does not cover the cost is charged nothing, and the release must be made without it. Then the budget
 * holds for each record and all releases together, if the record is added, removed or zeroed out.
 *
 * What a record has spent, and whether it was left out, depends on its data: none of this may be published.
 *
 * @example
 * const ledger = RecordLedger.open({ kind: 'gdp', mu: 1 });
 * ledger.charge([{ spend: { kind: 'gdp', mu: '0.8' }, records: ['a', 'b'] }]); // []
 * ledger.charge([{ spend: { kind: 'gdp', mu: '0.7' }, records: ['a', 'c'] }]); // [ 'a' ]
 * ledger.of('c').readings[0].left; // '0.51'
 */
export class RecordLedger {
  private readonly charged = new Map<string, PrivacyLedger>();
  private releases = 0;

  private constructor(private readonly unspent: PrivacyLedger) {}

  /** Opens a ledger. @throws TypeError | RangeError naming what is wrong with the budget. */
  static open(budget: PrivacyBudget): RecordLedger {
    return new RecordLedger(PrivacyLedger.open(budget));
  }

  /** The budget of each record, whose guarantee holds for all releases together. */
  get budget(): PrivacyBudget {
    return this.unspent.budget;
  }

  /** Number of releases. */
  get count(): number {
    return this.releases;
  }

  /** A copy of the ledger of one record. A record that was never charged has its whole budget. */
  of(record: string): PrivacyLedger {
    return (this.charged.get(requireId('record', record)) ?? this.unspent).copy();
  }

  /**
   * Charges the records of a release before it is made.
   *
   * @returns The records that must be left out of the release, as their budgets do not cover it.
   * @throws TypeError | RangeError for what is no charge, and then nothing is spent.
   */
  charge(charges: readonly Charge[]): string[] {
    const checked = checkedCharges(charges);
    this.requireKnown(checked);
    const leftOut: string[] = [];
    for (const { spend, records } of checked)
      for (const record of records) {
        const ledger = this.charged.get(record) ?? this.unspent.copy();
        if (!ledger.fits(spend)) leftOut.push(record);
        else this.charged.set(record, ledger.spend(spend));
      }
    this.releases++;
    return leftOut;
  }

  /** Checks that all costs imply one in the terms of the budget. @throws RangeError otherwise. */
  requireKnown(charges: readonly Charge[]): void {
    for (const { spend } of charges) this.unspent.fits(spend);
  }
}

/** Returns a checked copy of charges. @throws TypeError | RangeError naming what is wrong, such as a record that is charged twice. */
export function checkedCharges(value: unknown): Charge[] {
  const names = new Set<string>();
  return requireList('charges', value, '{"spend", "records"} objects', 1, MOST).map((each, i) => {
    const place = `charges[${i}]`;
    requireFields(place, each, ['spend', 'records']);
    const { spend, records } = each as Charge;
    const listed = requireList(`${place}.records`, records, 'names of records', 1, MOST).map((name, j) => {
      const record = requireId(`${place}.records[${j}]`, name);
      if (names.has(record))
        throw new InputRangeError(`"${place}.records" must be new: "${record}" is charged twice`);
      names.add(record);
      return record;
    });
    return { spend: checkedSpending(spend), records: listed };
  });
}

/** Returns a valid name. @throws RangeError otherwise. */
export function requireId(option: string, value: unknown): string {
  if (typeof value !== 'string' || !NAME.test(value)) {
    throw wrongValue(option, '1 to 128 letters, digits or any of . _ : / @ -', value);
  }
  return value;
}
