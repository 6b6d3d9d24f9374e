/** The methods of the kernel that are one call each, as `src/kernel/loops.ts` lists them. */
import { type Loop, type Operand, Rows } from '../src/kernel/call.js';
import { LOOPS, type LoopKernel, type LoopName } from '../src/kernel/loops.js';
import type { WasmContext } from './abi.js';
import { ResidentTables } from './resident-tables.js';

type AnyLoop = Loop<(...given: unknown[]) => unknown>;
type Run = (...operands: number[]) => void;

/** The methods over one instance, whose function tables have been uploaded. */
export function loopsOver(context: WasmContext): LoopKernel {
  const { arena } = context;
  const exports: Record<LoopName, unknown> = context.exports;
  const resident = new ResidentTables(context);

  /** The address of an operand in memory, or the number it is. */
  function place(operand: Operand): number {
    if (typeof operand === 'number') return operand;
    if (operand instanceof Float64Array) return arena.copyIn(operand);
    // a table by its shape: one of another copy of the library is not an instance of this copy's class
    if (!(operand instanceof Rows)) return resident.pointerTo(operand);
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
