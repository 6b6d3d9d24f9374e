import { InputRangeError, wrongValue } from '../errors.js';
import { LedgerLog } from './ledger-log.js';
import {
  openingLine,
  type Payment,
  type Receipt,
  type RecordPayment,
  type RecordReceipt,
  type Stamp,
} from './ledger-record.js';
import type { PrivacyBudget } from './measures.js';

/** How a host pays: the stamp of the payment, and where its line goes. */
interface Paying {
  /** The time and the nonce of a payment, which stay the same until its line is accepted. */
  readonly stamp: Partial<Stamp>;
  /** Called with the line to append. */
  readonly append: (line: string) => void;
}

/** The ledger made last: the next text usually begins with its text, which is then not parsed again. */
let known: HeldLedger | undefined;

/**
 * A ledger for hosts that keep its file themselves, from the text of that file. A payment is a line to append, written at once and forced to disk; it
 * counts only if it is the first to follow its predecessor. So the host reads the file again and asks once more with the same stamp. Then the payment
 * has a receipt; or, if another one came first, there is a new line to append.
 */
export class HeldLedger extends LedgerLog {
  private text = '';
  private paying: Paying | undefined;
  private readonly receipts = new Map<string, Receipt | RecordReceipt>();

  /** The first line of a new ledger. @throws TypeError | RangeError for a wrong budget or stamp. */
  static opening(budget: PrivacyBudget, stamp: Partial<Stamp>, perRecord: boolean = false): string {
    return openingLine(budget, perRecord, checkedStamp(stamp));
  }

  /**
   * The ledger of a text. Only the ledger that was made last may be used.
   *
   * @param text The content of the file, one character for each byte.
   * @param paying How to pay; without it the ledger can only be read.
   * @throws SyntaxError if the text is no ledger or a damaged one.
   */
  static of(path: string, text: string, paying?: Paying): HeldLedger {
    const goesOn = known?.path === path && text.startsWith(known.text);
    const ledger = goesOn ? known! : new HeldLedger(path);
    known = undefined;
    ledger.take(text.slice(ledger.text.length));
    ledger.requireOpened();
    ledger.text = text;
    ledger.paying = paying;
    known = ledger;
    return ledger;
  }

  /**
   * The receipt of the payment with the stamp's nonce, if its line is in the text. Otherwise `append` is called with its line, and there is no
   * receipt. @throws InputRangeError if the nonce belongs to another payment.
   */
  protected override pay(payment: Payment | RecordPayment): Receipt | RecordReceipt | undefined {
    if (this.paying === undefined) throw new InputRangeError(`${this.path}: it was given to be read alone`);
    const { append } = this.paying;
    const stamp = checkedStamp(this.paying.stamp);
    const receipt = this.receipts.get(stamp.nonce);
    if (receipt === undefined) {
      append(`\n${this.lineFor(payment, stamp)}`);
      return undefined;
    }
    const { seq } = receipt;
    const paid = Object.keys(payment).map((name) => receipt[name as keyof typeof receipt]);
    const sameId = receipt.id === payment.id;
    if (!sameId || JSON.stringify(paid) !== JSON.stringify(Object.values(payment)))
      throw new InputRangeError(`"nonce" must be new: release ${seq} has it, and is another payment`);
    return receipt;
  }

  protected override counted(nonce: string, receipt: Receipt | RecordReceipt): void {
    this.receipts.set(nonce, receipt);
  }
}

/** Returns a stamp. @throws TypeError | RangeError unless its time is in UTC and its nonce has 16 to 64 hexadecimal digits. */
function checkedStamp({ at, nonce }: Partial<Stamp>): Stamp {
  if (at === undefined || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(at))
    throw wrongValue('at', 'a time in UTC such as 2026-07-01T12:00:00Z', at);
  if (nonce === undefined || !/^[0-9a-f]{16,64}$/.test(nonce))
    throw wrongValue('nonce', '16 to 64 hexadecimal digits drawn at random, new for each payment', nonce);
  return { at, nonce };
}
