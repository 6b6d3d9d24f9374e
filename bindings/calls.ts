/** The methods of the kernel that are one call each, as `src/kernel/loops.ts` lists them. */
import { type Loop, type OfNumbers, type Operand, Rows, Twiddles } from '../src/kernel/call.js';
import type { KernelTable } from '../src/kernel/kernel-table.js';
import { LOOPS, type LoopKernel, type LoopName } from '../src/kernel/loops.js';
import type { WasmContext } from './abi.js';

type AnyLoop = Loop<(...given: unknown[]) => unknown>;
type NumbersLoop = OfNumbers<(...given: unknown[]) => number>;
type Method = (...given: unknown[]) => unknown;
type Run = (...operands: number[]) => number;

/** Receives the work that a call is about to do, in units of docs/effort.md. */
export type Charge = (units: number) => void;

/** Units of work (docs/effort.md) of a call, besides those for each of its terms (`Loop.terms`). */
export const CALL = 300;

/** Whether an operand is a table. It is not tested by its class: another copy of the library has another class `KernelTable`. */
function isTable(operand: Exclude<Operand, number>): operand is KernelTable {
  return !(operand instanceof Float64Array || operand instanceof Rows || operand instanceof Twiddles);
}

function bothTables(
  operands: readonly Operand[],
): operands is readonly [KernelTable, KernelTable, ...Operand[]] {
  const first = operands[0];
  const second = operands[1];
  return typeof second === 'object' && typeof first === 'object' && isTable(second) && isTable(first);
}

/** Calls `take` for each row of an array, with the row's address. */
function eachRow(
  values: Float64Array,
  { rows, stride }: Rows,
  pointer: number,
  take: (pointer: number, row: Float64Array) => void,
): void {
  const length = values.length / rows;
  for (let i = 0; i < rows; i++)
    take(pointer + 8 * i * stride, values.subarray(i * length, (i + 1) * length));
}

/** Returns a function that copies an operand to an engine's memory, and returns its address. */
function placeIn(
  context: WasmContext,
  resident: ResidentTables,
): (operand: Exclude<Operand, number>) => number {
  const { arena } = context;
  return (operand) => {
    if (operand instanceof Float64Array) return arena.copyIn(operand);
    if (operand instanceof Twiddles) return residentTwiddles(context, operand.n);
    if (!(operand instanceof Rows)) return resident.pointerTo(operand);
    const { rows, stride, from } = operand;
    if (from && rows === 1) return arena.copyIn(from, stride);
    const pointer = arena.alloc(rows * stride);
    if (from !== undefined) arena.f64(pointer, rows * stride).fill(0);
    if (from) eachRow(from, operand, pointer, (at, row) => arena.write(at, row));
    return pointer;
  };
}

/**
 * The methods of the kernel over one instance, whose function tables have been copied to it. Each copies its operands in, calls one function, and
 * copies the results out.
 */
export function loopsOver(context: WasmContext, charge: Charge, loops: typeof LOOPS = LOOPS): LoopKernel {
  const { arena } = context;
  const exports: Record<LoopName, unknown> = context.exports;
  const resident = new ResidentTables(context);
  const place = placeIn(context, resident);
  const read = (pointer: number, row: Float64Array): void => {
    arena.copyOut(pointer, row);
  };

  /** A method that charges its work, copies operands in, calls `run` once, and copies results out. */
  function method(loop: AnyLoop, run: Run): Method {
    const { call, terms, price } = loop;
    const places: number[] = [];
    const once: Method = (...given) => {
      charge(CALL + price * terms(...given));
      const { with: operands, gives, into } = call(...given);
      try {
        for (let i = 0; i < operands.length; i++) {
          const operand = operands[i];
          places[i] = typeof operand === 'number' ? operand : place(operand);
        }
        // copying the second table in may have overwritten the first
        if (bothTables(operands) && !resident.holds(operands[0])) places[0] = place(operands[0]);
        if (into !== undefined) places[operands.length] = arena.alloc(into.length);
        const returned = run(...places);
        if (into !== undefined) arena.copyOut(places[operands.length], into);
        for (let i = 0; i < operands.length; i++) {
          const operand = operands[i];
          if (!(operand instanceof Rows) || operand.to === undefined) continue;
          if (operand.rows === 1) arena.copyOut(places[i], operand.to);
          else eachRow(operand.to, operand, places[i], read);
        }
        return typeof gives === 'function' ? gives(returned) : gives;
      } finally {
        arena.reset();
      }
    };
    return loop.block === undefined ? once : inBlocks(loop, once);
  }

  const ofNumbers =
    ({ numbers, price }: NumbersLoop, run: Run): Method =>
    (...given) => {
      charge(CALL + price);
      return run(...numbers(...given));
    };
  const methods = Object.entries(loops as unknown as Record<LoopName, AnyLoop | NumbersLoop>).map(
    ([name, loop]) => {
      const run = exports[name as LoopName] as Run;
      return [name, 'numbers' in loop ? ofNumbers(loop, run) : method(loop, run)];
    },
  );
  return Object.fromEntries(methods) as LoopKernel;
}

/** A method that passes long arrays to the kernel in blocks, so that its memory need not grow. */
function inBlocks({ terms, call, block }: AnyLoop, once: Method): Method {
  return (...given) => {
    const size = terms(...given);
    if (block === undefined || !(size > BLOCK)) return once(...given);
    const result = call(...given).gives as Float64Array;
    for (let from = 0; from < result.length; from += BLOCK)
      once(...block(result, from, Math.min(result.length, from + BLOCK), ...given));
    return result;
  };
}

/** Length of a block of `inBlocks`. Only speed and memory depend on it. */
const BLOCK = 2 ** 15;

/** The table of twiddle factors in each instance's memory. */
const twiddles = new WeakMap<WasmContext, { readonly pointer: number; readonly count: number }>();

/** Address of the table of n/4 twiddle factors for FFTs of n reals, which is filled on first use. Call before allocating anything else. */
export function residentTwiddles(context: WasmContext, n: number): number {
  const count = n / 4;
  const known = twiddles.get(context);
  if (known !== undefined && known.count >= count) return known.pointer;
  // Smaller tables stay allocated: as sizes double, they take less than the new one together.
  const roots = 6 * Math.floor(count / 8);
  const pointer = context.arena.keep(roots + 2 * count) + 8 * roots;
  context.exports.fillTwiddles(pointer, count);
  twiddles.set(context, { pointer, count });
  return pointer;
}

/** Memory for tables, in numbers of 8 bytes: 1 MiB. The oldest tables are overwritten first. Only speed and memory depend on it. */
const ROOM = 2 ** 17;
/** Longer tables would overwrite too many others, so they are copied at each call. Only speed depends on it. */
const LONGEST = ROOM / 4;

interface Place {
  readonly in: ResidentTables;
  readonly from: number;
  readonly to: number;
  live: boolean;
}

/** Copies of tables in one instance's memory, used as a ring buffer. */
class ResidentTables {
  /** The copies, oldest first. */
  private readonly ring: Place[] = [];
  private base: number | undefined;
  private next = 0;

  constructor(private readonly context: WasmContext) {}

  /** Whether a table's copy is still at the address that `pointerTo` returned. */
  holds({ values, resident }: KernelTable): boolean {
    const known = resident as Place | undefined;
    return values.length > LONGEST || (known?.live === true && known.in === this);
  }

  /** The address of a copy of a table. It is valid while `holds` says so and the arena is not reset. Call before allocating anything else. */
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

  /** The next part of the ring buffer, `length` numbers long; tables that it overlaps are dropped. */
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
