/** The Kernel over one instance: memory and functions of WebAssembly or of JavaScript. */
import { type Loop, type Operand, Rows, type Work } from '../src/kernel/call.js';
import { COMPOSED, ELEMENTWISE, type Kernel } from '../src/kernel/kernel.js';
import type { KernelTable } from '../src/kernel/kernel-table.js';
import { LOOPS, type LoopKernel, type LoopName } from '../src/kernel/loops.js';
import type { WasmContext } from './abi.js';
import { elementwiseWasm } from './elementwise.js';
import { gdpWasm } from './gdp.js';
import { latticeOver, transformsOver } from './transforms.js';

type AnyLoop = Loop<(...given: unknown[]) => unknown>;
type Run = (...operands: number[]) => void;

/** Whether an operand is a table, by its shape: one of another copy of the library is not an instance of this copy's class. */
function isTable(operand: Operand): operand is KernelTable {
  return typeof operand !== 'number' && !(operand instanceof Float64Array || operand instanceof Rows);
}

/** The methods that are one call each, as `src/kernel/loops.ts` lists them, over one instance whose function tables have been uploaded. */
function loopsOver(context: WasmContext): LoopKernel {
  const { arena } = context;
  const exports: Record<LoopName, unknown> = context.exports;
  const resident = new ResidentTables(context);

  /** The address of an operand in memory, or the number it is. */
  function place(operand: Operand): number {
    if (typeof operand === 'number') return operand;
    if (operand instanceof Float64Array) return arena.copyIn(operand);
    if (isTable(operand)) return resident.pointerTo(operand);
    const { values, rows, stride, way } = operand;
    const pointer = arena.allocF64(rows * stride);
    const length = values.length / rows;
    if (way === 'sum') arena.f64(pointer, rows * stride).fill(0);
    if (way === 'in' || way === 'both')
      for (let i = 0; i < rows; i++)
        arena.write(pointer + 8 * i * stride, values.subarray(i * length, (i + 1) * length));
    return pointer;
  }

  function copyBack(pointer: number, { values, rows, stride, way }: Rows): void {
    if (way === 'in') return;
    if (rows === 1) {
      arena.copyOut(pointer, values);
      return;
    }
    const length = values.length / rows;
    for (let i = 0; i < rows; i++)
      arena.copyOut(pointer + 8 * i * stride, values.subarray(i * length, (i + 1) * length));
  }

  function method({ call }: AnyLoop, run: Run): (...given: unknown[]) => unknown {
    const places: number[] = [];
    return (...given) => {
      const { with: operands, gives } = call(...given);
      try {
        for (let i = 0; i < operands.length; i++) places[i] = place(operands[i]);
        // the second table of two may have driven the first out
        const [first, second] = operands;
        if (isTable(second) && isTable(first) && !resident.holds(first)) places[0] = place(first);
        run(...places);
        for (let i = 0; i < operands.length; i++) {
          const operand = operands[i];
          if (operand instanceof Rows) copyBack(places[i], operand);
        }
      } finally {
        arena.reset();
      }
      return gives();
    };
  }

  const methods = Object.entries(LOOPS as unknown as Record<LoopName, AnyLoop>).map(([name, loop]) => [
    name,
    method(loop, exports[name as LoopName] as Run),
  ]);
  return Object.fromEntries(methods) as LoopKernel;
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

/** Told what each call is about to do, in units of docs/effort.md, before it does it. */
export type Charge = (units: number) => void;

/** Price of a call, beside that of its terms. */
const CALL = 300;

type Method = (...given: unknown[]) => unknown;

/** The methods over one instance of the kernel, whichever compiler made it. */
export function kernelOver(name: Kernel['name'], context: WasmContext, charge?: Charge): Kernel {
  const kernel: Kernel = {
    name,
    ...elementwiseWasm(context),
    ...gdpWasm(context),
    ...transformsOver(context),
    ...latticeOver(context),
    ...loopsOver(context),
  };
  return charge === undefined ? kernel : metered(kernel, charge);
}

function metered(kernel: Kernel, charge: Charge): Kernel {
  const methods = kernel as unknown as Record<string, Method>;
  const found: Record<string, unknown> = { ...kernel };
  for (const [name, { price }] of Object.entries(ELEMENTWISE)) {
    const call = methods[name] as (x: Float64Array, out?: Float64Array) => Float64Array;
    found[name] = (x: Float64Array, out?: Float64Array) => {
      charge(CALL + x.length * price);
      return call(x, out);
    };
  }
  for (const [name, work] of Object.entries({ ...COMPOSED, ...LOOPS })) {
    const { price, terms } = work as unknown as Work<Method>;
    const call = methods[name];
    found[name] = (...given: unknown[]) => {
      charge(CALL + terms(...given) * price);
      return call(...given);
    };
  }
  return found as unknown as Kernel;
}
