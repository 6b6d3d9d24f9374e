import { InputRangeError, InputSyntaxError, requireOptions, requireWhole } from '../errors.js';
import { PrivacyLedger, type Reading, type SpendOptions } from './ledger.js';
import {
  entryOf,
  LONGEST_RECORD,
  lineOf,
  looksLikeOpening,
  openedBy,
  type Receipt,
  readLine,
  requireId,
  type Stamp,
} from './ledger-record.js';
import { checkedSpending, type PrivacyBudget, type Spending } from './measures.js';
import type { Odometer } from './odometer.js';

/** What may be said of a release beside its cost. */
export interface LogSpendOptions extends SpendOptions {
  /** A name of the release, 1 to 128 letters, digits or . _ : / @ -; a second release of that name is refused. */
  readonly id?: string;
}

/** A release of that name is already paid. */
export class AlreadySpent extends InputRangeError {
  /** Its name, in minified bundles too. */
  static override readonly name: string = 'AlreadySpent';

  constructor(readonly receipt: Receipt) {
    super(
      `"id" must be new: "${receipt.id}" was paid at ${receipt.at} (release ${receipt.seq}); a second run of it is a release of its own`,
    );
  }
}

/**
 * A privacy ledger as a log that is only appended to. A record names the one it follows by digest, and counts only if it is the
 * first to follow it (compare and swap).
 */
export abstract class LedgerLog {
  /** What is read of a line that is not whole. Records are ASCII: whatever is not damages them. */
  private rest = '';
  private lines = 0;
  private head = '';
  /** Nothing until the first record is read. */
  private ledger!: PrivacyLedger;
  private readonly named = new Map<string, Receipt>();
  private last: Receipt | undefined;

  protected constructor(protected readonly path: string) {}

  /** What was opened. */
  get budget(): PrivacyBudget {
    return this.ledger.budget;
  }

  /** Number of releases paid, as of the last look. */
  get count(): number {
    return this.ledger.count;
  }

  /** What is spent and left of each sum that the budget limits, as last read. */
  get readings(): readonly Reading[] {
    return this.ledger.readings;
  }

  /** Digest of the last record that counts: kept elsewhere, it shows whether the file was cut short. */
  get digest(): string {
    return this.head;
  }

  /** Number of records that count. */
  get records(): number {
    return this.last?.seq ?? 0;
  }

  /** As `PrivacyLedger.odometer`. */
  odometer(options: { delta: number }): Odometer {
    return this.ledger.odometer(options);
  }

  /**
   * Pays for releases before they are made.
   *
   * @returns The receipt; nothing where somebody else is to write the payment first.
   * @throws BudgetExceeded if they do not fit, AlreadySpent if the id is there.
   */
  abstract spend(spending: Spending, options?: LogSpendOptions): Receipt | undefined;

  /** Adds what is read. Lines end where the next begins; the last one counts as soon as it has its end. */
  protected take(text: string): void {
    const lines = (this.rest + text).split('\n');
    const tail = lines.pop()!;
    for (const line of lines) this.takeLine(line);
    const complete = readLine(tail).state !== 'torn';
    if (complete) this.takeLine(tail);
    // a line taken leaves an empty one, which the next line break ends
    this.rest = complete ? '' : tail;
    if (this.rest.length > LONGEST_RECORD) throw this.damaged('a record is too long');
  }

  /** @throws SyntaxError if what was read is no ledger. */
  protected requireOpened(): void {
    if (this.ledger === undefined) throw this.notOne();
  }

  /** Told of each record that counts. */
  protected abstract counted(nonce: string, receipt: Receipt): void;

  protected receiptOf(id: string): Receipt | undefined {
    return this.named.get(requireId('id', id));
  }

  /** The record that pays, if nobody comes first. @throws what `spend` throws. */
  protected payment(spending: Spending, options: LogSpendOptions | undefined, stamp: Stamp): string {
    requireOptions('spend', options, ['count', 'id']);
    const count = requireWhole('count', options?.count ?? 1, 1, Number.MAX_SAFE_INTEGER);
    const id = options?.id;
    const before = id === undefined ? undefined : this.receiptOf(id);
    const spend = checkedSpending(spending);
    if (before !== undefined) throw new AlreadySpent(before);
    // refuses what does not fit before anything is written
    this.ledger.copy().spend(spend, { count });
    const { records, head: after } = this;
    return lineOf({ seq: records + 1, after, spend, count, ...(id !== undefined && { id }), ...stamp });
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
      this.ledger = this.parsed(() => PrivacyLedger.open(openedBy(line.value)));
      this.head = line.digest;
    } else this.apply(line.value, line.digest);
  }

  private apply(value: unknown, digest: string): void {
    const entry = this.parsed(() => entryOf(value));
    const next = this.records + 1;
    // it lost a race, and its writer knows
    if (entry.seq < next) return;
    if (entry.seq > next || entry.after !== this.head) throw this.damaged('records are missing before it');
    const { after: _, nonce, ...paid } = entry;
    const { spend, count, id } = paid;
    if (id !== undefined && this.named.has(id)) throw this.damaged('two records have one id');
    this.parsed(() => this.ledger.spend(spend, { count }));
    this.last = { ...paid, digest };
    if (id !== undefined) this.named.set(id, this.last);
    this.head = digest;
    this.counted(nonce, this.last);
  }

  /** Whatever a record cannot be is a damage of the file. */
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
