/** The functions of numbers over arrays. Long arrays are copied in, computed and copied out in blocks, so that the kernel's memory need not grow. */
import { wrongValue } from '../src/errors.js';
import { checkLength, OF_INPUT, outputOf } from '../src/kernel/arguments.js';
import {
  ELEMENTWISE,
  type ElementwiseKernel,
  type ElementwiseName,
  type GdpKernel,
} from '../src/kernel/kernel.js';
import { errorTables, specialTables } from '../src/kernel/tables.js';
import type { Calling, WasmContext } from './abi.js';

/** Number of elements of a block: 16 KiB, which fit the first-level cache with the arrays they are copied from. Only speed depends on it. */
const BLOCK = 2048;

/** The functions that read the tables of erfc and log erfc. */
const OF_ERROR_TABLES: ReadonlySet<ElementwiseName> = new Set([
  'erfc',
  'logErfc',
  'normalCdf',
  'logNormalCdf',
] as const);

/** Units of work (docs/effort.md) of a number of profiles and masses, and of the inverse. */
const [PROFILE, INVERSE] = [33, 130];

const OF_EPSILON = ' (the length of "epsilon")';

/** Entries from … to − 1 of an array. */
const part = (x: Float64Array, from: number, to: number): Float64Array =>
  to - from === x.length ? x : x.subarray(from, to);

type InBlocks = (n: number, price: number, once: (from: number, to: number) => void) => void;

/** Charges for n numbers, and calls `once` for each block of them. */
const blocksOver =
  ({ arena }: WasmContext, calling: Calling): InBlocks =>
  (n, price, once) =>
    calling(n * price, () => {
      for (let from = 0; from < n; from += BLOCK) {
        arena.reset();
        once(from, Math.min(n, from + BLOCK));
      }
    });

/**
 * The element-wise functions over one instance. It copies the function tables to the instance, which every other export that uses exp or log needs, so
 * it must be called first. The long tables of erfc are copied when first needed.
 */
export function elementwiseOver(context: WasmContext, calling: Calling): ElementwiseKernel {
  const { arena, exports } = context;
  const inBlocks = blocksOver(context, calling);
  arena.write(exports.tablesPointer(), specialTables());
  let complete = false;
  const method = (name: ElementwiseName, which: number) => {
    const needsAll = OF_ERROR_TABLES.has(name);
    const { price } = ELEMENTWISE[name];
    return (x: Float64Array, out?: Float64Array): Float64Array => {
      const result = outputOf(x.length, out, OF_INPUT);
      if (needsAll && !complete) {
        arena.write(exports.tablesPointer(), errorTables());
        complete = true;
      }
      inBlocks(x.length, price, (from, to) => {
        const room = (to - from + 7) & ~7;
        const at = arena.copyIn(part(x, from, to), room);
        exports.elementwise(which, at, at, room);
        arena.copyOut(at, part(result, from, to));
      });
      return result;
    };
  };
  const names = Object.keys(ELEMENTWISE) as ElementwiseName[];
  return Object.fromEntries(names.map((name, which) => [name, method(name, which)])) as ElementwiseKernel;
}

/** The Gaussian privacy profile, its inverse and masses of N(0, 1), over one instance. */
export function profilesOver(context: WasmContext, calling: Calling): GdpKernel {
  const { arena, exports } = context;
  const inBlocks = blocksOver(context, calling);
  const profile =
    (kind: number): GdpKernel['deltaGdp'] =>
    (mu, epsilon, out) => {
      const n = epsilon.length;
      const result = outputOf(n, out, OF_INPUT);
      if (typeof mu === 'object') checkLength('mu', mu, n, OF_EPSILON);
      inBlocks(n, PROFILE, (from, to) => {
        const each = typeof mu === 'object' ? part(mu, from, to) : Float64Array.of(mu, mu);
        const [first, at] = [arena.copyIn(each), arena.copyIn(part(epsilon, from, to))];
        exports.profile(kind, first, typeof mu === 'object' ? 1 : 0, at, to - from, at);
        arena.copyOut(at, part(result, from, to));
      });
      return result;
    };
  return {
    deltaGdp: profile(0),
    oneMinusDeltaGdp: profile(1),
    logDeltaGdp: profile(2),
    muGdpLog(epsilon, logDelta, out) {
      const n = epsilon.length;
      const result = outputOf(n, out, OF_INPUT);
      checkLength('logDelta', logDelta, n, OF_EPSILON);
      inBlocks(n, INVERSE, (from, to) => {
        const [at, target] = [epsilon, logDelta].map((each) => arena.copyIn(part(each, from, to)));
        exports.muGdpLog(at, target, to - from, at);
        arena.copyOut(at, part(result, from, to));
      });
      return result;
    },
    normalIntervals(edges, out) {
      const n = edges.length - 1;
      if (n < 0) throw wrongValue('edges.length', 'at least 1', 0);
      const result = outputOf(n, out, ' (one less than the edges)');
      return calling(PROFILE * edges.length, () => {
        const [at, masses] = [arena.copyIn(edges, n + 3), arena.alloc(n)];
        exports.normalIntervals(at, n, masses);
        return arena.copyOut(masses, result);
      });
    },
  };
}
