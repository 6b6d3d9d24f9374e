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
import { LedgerLog, type LogSpendOptions } from '../budget/ledger-log.js';
import {
  LONGEST_RECORD,
  openingLine,
  type Payment,
  type Receipt,
  type RecordPayment,
  type RecordReceipt,
  type Stamp,
} from '../budget/ledger-record.js';
import type { PrivacyBudget, Spending } from '../budget/measures.js';
import type { Charge } from '../budget/record-ledger.js';
import {
  InputRangeError,
  requireBoolean,
  requireOptions,
  requireText,
  UnreadableInput,
  UnwritableOutput,
} from '../errors.js';
import { openingFault, unwritable } from './whole-file.js';

export * from '../budget/index.js';
export { AlreadySpent } from '../budget/ledger-log.js';

/**
 * A privacy ledger in a file that any number of processes on one machine share, without locks. The file is a log that is only
 * appended to. A record has the digest of its predecessor, and counts only if it is the first with this predecessor (compare and
 * swap). A process whose record does not count checks again whether its release fits. A payment is on disk before `spend` returns.
 * A process killed at any moment leaves a correct ledger; at worst it paid for a release that it never made.
 *
 * Needs a file system on which appending is atomic: a local one, not one over a network.
 *
 * @example
 * const ledger = LedgerFile.create(path, { kind: 'gdp', mu: 1 });
 * ledger.spend({ kind: 'gdp', mu: '0.5' });
 * ledger.readings[0].left; // '0.75'
 */
export class LedgerFile extends LedgerLog {
  private offset = 0;
  /** Nonce of the record that this process wrote last. */
  private pending = '';
  /** Receipt of that record, if it counts. */
  private won: Receipt | RecordReceipt | undefined;
  /** Whether the file is closed: its descriptor may then belong to another file. */
  private closed = false;

  private constructor(
    path: string,
    private readonly file: number,
  ) {
    super(path);
  }

  /**
   * Makes the file, with the budget as its first record. It appears under its name once it is whole. With `perRecord` the budget is
   * that of each record of the data, which `charge` pays from.
   *
   * @throws UnwritableOutput if there is one already, or it cannot be written; TypeError | RangeError for a wrong budget.
   */
  static create(path: string, budget: PrivacyBudget, options?: { readonly perRecord?: boolean }): LedgerFile {
    requireOptions('LedgerFile.create', options, ['perRecord']);
    const perRecord = requireBoolean('perRecord', options?.perRecord ?? false);
    requireText('path', path);
    // a wrong budget is refused here, before there is a file
    const line = openingLine(budget, perRecord, stamp());
    const beside = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.partial`;
    try {
      const file = openSync(beside, 'wx');
      try {
        writeDown(file, line);
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
      found.requireOpened();
      return found;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Reads what other processes have added. @throws SyntaxError if the file is damaged. */
  refresh(): this {
    for (let chunk = this.more(); chunk !== undefined; chunk = this.more()) {
      this.take(chunk.toString('latin1'));
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

  /** The release of that name, if it is paid; reads the file first. */
  find(id: string): Receipt | RecordReceipt | undefined {
    return this.refresh().receiptOf(id);
  }

  /**
   * Pays for releases before they are made. On return the payment is on disk.
   *
   * @throws BudgetExceeded if they do not fit, AlreadySpent if the id is there: nothing is spent then; UnwritableOutput
   * where the disk refuses: then look with `find` whether it was paid.
   */
  override spend(spending: Spending, options?: LogSpendOptions): Receipt {
    return super.spend(spending, options)!;
  }

  /**
   * As `spend`, each record its own cost. The release is to be made without the records that the receipt leaves out.
   *
   * @throws what `spend` throws, but for BudgetExceeded.
   */
  override charge(charges: readonly Charge[], options?: { readonly id?: string }): RecordReceipt {
    return super.charge(charges, options)!;
  }

  /** Appends until the payment counts, or is refused. */
  protected override pay(payment: Payment | RecordPayment): Receipt | RecordReceipt {
    for (;;) {
      this.refresh();
      const { records } = this;
      const mine = stamp();
      const line = this.lineFor(payment, mine);
      this.pending = mine.nonce;
      this.won = undefined;
      this.append(line);
      this.refresh();
      if (this.won !== undefined) return this.won;
      // Another record came first, and the loop tries again. If there is none at all, the file system does not append.
      if (this.records === records) throw this.damaged('a record that was written is not there');
    }
  }

  /** Called for each record that counts. The receipt of this process's own record is kept for `pay`. */
  protected override counted(nonce: string, receipt: Receipt | RecordReceipt): void {
    if (nonce === this.pending) this.won = receipt;
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

function stamp(): Stamp {
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

/** Writes the folder to disk, so that the new name is there too; some systems have no such call. */
function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, 'r');
    fsyncSync(file);
    closeSync(file);
  } catch {
    // the file's own content is on disk all the same
  }
}
