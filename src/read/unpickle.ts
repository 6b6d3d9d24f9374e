import { Opaque, type PickleValue } from './opaque.js';
import { append, applied, cut, lineNumber, named, OTHER, refused, setItems } from './pickle-objects.js';

/** More of either is refused, so that a hostile file costs neither minutes nor memory; honest ones of a few MiB have a tenth. */
const MAX_OPERATIONS = 5_000_000;
const MAX_STACK = 1_000_000;
const MAX_MARKS = 100_000;
const MAX_MEMO = 500_000;
const MAX_LINE = 4096;
/** Bytes of a whole number: 256 bits, far more than a step count. */
const MAX_INTEGER_BYTES = 32;

/**
 * Reads a pickle (protocols 0 … 5) without running anything of it. Only dictionaries (as Map), lists and tuples
 * (as arrays), strings, numbers, booleans and None come into being; the tensors of a checkpoint and the
 * functions that would rebuild them stay `Opaque`; every other name is refused.
 *
 * Neither recursion nor more than a few hundred bytes of memory for each byte of input.
 *
 * @throws SyntaxError, in one sentence, for what is refused, cut or broken, and beyond the limits on operations,
 * stack, memo, lines and integers.
 */
export function unpickle(bytes: Uint8Array): PickleValue {
  return new Machine(bytes).run();
}

class Machine {
  private at = 0;
  private stack: PickleValue[] = [];
  private readonly marks: number[] = [];
  private readonly memo: PickleValue[] = [];
  private readonly view: DataView;
  private readonly text = new TextDecoder();

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  run(): PickleValue {
    for (let operations = 0; operations < MAX_OPERATIONS; operations++) {
      const code = this.bytes[this.take(1)];
      if (code === 0x2e) return this.pop();
      this.step(code);
      if (this.stack.length > MAX_STACK) throw refused(`its stack grows beyond ${MAX_STACK} values`);
    }
    throw refused(`it has more than ${MAX_OPERATIONS} operations`);
  }

  /** One operation. Opcodes are those of Python's pickletools. */
  private step(code: number): void {
    const { stack } = this;
    switch (code) {
      case 0x80: // PROTO
        if (this.byte() > 5) throw refused('its protocol is later than 5');
        return;
      case 0x95: // FRAME
        if (this.uint64() > this.bytes.length - this.at) throw cut();
        return;
      case 0x28: // MARK
        if (this.marks.length >= MAX_MARKS) throw refused(`it has more than ${MAX_MARKS} open marks`);
        this.marks.push(stack.length);
        return;
      case 0x30: // POP
        if (this.marks.at(-1) === stack.length) this.marks.pop();
        else this.pop();
        return;
      case 0x31: // POP_MARK
        this.sinceMark();
        return;
      case 0x32: // DUP
        stack.push(this.top());
        return;
      case 0x4e: // NONE
        stack.push(null);
        return;
      case 0x88: // NEWTRUE
        stack.push(true);
        return;
      case 0x89: // NEWFALSE
        stack.push(false);
        return;
      default:
        if (
          !this.numberStep(code) &&
          !this.textStep(code) &&
          !this.containerStep(code) &&
          !this.memoStep(code)
        )
          this.codeStep(code);
    }
  }

  private numberStep(code: number): boolean {
    const { stack, view } = this;
    switch (code) {
      case 0x4a: // BININT
        stack.push(view.getInt32(this.take(4), true));
        return true;
      case 0x4b: // BININT1
        stack.push(this.byte());
        return true;
      case 0x4d: // BININT2
        stack.push(view.getUint16(this.take(2), true));
        return true;
      case 0x8a: // LONG1
        stack.push(this.integer(this.byte()));
        return true;
      case 0x8b: // LONG4
        stack.push(this.integer(view.getInt32(this.take(4), true)));
        return true;
      case 0x47: // BINFLOAT
        stack.push(view.getFloat64(this.take(8), false));
        return true;
      case 0x46: // FLOAT
      case 0x49: // INT
      case 0x4c: {
        // LONG
        const line = this.line();
        const flag = code === 0x49 && (line === '00' || line === '01');
        stack.push(flag ? line === '01' : lineNumber(line, code));
        return true;
      }
      default:
        return false;
    }
  }

  private textStep(code: number): boolean {
    const { stack, view } = this;
    switch (code) {
      case 0x58: // BINUNICODE
        stack.push(this.string(view.getUint32(this.take(4), true)));
        return true;
      case 0x8c: // SHORT_BINUNICODE
        stack.push(this.string(this.byte()));
        return true;
      case 0x8d: // BINUNICODE8
        stack.push(this.string(this.uint64()));
        return true;
      case 0x54: // BINSTRING
        stack.push(this.string(view.getInt32(this.take(4), true)));
        return true;
      case 0x55: // SHORT_BINSTRING
        stack.push(this.string(this.byte()));
        return true;
      case 0x53: // STRING
        stack.push(this.line().replace(/^(['"])(.*)\1$/, '$2'));
        return true;
      case 0x56: // UNICODE
        stack.push(this.line());
        return true;
      case 0x42: // BINBYTES
        return this.skip(view.getUint32(this.take(4), true), 'bytes');
      case 0x43: // SHORT_BINBYTES
        return this.skip(this.byte(), 'bytes');
      case 0x8e: // BINBYTES8
        return this.skip(this.uint64(), 'bytes');
      case 0x96: // BYTEARRAY8
        return this.skip(this.uint64(), 'bytearray');
      default:
        return false;
    }
  }

  private containerStep(code: number): boolean {
    const { stack } = this;
    switch (code) {
      case 0x5d: // EMPTY_LIST
      case 0x29: // EMPTY_TUPLE
        stack.push([]);
        return true;
      case 0x7d: // EMPTY_DICT
        stack.push(new Map());
        return true;
      case 0x6c: // LIST
      case 0x74: // TUPLE
        stack.push(this.sinceMark());
        return true;
      case 0x85: // TUPLE1
      case 0x86: // TUPLE2
      case 0x87: // TUPLE3
        if (stack.length < code - 0x84) throw cut();
        stack.push(this.stack.splice(stack.length - (code - 0x84)));
        return true;
      case 0x64: // DICT
        stack.push(setItems(new Map(), this.sinceMark()));
        return true;
      case 0x61: {
        // APPEND
        const item = this.pop();
        append(this.top(), [item]);
        return true;
      }
      case 0x65: {
        // APPENDS
        const items = this.sinceMark();
        append(this.top(), items);
        return true;
      }
      case 0x73: {
        // SETITEM
        const item = this.pop();
        const key = this.pop();
        setItems(this.top(), [key, item]);
        return true;
      }
      case 0x75: {
        // SETITEMS
        const items = this.sinceMark();
        setItems(this.top(), items);
        return true;
      }
      case 0x8f: // EMPTY_SET
      case 0x90: // ADDITEMS
      case 0x91: // FROZENSET
        throw refused('it builds a set');
      default:
        return false;
    }
  }

  private memoStep(code: number): boolean {
    switch (code) {
      case 0x70: // PUT
        this.remember(lineNumber(this.line(), 0x49));
        return true;
      case 0x71: // BINPUT
        this.remember(this.byte());
        return true;
      case 0x72: // LONG_BINPUT
        this.remember(this.view.getUint32(this.take(4), true));
        return true;
      case 0x94: // MEMOIZE
        this.remember(this.memo.length);
        return true;
      case 0x67: // GET
        this.recall(lineNumber(this.line(), 0x49));
        return true;
      case 0x68: // BINGET
        this.recall(this.byte());
        return true;
      case 0x6a: // LONG_BINGET
        this.recall(this.view.getUint32(this.take(4), true));
        return true;
      default:
        return false;
    }
  }

  /** What would run code in Python. */
  private codeStep(code: number): void {
    const { stack } = this;
    switch (code) {
      case 0x63: // GLOBAL
        stack.push(named(this.line(), this.line()));
        return;
      case 0x93: {
        // STACK_GLOBAL
        const name = this.pop();
        const module = this.pop();
        if (typeof name !== 'string' || typeof module !== 'string') throw refused('it has a broken name');
        stack.push(named(module, name));
        return;
      }
      case 0x51: // BINPERSID
        this.pop();
        stack.push(new Opaque('a tensor'));
        return;
      case 0x50: // PERSID
        this.line();
        stack.push(new Opaque('a tensor'));
        return;
      case 0x52: // REDUCE
      case 0x81: {
        // NEWOBJ
        const given = this.pop();
        const callee = this.pop();
        stack.push(applied(callee, given));
        return;
      }
      case 0x62: {
        // BUILD: attributes, which a dictionary does not need
        const state = this.pop();
        const target = this.top();
        if (target instanceof Opaque) target.state = state;
        else if (!(target instanceof Map)) throw refused('it has a broken object');
        return;
      }
      default:
        throw refused(OTHER[code] ?? `byte 0x${code.toString(16)} in it is no pickle operation`);
    }
  }

  private take(length: number): number {
    if (!(length >= 0 && length <= this.bytes.length - this.at)) throw cut();
    this.at += length;
    return this.at - length;
  }

  private byte(): number {
    return this.bytes[this.take(1)];
  }

  private uint64(): number {
    const at = this.take(8);
    return this.view.getUint32(at, true) + this.view.getUint32(at + 4, true) * 2 ** 32;
  }

  private string(length: number): string {
    const at = this.take(length);
    return this.text.decode(this.bytes.subarray(at, at + length));
  }

  private skip(length: number, name: string): true {
    const at = this.take(length);
    this.stack.push(new Opaque(name, length > 16 ? [] : [...this.bytes.subarray(at, at + length)]));
    return true;
  }

  private line(): string {
    const end = this.bytes.subarray(this.at, this.at + MAX_LINE).indexOf(10);
    if (end < 0) throw refused('a line in it is cut or too long');
    const at = this.take(end + 1);
    return this.text.decode(this.bytes.subarray(at, at + end));
  }

  /** A two's complement whole number, lowest byte first; beyond 2⁵³ rounded. */
  private integer(length: number): number {
    if (length < 0 || length > MAX_INTEGER_BYTES) {
      throw refused(`it holds a whole number of ${length} bytes, more than ${MAX_INTEGER_BYTES}`);
    }
    const at = this.take(length);
    let hex = '';
    for (let i = length - 1; i >= 0; i--) hex += this.bytes[at + i].toString(16).padStart(2, '0');
    return length === 0 ? 0 : Number(BigInt.asIntN(8 * length, BigInt(`0x${hex}`)));
  }

  private pop(): PickleValue {
    if (this.stack.length <= (this.marks.at(-1) ?? 0)) throw cut();
    return this.stack.pop()!;
  }

  private top(): PickleValue {
    if (this.stack.length <= (this.marks.at(-1) ?? 0)) throw cut();
    return this.stack.at(-1)!;
  }

  private sinceMark(): PickleValue[] {
    const mark = this.marks.pop();
    if (mark === undefined) throw cut();
    return this.stack.splice(mark);
  }

  private remember(key: number): void {
    if (!(key >= 0 && key < MAX_MEMO)) throw refused(`it remembers more than ${MAX_MEMO} values`);
    this.memo[key] = this.top();
  }

  private recall(key: number): void {
    const found = this.memo[key];
    if (found === undefined) throw refused('it recalls a value it never remembered');
    this.stack.push(found);
  }
}
