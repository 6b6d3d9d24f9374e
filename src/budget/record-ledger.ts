import { InputRangeError, requireFields, requireList, wrongValue } from '../errors.js';
import { PrivacyLedger } from './ledger.js';
import { checkedSpending, type PrivacyBudget, type Spending } from './measures.js';

/** What a release costs some of the records that it would use. */
export interface Charge {
  /** What it costs each of them: found from the record itself and from earlier outputs, from no other record. */
  readonly spend: Spending;
  /** Their names, 1 to 128 letters, digits or . _ : / @ - each. */
  readonly records: readonly string[];
}

/** Greatest number of charges, and of records of one charge. */
const MOST = 1e7;
/** Names have no spaces, so a part of a record never looks like its end. */
const NAME = /^[A-Za-z0-9._:/@-]{1,128}$/;

/**
 * A budget for each record: individual privacy filters (Feldman, Zrnic 2021; docs/budget.md 9). Before a release each record that
 * it would use is charged its own cost. A record whose budget does not cover it is charged nothing, and the release is to be made
 * without it. Then everything together keeps the budget for each record, where the record is added, removed or zeroed out.
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

  /** @throws TypeError | RangeError naming what is wrong with the budget. */
  static open(budget: PrivacyBudget): RecordLedger {
    return new RecordLedger(PrivacyLedger.open(budget));
  }

  /** The guarantee of all releases together, for each record. */
  get budget(): PrivacyBudget {
    return this.unspent.budget;
  }

  /** Number of releases. */
  get count(): number {
    return this.releases;
  }

  /** What one record has paid from: a copy. A record that was never charged has the whole budget. */
  of(record: string): PrivacyLedger {
    return (this.charged.get(requireId('record', record)) ?? this.unspent).copy();
  }

  /**
   * Charges the records of a release before it is made.
   *
   * @returns The records that must be left out of it: their budgets do not cover it.
   * @throws TypeError | RangeError for what is no charge: nothing is spent then.
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

  /** @throws RangeError for a cost from which no theorem leads to the budget. */
  requireKnown(charges: readonly Charge[]): void {
    for (const { spend } of charges) this.unspent.fits(spend);
  }
}

/** The data alone. @throws TypeError | RangeError naming what is wrong with it, as a record that is charged twice. */
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

export function requireId(option: string, value: unknown): string {
  if (typeof value !== 'string' || !NAME.test(value)) {
    throw wrongValue(option, '1 to 128 letters, digits or any of . _ : / @ -', value);
  }
  return value;
}
