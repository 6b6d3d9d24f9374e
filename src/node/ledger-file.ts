import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  type Odometer,
  type PrivacyBudget,
  PrivacyLedger,
  type Reading,
  type Spending,
  type SpendOptions,
} from '../budget/index.js';
import { checkedBudget, checkedSpending } from '../budget/measures.js';
import {
  InputRangeError,
  InputSyntaxError,
  requireBoolean,
  requireOptions,
  requireText,
  requireWhole,
  UnreadableInput,
  UnwritableOutput,
} from '../errors.js';
import {
  entryOf,
  FORMAT,
  LONGEST_RECORD,
  lineOf,
  looksLikeOpening,
  openedBy,
  type Receipt,
  readLine,
  requireId,
} from './ledger-log.js';
import { openingFault, unwritable } from './whole-file.js';

export * from '../budget/index.js';

/** What may be said of a release beside its cost. */
interface FileSpendOptions extends SpendOptions {
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
 * A privacy ledger in a file that any number of processes on one machine share, without locks. The file is a log that is only
 * appended to. A record names the one it follows by digest, and counts only if it is the first to follow it (compare and swap). A
 * process that loses the race looks again whether its release still fits. What is paid is on disk before `spend` returns. A
 * process killed at any moment leaves the others a true ledger; at worst it paid for a release it never made.
 *
 * Needs a file system on which appending is atomic: a local one, not one over a network.
 *
 * @example
 * const ledger = LedgerFile.create(path, { kind: 'gdp', mu: 1 });
 * ledger.spend({ kind: 'gdp', mu: '0.5' });
 * ledger.readings[0].left; // '0.75'
 */
export class LedgerFile {
  private offset = 0;
  /** What is read of a line that is not whole. Records are ASCII: whatever is not damages them. */
  private rest = '';
  private lines = 0;
  private head = '';
  /** Nothing until the first record is read. */
  private ledger!: PrivacyLedger;
  private readonly named = new Map<string, Receipt>();
  private last: Receipt | undefined;
  /** Nonce of the record written last, and its receipt if it came to count. */
  private pending = '';
  private won: Receipt | undefined;
  /** The number of a file that is closed may be that of another one by now. */
  private closed = false;

  private constructor(
    private readonly path: string,
    private readonly file: number,
  ) {}

  /**
   * Makes the file, with the budget as its first record. It appears under its name once it is whole.
   *
   * @throws UnwritableOutput if there is one already, or it cannot be written; TypeError | RangeError for a wrong budget.
   */
  static create(path: string, budget: PrivacyBudget): LedgerFile {
    requireText('path', path);
    // refuses what it could not hold before there is a file
    PrivacyLedger.open(budget);
    const record = { format: FORMAT, version: 1, budget: checkedBudget(budget), ...stamp() };
    const beside = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.partial`;
    try {
      const file = openSync(beside, 'wx');
      try {
        writeDown(file, lineOf(record));
      } finally {
        closeSync(file);
      }
      linkSync(beside, path);
      syncFolder(dirname(resolve(path)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
        throw new UnwritableOutput(`${path}: it exists already; a ledger is never overwritten`);
      }
      throw unwritable(path, error);
    } finally {
      rmSync(beside, { force: true });
    }
    return LedgerFile.open(path);
  }

  /**
   * @throws UnreadableInput if it cannot be read, or not written where it is opened for `spend`; SyntaxError if it is no
   * ledger or a damaged one.
   */
  static open(path: string, options?: { readonly readOnly?: boolean }): LedgerFile {
    requireOptions('LedgerFile.open', options, ['readOnly']);
    requireText('path', path);
    const file = opened(path, requireBoolean('readOnly', options?.readOnly ?? false));
    const found = new LedgerFile(path, file);
    try {
      if (!fstatSync(file).isFile()) throw new UnreadableInput(`${path}: it is not a file`);
      found.refresh();
      if (found.ledger === undefined) throw notOne(path);
      return found;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

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

  /** Reads what other processes have added. @throws SyntaxError if the file is damaged. */
  refresh(): this {
    for (let chunk = this.more(); chunk !== undefined; chunk = this.more()) {
      this.rest += chunk.toString('latin1');
      this.takeLines();
      if (this.rest.length > LONGEST_RECORD) throw this.damaged('a record is too long');
    }
    return this;
  }

  private more(): Buffer | undefined {
    if (this.closed)
      throw new InputRangeError(`${this.path}: the ledger is closed, and answers nothing more`);
    const { size } = fstatSync(this.file);
    if (size < this.offset) throw this.damaged('it became shorter');
    if (size === this.offset) return undefined;
    const buffer = Buffer.alloc(Math.min(size - this.offset, LONGEST_RECORD));
    const read = readSync(this.file, buffer, 0, buffer.length, this.offset);
    this.offset += read;
    return read === 0 ? undefined : buffer.subarray(0, read);
  }

  /** Lines end where the next begins; the last one counts as soon as it has its end. */
  private takeLines(): void {
    const lines = this.rest.split('\n');
    const tail = lines.pop()!;
    for (const line of lines) this.take(line);
    const complete = readLine(tail).state !== 'torn';
    if (complete) this.take(tail);
    // a line taken leaves an empty one, which the next line break ends
    this.rest = complete ? '' : tail;
  }

  private take(text: string): void {
    if (text === '') return;
    this.lines++;
    const line = readLine(text);
    if (this.ledger === undefined && line.state !== 'whole' && !looksLikeOpening(text))
      throw notOne(this.path);
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
    if (nonce === this.pending) this.won = this.last;
  }

  /** Whatever a record cannot be is a damage of the file. */
  private parsed<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.damaged((error as Error).message);
    }
  }

  private damaged(why: string): InputSyntaxError {
    return new InputSyntaxError(`${this.path}, record ${this.lines}: the ledger is damaged: ${why}`);
  }

  /** The release of that name, if it is paid; reads the file first. */
  find(id: string): Receipt | undefined {
    return this.refresh().named.get(requireId('id', id));
  }

  /**
   * Pays for releases before they are made. On return the payment is on disk.
   *
   * @throws BudgetExceeded if they do not fit, AlreadySpent if the id is there: nothing is spent then; UnwritableOutput
   * where the disk refuses: then look with `find` whether it was paid.
   */
  spend(spending: Spending, options?: FileSpendOptions): Receipt {
    requireOptions('spend', options, ['count', 'id']);
    const count = requireWhole('count', options?.count ?? 1, 1, Number.MAX_SAFE_INTEGER);
    const id = options?.id === undefined ? undefined : requireId('id', options.id);
    const spend = checkedSpending(spending);
    for (;;) {
      this.refresh();
      const before = id === undefined ? undefined : this.named.get(id);
      if (before !== undefined) throw new AlreadySpent(before);
      // refuses what does not fit before anything is written
      this.ledger.copy().spend(spend, { count });
      const entry = {
        seq: this.records + 1,
        after: this.head,
        spend,
        count,
        ...(id !== undefined && { id }),
        ...stamp(),
      };
      this.pending = entry.nonce;
      this.won = undefined;
      this.append(lineOf(entry));
      this.refresh();
      if (this.won !== undefined) return this.won;
      // the place is taken by another, or the file system does not append
      if (this.records < entry.seq) throw this.damaged('a record that was written is not there');
    }
  }

  private append(line: string): void {
    try {
      writeDown(this.file, `\n${line}`);
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }

  /** Closes the file; nothing can be asked of it afterwards. */
  close(): void {
    if (!this.closed) closeSync(this.file);
    this.closed = true;
  }
}

function notOne(path: string): InputSyntaxError {
  return new InputSyntaxError(`${path}: it is not a ledger of gdp budget`);
}

function stamp(): { at: string; nonce: string } {
  return { at: new Date().toISOString(), nonce: randomBytes(8).toString('hex') };
}

function opened(path: string, readOnly: boolean): number {
  try {
    return openSync(path, readOnly ? constants.O_RDONLY : constants.O_RDWR | constants.O_APPEND);
  } catch (error) {
    throw openingFault(path, error);
  }
}

function writeDown(file: number, text: string): void {
  const bytes = Buffer.from(text);
  if (writeSync(file, bytes) !== bytes.length) throw Object.assign(new Error(), { code: 'ENOSPC' });
  fsyncSync(file);
}

/** So that the new name is on disk, too; some systems have no such call. */
function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, 'r');
    fsyncSync(file);
    closeSync(file);
  } catch {
    // the file's own content is on disk all the same
  }
}
