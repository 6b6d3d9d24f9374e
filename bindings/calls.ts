/** The methods of the kernel that are one call each, as `src/kernel/loops.ts` lists them. */
import { type Loop, type Operand, Rows, Twiddles } from '../src/kernel/call.js';
import type { KernelTable } from '../src/kernel/kernel-table.js';
import { LOOPS, type LoopKernel, type LoopName } from '../src/kernel/loops.js';
import type { WasmContext } from './abi.js';

type AnyLoop = Loop<(...given: unknown[]) => unknown>;
type Run = (...operands: number[]) => number;

/** Whether an operand is a table, by its shape: one of another copy of the library is not an instance of this copy's class. */
function isTable(operand: Operand): operand is KernelTable {
  if (typeof operand === 'number' || operand instanceof Float64Array) return false;
  return !(operand instanceof Rows || operand instanceof Twiddles);
}

/** Takes the rows of an array, each at its own address. */
function eachRow(
  values: Float64Array,
  { rows, stride }: Rows,
  pointer: number,
  take: (pointer: number, row: Float64Array) => void,
): void {
  if (rows === 1) {
    take(pointer, values);
    return;
  }
  const length = values.length / rows;
  for (let i = 0; i < rows; i++)
    take(pointer + 8 * i * stride, values.subarray(i * length, (i + 1) * length));
}

/** The methods over one instance, whose function tables have been uploaded. */
export function loopsOver(context: WasmContext): LoopKernel {
  const { arena } = context;
  const exports: Record<LoopName, unknown> = context.exports;
  const resident = new ResidentTables(context);
  const write = (pointer: number, row: Float64Array): void => arena.write(pointer, row);
  const read = (pointer: number, row: Float64Array): void => {
    arena.copyOut(pointer, row);
  };

  /** The address of an operand in memory, or the number it is. */
  function place(operand: Operand): number {
    if (typeof operand === 'number') return operand;
    if (operand instanceof Float64Array) return arena.copyIn(operand);
    if (operand instanceof Twiddles) return residentTwiddles(context, operand.n);
    if (!(operand instanceof Rows)) return resident.pointerTo(operand);
    const { rows, stride, from } = operand;
    if (from && rows === 1) return arena.copyIn(from, stride);
    const pointer = arena.allocF64(rows * stride);
    if (from !== undefined) arena.f64(pointer, rows * stride).fill(0);
    if (from) eachRow(from, operand, pointer, write);
    return pointer;
  }

  function method({ call }: AnyLoop, run: Run): (...given: unknown[]) => unknown {
    const places: number[] = [];
    return (...given) => {
      const { with: operands, gives } = call(...given);
      try {
        for (let i = 0; i < operands.length; i++) places[i] = place(operands[i]);
        // the second table of two may have driven the first out
        const first = operands[0];
        const second = operands[1];
        if (isTable(second) && isTable(first) && !resident.holds(first)) places[0] = place(first);
        const returned = run(...places);
        for (let i = 0; i < operands.length; i++) {
          const operand = operands[i];
          if (operand instanceof Rows && operand.to) eachRow(operand.to, operand, places[i], read);
        }
        return gives(returned);
      } finally {
        arena.reset();
      }
    };
  }

  const methods = Object.entries(LOOPS as unknown as Record<LoopName, AnyLoop>).map(([name, loop]) => [
    name,
    inBlocks(loop, method(loop, exports[name as LoopName] as Run)),
  ]);
  return Object.fromEntries(methods) as LoopKernel;
}

/** Places of a block: however long arrays are, memory grows for so many alone. */
const BLOCK = 2 ** 15;

/** A method whose arrays go through memory block by block, if it says what a block of them is. */
function inBlocks({ call, terms, block }: AnyLoop, whole: (...given: unknown[]) => unknown): typeof whole {
  if (block === undefined) return whole;
  return (...given) => {
    if (!(terms(...given) > BLOCK)) return whole(...given);
    const result = call(...given).gives(0) as Float64Array;
    for (let from = 0; from < result.length; from += BLOCK)
      whole(...block(result, from, Math.min(result.length, from + BLOCK), ...given));
    return result;
  };
}

/** Twiddles resident in each instance's memory. */
const twiddles = new WeakMap<WasmContext, { readonly pointer: number; readonly count: number }>();

/** Address of the twiddle table for transforms of n reals, which read n/4. Call before allocating anything else. */
export function residentTwiddles(context: WasmContext, n: number): number {
  const count = n / 4;
  const known = twiddles.get(context);
  if (known !== undefined && known.count >= count) return known.pointer;
  // Old tables stay behind below the new one: sizes double, so they sum to less than it.
  const roots = 6 * Math.floor(count / 8);
  const pointer = context.arena.keep(roots + 2 * count) + 8 * roots;
  context.exports.fillTwiddles(pointer, count);
  twiddles.set(context, { pointer, count });
  return pointer;
}

/** Numbers of memory for tables: 1 MiB. The oldest make room for the newest. */
const ROOM = 2 ** 17;
/** Longer tables would drive out too many: they are copied in each time. */
const LONGEST = ROOM / 4;

interface Place {
  readonly in: ResidentTables;
  readonly from: number;
  readonly to: number;
  live: boolean;
}

/** Copies of tables in one instance's memory, in a ring. */
class ResidentTables {
  /** In order of age. */
  private readonly ring: Place[] = [];
  private base: number | undefined;
  private next = 0;

  constructor(private readonly context: WasmContext) {}

  /** Whether a table's numbers are still where `pointerTo` said. */
  holds({ values, resident }: KernelTable): boolean {
    const known = resident as Place | undefined;
    return values.length > LONGEST || (known?.live === true && known.in === this);
  }

  /** Address of a table's numbers, as long as `holds` says so and the arena is not reset. Call before allocating anything else. */
  pointerTo(table: KernelTable): number {
    const { arena } = this.context;
    const { values } = table;
    this.base ??= arena.keep(ROOM);
    if (values.length > LONGEST) return arena.copyIn(values);
    const known = table.resident as Place | undefined;
    if (known?.live && known.in === this) return this.base + 8 * known.from;
    const place = this.roomFor(values.length + (values.length & 1));
    table.resident = place;
    const pointer = this.base + 8 * place.from;
    arena.write(pointer, values);
    return pointer;
  }

  /** A stretch of the ring, taken from the tables that were there. */
  private roomFor(length: number): Place {
    const { ring } = this;
    if (this.next + length > ROOM) {
      while (ring.length > 0 && ring[0].from >= this.next) this.drop();
      this.next = 0;
    }
    const place = { in: this, from: this.next, to: this.next + length, live: true };
    while (ring.length > 0 && ring[0].from < place.to && ring[0].to > place.from) this.drop();
    ring.push(place);
    this.next = place.to;
    return place;
  }

  private drop(): void {
    const oldest = this.ring.shift();
    if (oldest !== undefined) oldest.live = false;
  }
}
