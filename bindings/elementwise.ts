/** The element-wise methods of the kernel: arrays are copied in, mapped and copied out in blocks. */
import { OF_INPUT, outputOf } from '../src/kernel/arguments.js';
import {
  ELEMENTWISE,
  type ElementwiseKernel,
  type ElementwiseName,
  type Kernel,
} from '../src/kernel/kernel.js';
import { type Scalars, tableOf } from '../src/kernel/scalars.js';
import { errorTables, specialTables } from '../src/kernel/tables.js';
import type { MapName, WasmContext } from './abi.js';
import { CALL, type Charge } from './calls.js';

/** Number of elements of a block: 16 KiB, which fit the first-level cache with the arrays they are copied from. Only speed depends on it. */
const BLOCK = 2048;

/** The functions that read the tables of erfc and log erfc. */
const OF_ERROR_TABLES: ReadonlySet<ElementwiseName> = new Set([
  'erfc',
  'logErfc',
  'normalCdf',
  'logNormalCdf',
] as const);

const loopOf = (name: ElementwiseName): MapName => `map${name[0].toUpperCase()}${name.slice(1)}` as MapName;

/**
 * The element-wise methods over one instance, and its functions of one or two numbers. It copies the function tables to the instance, which every
 * other export that uses exp or log needs, so it must be called first. The long tables of erfc are copied when first needed.
 */
export function elementwiseWasm(
  context: WasmContext,
  charge: Charge,
): ElementwiseKernel & Pick<Kernel, 'scalars'> {
  const { arena, exports } = context;
  arena.write(exports.tablesPointer(), specialTables());
  let complete = false;
  const completeTables = () => {
    if (!complete) arena.write(exports.tablesPointer(), errorTables());
    complete = true;
  };
  const method = (name: ElementwiseName) => {
    const run = exports[loopOf(name)];
    const needsAll = OF_ERROR_TABLES.has(name);
    const { price } = ELEMENTWISE[name];
    return (x: Float64Array, out?: Float64Array): Float64Array => {
      charge(CALL + x.length * price);
      const result = outputOf(x.length, out, OF_INPUT);
      if (needsAll) completeTables();
      const whole = x.length <= BLOCK;
      for (let start = 0; start < x.length; start += BLOCK) {
        const end = Math.min(start + BLOCK, x.length);
        const room = (end - start + 7) & ~7;
        arena.reset();
        const pointer = arena.copyIn(whole ? x : x.subarray(start, end), room);
        run(pointer, pointer, room);
        arena.copyOut(pointer, whole ? result : result.subarray(start, end));
      }
      arena.reset();
      return result;
    };
  };
  const names = Object.keys(ELEMENTWISE) as ElementwiseName[];
  const methods = Object.fromEntries(names.map((name) => [name, method(name)])) as ElementwiseKernel;
  return { ...methods, scalars: scalarsOf(exports, completeTables) };
}

/** The instance's functions of one or two numbers. `logNormalCdfOf`, which reads the long tables, has them copied when first called. */
function scalarsOf(exports: Scalars, completeTables: () => void): Scalars {
  const { logNormalCdfOf } = exports;
  const table: { -readonly [K in keyof Scalars]: Scalars[K] } = tableOf(exports);
  table.logNormalCdfOf = (x) => {
    completeTables();
    table.logNormalCdfOf = logNormalCdfOf;
    return logNormalCdfOf(x);
  };
  return table;
}
