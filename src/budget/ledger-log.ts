import { InputRangeError, InputSyntaxError, requireOptions } from '../errors.js';
import type { PrivacyLedger, Reading, SpendOptions } from './ledger.js';
import {
  checkedPayment,
  entryOf,
  LONGEST_RECORD,
  lineOf,
  looksLikeOpening,
  openedBy,
  type Payment,
  type Receipt,
  type RecordPayment,
  type RecordReceipt,
  readLine,
  type Stamp,
} from './ledger-record.js';
import type { PrivacyBudget, Spending } from './measures.js';
import type { Odometer } from './odometer.js';
import { type Charge, RecordLedger, requireId } from './record-ledger.js';

/** Options of a payment. */
export interface LogSpendOptions extends SpendOptions {
  /** A name of the release: 1 to 128 letters, digits or . _ : / @ -. A second release of that name is refused. */
  readonly id?: string;
}

/** The error if a release of that name has been paid before. */
export class AlreadySpent extends InputRangeError {
  /** Name of the error, which minified bundles keep. */
  static override readonly name: string = 'AlreadySpent';

  constructor(readonly receipt: Receipt | RecordReceipt) {
    super(
      `"id" must be new: "${receipt.id}" was paid at ${receipt.at} (release ${receipt.seq}); a second run of it is a release of its own`,
    );
  }
}

/**
 * A privacy ledger as a log that is only appended to, of one budget or of a budget for each record of the data. An entry of the log names its
 * predecessor by digest, and counts only if it is the first to do so (compare and swap).
 */
export abstract class LedgerLog {
  /** The part of the last line that has been read. Entries are ASCII, so that any other byte shows damage. */
  private rest = '';
  /** Number of lines read. */
  private lines = 0;
  /** Digest of the last entry that counts. */
  private head = '';
  /** The state after the entries read; undefined before the first one. */
  private ledger!: PrivacyLedger | RecordLedger;
  /** Receipts by the names of releases. */
  private readonly named = new Map<string, Receipt | RecordReceipt>();
  private last: Receipt | RecordReceipt | undefined;

  protected constructor(protected readonly path: string) {}

  /** The budget of the ledger. */
  get budget(): PrivacyBudget {
    return this.ledger.budget;
  }

  /** Number of releases paid, as last read. */
  get count(): number {
    return this.ledger.count;
  }

  /** Whether each record of the data has a budget of its own: then `charge` pays, and otherwise `spend`. */
  get perRecord(): boolean {
    return this.ledger instanceof RecordLedger;
  }

  /** The sums that the budget limits, as last read; none if each record has a budget of its own. */
  get readings(): readonly Reading[] {
    return this.ledger instanceof RecordLedger ? [] : this.ledger.readings;
  }

  /** A copy of the ledger of one record of the data, as last read. @throws RangeError if the budget is not one for each record. */
  of(record: string): PrivacyLedger {
    return this.each('record').of(record);
  }

  /** Digest of the last entry that counts. A copy kept elsewhere shows whether the file was cut short. */
  get digest(): string {
    return this.head;
  }

  /** Number of entries that count, without the opening one. */
  get records(): number {
    return this.last?.seq ?? 0;
  }

  /** As `PrivacyLedger.odometer`. @throws RangeError if each record has a budget of its own. */
  odometer(options: { delta: number }): Odometer {
    return this.whole('delta').odometer(options);
  }

  /**
   * Pays for releases before they are made.
   *
   * @returns The receipt; undefined if the host has to write the payment first.
   * @throws BudgetExceeded if they do not fit; AlreadySpent if the id was paid before.
   */
  spend(spending: Spending, options?: LogSpendOptions): Receipt | undefined {
    requireOptions('spend', options, ['count', 'id']);
    const payment = checkedPayment({ spend: spending, count: options?.count ?? 1, id: options?.id });
    return this.pay(payment) as Receipt | undefined;
  }

  /**
   * Charges the records of a release before it is made, each its own cost. The release must then be made without the records that the receipt lists
   * in `leftOut`.
   *
   * @returns The receipt; undefined if the host has to write the payment first.
   * @throws AlreadySpent if the id was paid before.
   */
  charge(charges: readonly Charge[], options?: { readonly id?: string }): RecordReceipt | undefined {
    requireOptions('charge', options, ['id']);
    return this.pay(checkedPayment({ charges, id: options?.id })) as RecordReceipt | undefined;
  }

  /** Pays, or passes a line on to be written. @returns As `spend` and `charge`. */
  protected abstract pay(payment: Payment | RecordPayment): Receipt | RecordReceipt | undefined;

  /** Adds text that was read. A line ends where the next one begins; the last line counts as soon as it is complete. */
  protected take(text: string): void {
    const lines = (this.rest + text).split('\n');
    const tail = lines.pop()!;
    for (const line of lines) this.takeLine(line);
    const complete = readLine(tail).state !== 'torn';
    if (complete) this.takeLine(tail);
    // a complete last line is taken at once; the line break that follows it later ends an empty line
    this.rest = complete ? '' : tail;
    if (this.rest.length > LONGEST_RECORD) throw this.damaged('a record is too long');
  }

  /** Checks that an opening entry was read. @throws SyntaxError otherwise. */
  protected requireOpened(): void {
    if (this.ledger === undefined) throw this.notOne();
  }

  /** Called for each entry that counts. */
  protected abstract counted(nonce: string, receipt: Receipt | RecordReceipt): void;

  /** The receipt of the release of that name; undefined if there is none. */
  protected receiptOf(id: string): Receipt | RecordReceipt | undefined {
    return this.named.get(requireId('id', id));
  }

  /** The line of a payment, which counts if it is the first to follow the last entry. @throws what `spend` and `charge` throw. */
  protected lineFor(payment: Payment | RecordPayment, stamp: Stamp): string {
    const before = payment.id === undefined ? undefined : this.receiptOf(payment.id);
    if (before !== undefined) throw new AlreadySpent(before);
    // checked on a copy, before anything is written
    if ('charges' in payment) this.each('charges').requireKnown(payment.charges);
    else this.whole('spend').copy().spend(payment.spend, { count: payment.count });
    const line = lineOf({ seq: this.records + 1, after: this.head, ...payment, ...stamp });
    if (line.length < LONGEST_RECORD) return line;
    throw new InputRangeError(
      `"charges" must fit in a line of ${LONGEST_RECORD / 2 ** 20} MiB, and need ${line.length} bytes: charge the records in several payments`,
    );
  }

  /** The ledger of budgets for each record. @throws InputRangeError if there is one budget. */
  private each(asked: string): RecordLedger {
    if (this.ledger instanceof RecordLedger) return this.ledger;
    throw new InputRangeError(
      `"${asked}" has no meaning for ${this.path}: its budget is that of all together`,
    );
  }

  /** The ledger of one budget. @throws InputRangeError if each record has its own. */
  private whole(asked: string): PrivacyLedger {
    if (!(this.ledger instanceof RecordLedger)) return this.ledger;
    throw new InputRangeError(
      `"${asked}" has no meaning for ${this.path}: its budget is that of each record`,
    );
  }

  /** The error for a damaged file. */
  protected damaged(why: string): InputSyntaxError {
    return new InputSyntaxError(`${this.path}, record ${this.lines}: the ledger is damaged: ${why}`);
  }

  /** Adds a line. @throws SyntaxError if it is damaged. */
  private takeLine(text: string): void {
    if (text === '') return;
    this.lines++;
    const line = readLine(text);
    if (this.ledger === undefined && line.state !== 'whole' && !looksLikeOpening(text)) throw this.notOne();
    if (line.state === 'torn') return;
    if (line.state === 'damaged') throw this.damaged('the record and its digest disagree');
    if (this.ledger === undefined) {
      this.ledger = this.parsed(() => openedBy(line.value));
      this.head = line.digest;
    } else this.apply(line.value, line.digest);
  }

  /** Adds an entry, if it counts. @throws SyntaxError if it contradicts the entries before it. */
  private apply(value: unknown, digest: string): void {
    const entry = this.parsed(() => entryOf(value));
    const next = this.records + 1;
    // another entry was first to follow the same predecessor, so this one does not count; its writer saw that
    if (entry.seq < next) return;
    if (entry.seq > next || entry.after !== this.head) throw this.damaged('records are missing before it');
    const { seq, at, nonce, payment } = entry;
    const { id } = payment;
    if (id !== undefined && this.named.has(id)) throw this.damaged('two records have one id');
    const place = { seq, at, digest };
    this.last = this.parsed(() => {
      if ('charges' in payment)
        return { ...payment, leftOut: this.each('charges').charge(payment.charges), ...place };
      this.whole('spend').spend(payment.spend, { count: payment.count });
      return { ...payment, ...place };
    });
    if (id !== undefined) this.named.set(id, this.last);
    this.head = digest;
    this.counted(nonce, this.last);
  }

  /** The result of `read`; its errors are reported as damage of the file. */
  private parsed<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.damaged((error as Error).message);
    }
  }

  /** The error for a file that is no ledger. */
  private notOne(): InputSyntaxError {
    return new InputSyntaxError(`${this.path}: it is not a ledger of gdp budget`);
  }
}
