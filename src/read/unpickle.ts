import { Opaque, type PickleValue, STORAGE } from './opaque.js';
import {
  append,
  applied,
  cut,
  isGetattr,
  lineNumber,
  named,
  refused,
  requireCalled,
  setItems,
  UNKNOWN,
} from './pickle-objects.js';

/** Greatest numbers of operations and of values: they limit the time and memory of a malicious file. Honest files of a few MiB need a tenth. */
const MAX_OPERATIONS = 5_000_000;
const MAX_STACK = 1_000_000;
const MAX_MARKS = 100_000;
const MAX_MEMO = 500_000;
const MAX_LINE = 4096;
/** Greatest length of a whole number: 256 bits, far more than a number of steps. */
const MAX_INTEGER_BYTES = 32;
const SET = 'a set';

/**
 * Reads a pickle (protocols 0 … 5) without running anything of it. Only dictionaries (as Map), lists and tuples
 * (as arrays), strings, numbers, booleans and None come into being; the tensors of a checkpoint, the functions that would
 * rebuild them, accountants, paths, sets and the like stay `Opaque`; every other name is refused.
 *
 * It uses no recursion, and at most a few hundred bytes of memory for each byte of input.
 *
 * @throws SyntaxError, in one sentence, for what is refused, cut or broken, and beyond the limits on operations,
 * stack, memo, lines and integers.
 */
export function unpickle(bytes: Uint8Array): PickleValue {
  return new Machine(bytes).run();
}

class Machine {
  at = 0;
  readonly stack: PickleValue[] = [];
  readonly marks: number[] = [];
  readonly memo: PickleValue[] = [];
  readonly view: DataView;
  /** `getattr` values that have not been called. */
  readonly uncalled = new Set<PickleValue>();
  private readonly text = new TextDecoder();

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  run(): PickleValue {
    for (let operations = 0; operations < MAX_OPERATIONS; operations++) {
      const code = this.byte();
      if (code === 0x2e) {
        for (const name of this.uncalled) requireCalled(name);
        return this.pop();
      }
      const value = VALUES[code];
      if (value !== undefined) this.stack.push(value(this));
      else if (STEPS[code] !== undefined) STEPS[code](this);
      else throw refused(UNKNOWN[code] ?? `byte 0x${code.toString(16)} in it is no pickle operation`);
      if (this.stack.length > MAX_STACK) throw refused(`its stack grows beyond ${MAX_STACK} values`);
    }
    throw refused(`it has more than ${MAX_OPERATIONS} operations`);
  }

  take(length: number): number {
    if (!(length >= 0 && length <= this.bytes.length - this.at)) throw cut();
    this.at += length;
    return this.at - length;
  }

  byte(): number {
    return this.bytes[this.take(1)];
  }

  int32(): number {
    return this.view.getInt32(this.take(4), true);
  }

  uint32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  uint64(): number {
    return this.uint32() + this.uint32() * 2 ** 32;
  }

  string(length: number): string {
    const at = this.take(length);
    return this.text.decode(this.bytes.subarray(at, at + length));
  }

  skipped(length: number, name = 'bytes'): Opaque {
    const at = this.take(length);
    return new Opaque(name, length > 16 ? [] : [...this.bytes.subarray(at, at + length)]);
  }

  line(): string {
    const end = this.bytes.subarray(this.at, this.at + MAX_LINE).indexOf(10);
    if (end < 0) throw refused('a line in it is cut or too long');
    const at = this.take(end + 1);
    return this.text.decode(this.bytes.subarray(at, at + end));
  }

  /** A whole number in two's complement, least byte first; above 2⁵³ rounded. */
  integer(length: number): number {
    if (length < 0 || length > MAX_INTEGER_BYTES) {
      throw refused(`it holds a whole number of ${length} bytes, more than ${MAX_INTEGER_BYTES}`);
    }
    const at = this.take(length);
    let hex = '';
    for (let i = length - 1; i >= 0; i--) hex += this.bytes[at + i].toString(16).padStart(2, '0');
    return length === 0 ? 0 : Number(BigInt.asIntN(8 * length, BigInt(`0x${hex}`)));
  }

  pop(): PickleValue {
    const value = this.top();
    this.stack.pop();
    return value;
  }

  top(): PickleValue {
    if (this.stack.length <= (this.marks.at(-1) ?? 0)) throw cut();
    return this.stack.at(-1)!;
  }

  last(count: number): PickleValue[] {
    if (this.stack.length < count) throw cut();
    return this.stack.splice(this.stack.length - count);
  }

  sinceMark(): PickleValue[] {
    const mark = this.marks.pop();
    if (mark === undefined) throw cut();
    return this.stack.splice(mark);
  }

  named(module: string, name: string): PickleValue {
    const made = named(module, name);
    if (isGetattr(made)) this.uncalled.add(made);
    return made;
  }

  remember(key: number): void {
    if (!(key >= 0 && key < MAX_MEMO)) throw refused(`it remembers more than ${MAX_MEMO} values`);
    this.memo[key] = this.top();
  }

  recalled(key: number): PickleValue {
    const found = this.memo[key];
    if (found === undefined) throw refused('it recalls a value it never remembered');
    return found;
  }
}

/** Operations that push one value, by their codes in Python's pickletools. */
const VALUES: Readonly<Record<number, (m: Machine) => PickleValue>> = {
  78: () => null, // NONE
  136: () => true, // NEWTRUE
  137: () => false, // NEWFALSE
  74: (m) => m.int32(), // BININT
  75: (m) => m.byte(), // BININT1
  77: (m) => m.view.getUint16(m.take(2), true), // BININT2
  138: (m) => m.integer(m.byte()), // LONG1
  139: (m) => m.integer(m.int32()), // LONG4
  71: (m) => m.view.getFloat64(m.take(8), false), // BINFLOAT
  70: (m) => lineNumber(m.line(), 0x46), // FLOAT
  76: (m) => lineNumber(m.line(), 0x4c), // LONG
  // INT, or a boolean of old protocols
  73: (m) => {
    const line = m.line();
    return line === '00' || line === '01' ? line === '01' : lineNumber(line, 0x49);
  },
  88: (m) => m.string(m.uint32()), // BINUNICODE
  140: (m) => m.string(m.byte()), // SHORT_BINUNICODE
  141: (m) => m.string(m.uint64()), // BINUNICODE8
  84: (m) => m.string(m.int32()), // BINSTRING
  85: (m) => m.string(m.byte()), // SHORT_BINSTRING
  83: (m) => m.line().replace(/^(['"])(.*)\1$/, '$2'), // STRING
  86: (m) => m.line(), // UNICODE
  66: (m) => m.skipped(m.uint32()), // BINBYTES
  67: (m) => m.skipped(m.byte()), // SHORT_BINBYTES
  142: (m) => m.skipped(m.uint64()), // BINBYTES8
  150: (m) => m.skipped(m.uint64(), 'bytearray'), // BYTEARRAY8
  50: (m) => m.top(), // DUP
  93: () => [], // EMPTY_LIST
  41: () => [], // EMPTY_TUPLE
  125: () => new Map(), // EMPTY_DICT
  143: () => new Opaque(SET), // EMPTY_SET
  145: (m) => new Opaque(SET, m.sinceMark()), // FROZENSET
  108: (m) => m.sinceMark(), // LIST
  116: (m) => m.sinceMark(), // TUPLE
  133: (m) => m.last(1), // TUPLE1
  134: (m) => m.last(2), // TUPLE2
  135: (m) => m.last(3), // TUPLE3
  100: (m) => setItems(new Map(), m.sinceMark()), // DICT
  103: (m) => m.recalled(lineNumber(m.line(), 0x49)), // GET
  104: (m) => m.recalled(m.byte()), // BINGET
  106: (m) => m.recalled(m.uint32()), // LONG_BINGET
  // the next operations would run code in Python
  99: (m) => m.named(m.line(), m.line()), // GLOBAL
  // STACK_GLOBAL
  147: (m) => {
    const [name, module] = [m.pop(), m.pop()];
    if (typeof name !== 'string' || typeof module !== 'string') throw refused('it has a broken name');
    return m.named(module, name);
  },
  80: (m) => tensor(m.line()), // PERSID
  81: (m) => tensor(m.pop()), // BINPERSID
  82: called, // REDUCE
  129: called, // NEWOBJ
};

/** The storage of a tensor: its type, key, location and size. */
function tensor(id: PickleValue): Opaque {
  return new Opaque(STORAGE, Array.isArray(id) ? id : []);
}

function called(m: Machine): PickleValue {
  const [given, callee] = [m.pop(), m.pop()];
  const made = applied(callee, given);
  m.uncalled.delete(callee);
  return made;
}

/** All other operations, by their codes in Python's pickletools. */
const STEPS: Readonly<Record<number, (m: Machine) => void>> = {
  // PROTO
  128: (m) => {
    if (m.byte() > 5) throw refused('its protocol is later than 5');
  },
  // FRAME
  149: (m) => {
    if (m.uint64() > m.bytes.length - m.at) throw cut();
  },
  // MARK
  40: (m) => {
    if (m.marks.length >= MAX_MARKS) throw refused(`it has more than ${MAX_MARKS} open marks`);
    m.marks.push(m.stack.length);
  },
  48: (m) => (m.marks.at(-1) === m.stack.length ? m.marks : m).pop(), // POP
  49: (m) => m.sinceMark(), // POP_MARK
  // APPEND
  97: (m) => {
    const item = m.pop();
    append(m.top(), [item]);
  },
  // APPENDS
  101: (m) => {
    const items = m.sinceMark();
    append(m.top(), items);
  },
  // SETITEM
  115: (m) => {
    const [item, key] = [m.pop(), m.pop()];
    setItems(m.top(), [key, item]);
  },
  // SETITEMS
  117: (m) => {
    const items = m.sinceMark();
    setItems(m.top(), items);
  },
  // ADDITEMS
  144: (m) => {
    m.sinceMark();
    const target = m.top();
    if (!(target instanceof Opaque) || target.name !== SET) throw refused('it adds items to what is no set');
  },
  112: (m) => m.remember(lineNumber(m.line(), 0x49)), // PUT
  113: (m) => m.remember(m.byte()), // BINPUT
  114: (m) => m.remember(m.uint32()), // LONG_BINPUT
  148: (m) => m.remember(m.memo.length), // MEMOIZE
  // BUILD: sets attributes; those of a dictionary are ignored
  98: (m) => {
    const state = m.pop();
    const target = m.top();
    if (target instanceof Opaque) target.state = state;
    else if (!(target instanceof Map)) throw refused('it has a broken object');
  },
};
