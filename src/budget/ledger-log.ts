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

/** What may be said of a release beside its cost. */
export interface LogSpendOptions extends SpendOptions {
  /** A name of the release, 1 to 128 letters, digits or . _ : / @ -; a second release of that name is refused. */
  readonly id?: string;
}

/** A release of that name is already paid. */
export class AlreadySpent extends InputRangeError {
  /** Its name, in minified bundles too. */
  static override readonly name: string = 'AlreadySpent';

  constructor(readonly receipt: Receipt | RecordReceipt) {
    super(
      `"id" must be new: "${receipt.id}" was paid at ${receipt.at} (release ${receipt.seq}); a second run of it is a release of its own`,
    );
  }
}

/**
 * A privacy ledger as a log that is only appended to: of one budget, or of a budget for each record of the data. A record of the log names the one it follows by digest. It counts only if it is the first to follow it (compare and swap).
 */
export abstract class LedgerLog {
  /** The part of a line that was read so far. Records are ASCII, so any other byte shows damage. */
  private rest = '';
  private lines = 0;
  private head = '';
  /** Undefined until the first record is read. */
  private ledger!: PrivacyLedger | RecordLedger;
  private readonly named = new Map<string, Receipt | RecordReceipt>();
  private last: Receipt | RecordReceipt | undefined;

  protected constructor(protected readonly path: string) {}

  /** What was opened. */
  get budget(): PrivacyBudget {
    return this.ledger.budget;
  }

  /** Number of releases paid, as of the last look. */
  get count(): number {
    return this.ledger.count;
  }

  /** Whether the budget is that of each record of the data: then `charge` pays, and otherwise `spend`. */
  get perRecord(): boolean {
    return this.ledger instanceof RecordLedger;
  }

  /** What is spent and left of each sum that the budget limits, as last read; nothing where it is that of each record. */
  get readings(): readonly Reading[] {
    return this.ledger instanceof RecordLedger ? [] : this.ledger.readings;
  }

  /** What one record of the data has paid from, as last read: a copy. @throws RangeError where the budget is of all together. */
  of(record: string): PrivacyLedger {
    return this.each('record').of(record);
  }

  /** Digest of the last record that counts: kept elsewhere, it shows whether the file was cut short. */
  get digest(): string {
    return this.head;
  }

  /** Number of records that count. */
  get records(): number {
    return this.last?.seq ?? 0;
  }

  /** As `PrivacyLedger.odometer`. @throws RangeError where the budget is that of each record. */
  odometer(options: { delta: number }): Odometer {
    return this.whole('delta').odometer(options);
  }

  /**
   * Pays for releases before they are made.
   *
   * @returns The receipt; nothing where somebody else is to write the payment first.
   * @throws BudgetExceeded if they do not fit, AlreadySpent if the id is there.
   */
  spend(spending: Spending, options?: LogSpendOptions): Receipt | undefined {
    requireOptions('spend', options, ['count', 'id']);
    const payment = checkedPayment({ spend: spending, count: options?.count ?? 1, id: options?.id });
    return this.pay(payment) as Receipt | undefined;
  }

  /**
   * Charges the records of a release before it is made, each its own cost. The release is to be made without the records that the
   * receipt leaves out.
   *
   * @returns The receipt; nothing where somebody else is to write the payment first.
   * @throws AlreadySpent if the id is there.
   */
  charge(charges: readonly Charge[], options?: { readonly id?: string }): RecordReceipt | undefined {
    requireOptions('charge', options, ['id']);
    return this.pay(checkedPayment({ charges, id: options?.id })) as RecordReceipt | undefined;
  }

  /** @returns As `spend` and `charge`. */
  protected abstract pay(payment: Payment | RecordPayment): Receipt | RecordReceipt | undefined;

  /** Adds what is read. Lines end where the next begins; the last one counts as soon as it has its end. */
  protected take(text: string): void {
    const lines = (this.rest + text).split('\n');
    const tail = lines.pop()!;
    for (const line of lines) this.takeLine(line);
    const complete = readLine(tail).state !== 'torn';
    if (complete) this.takeLine(tail);
    // a complete last line is taken at once; the line break after it then ends an empty line
    this.rest = complete ? '' : tail;
    if (this.rest.length > LONGEST_RECORD) throw this.damaged('a record is too long');
  }

  /** @throws SyntaxError if what was read is no ledger. */
  protected requireOpened(): void {
    if (this.ledger === undefined) throw this.notOne();
  }

  /** Called for each record that counts. */
  protected abstract counted(nonce: string, receipt: Receipt | RecordReceipt): void;

  protected receiptOf(id: string): Receipt | RecordReceipt | undefined {
    return this.named.get(requireId('id', id));
  }

  /** The record that pays, if nobody comes first. @throws what `spend` and `charge` throw. */
  protected lineFor(payment: Payment | RecordPayment, stamp: Stamp): string {
    const before = payment.id === undefined ? undefined : this.receiptOf(payment.id);
    if (before !== undefined) throw new AlreadySpent(before);
    // throws if the payment does not fit, before anything is written
    if ('charges' in payment) this.each('charges').requireKnown(payment.charges);
    else this.whole('spend').copy().spend(payment.spend, { count: payment.count });
    const line = lineOf({ seq: this.records + 1, after: this.head, ...payment, ...stamp });
    if (line.length < LONGEST_RECORD) return line;
    throw new InputRangeError(
      `"charges" must fit in a line of ${LONGEST_RECORD / 2 ** 20} MiB, and need ${line.length} bytes: charge the records in several payments`,
    );
  }

  private each(asked: string): RecordLedger {
    if (this.ledger instanceof RecordLedger) return this.ledger;
    throw new InputRangeError(
      `"${asked}" has no meaning for ${this.path}: its budget is that of all together`,
    );
  }

  private whole(asked: string): PrivacyLedger {
    if (!(this.ledger instanceof RecordLedger)) return this.ledger;
    throw new InputRangeError(
      `"${asked}" has no meaning for ${this.path}: its budget is that of each record`,
    );
  }

  protected damaged(why: string): InputSyntaxError {
    return new InputSyntaxError(`${this.path}, record ${this.lines}: the ledger is damaged: ${why}`);
  }

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

  private apply(value: unknown, digest: string): void {
    const entry = this.parsed(() => entryOf(value));
    const next = this.records + 1;
    // the record came second after the one it names, so it does not count; its writer saw that
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

  /** Errors in a record are reported as damage of the file. */
  private parsed<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.damaged((error as Error).message);
    }
  }

  private notOne(): InputSyntaxError {
    return new InputSyntaxError(`${this.path}: it is not a ledger of gdp budget`);
  }
}
