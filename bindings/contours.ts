/** The law of a step, and sums over the nodes of a contour. */

import { outputOf } from '../src/kernel/arguments.js';
import { LAW_ROOM } from '../src/kernel/constants.js';
import { floats, rowsOf } from '../src/kernel/floats.js';
import {
  type ContourKernel,
  FUNCTIONALS,
  KernelTable,
  LOG_PHI_ROWS,
  nodesOf,
  tableLength,
  UNIFORM_ROWS,
} from '../src/kernel/kernel-table.js';
import type { LawKernel, WindowedStep, Worked } from '../src/kernel/laws.js';
import { type Calling, even, type WasmContext } from './abi.js';
import { ResidentTables } from './resident-tables.js';

/** The law of a step as the kernel reads it: six numbers, then the kind's own. */
const numbersOf = ({ mu, rate, cut, width, depth, own }: WindowedStep, allowance: number): Float64Array => {
  const numbers = floats(6 + (own?.length ?? 0));
  numbers.set([mu, rate, cut, width, depth, allowance]);
  if (own !== undefined) numbers.set(own, 6);
  return numbers;
};

export function lawsOver({ arena, exports }: WasmContext, calling: Calling): LawKernel {
  /** A call about a law that gives `rows` rows of n numbers, and its work. */
  const worked = (
    law: Float64Array,
    n: number,
    run: (law: number, room: number, out: number) => number,
    rows = 1,
  ): Worked =>
    calling(0, () => {
      const at = arena.copyIn(law);
      const [room, out] = [arena.alloc(LAW_ROOM), arena.alloc(rows * even(n))];
      const work = run(at, room, out);
      const numbers = floats(rows * n);
      for (let i = 0; i < rows; i++) numbers.set(arena.f64(out + 8 * i * even(n), n), i * n);
      return { numbers, work };
    });
  return {
    lawCut: (step, logMass, width, depth) =>
      calling(2000, () => {
        const law = numbersOf({ ...step, cut: Infinity, width, depth }, Infinity);
        const [at, room, out] = [arena.copyIn(law), arena.alloc(LAW_ROOM), arena.alloc(5)];
        exports.lawCut(at, logMass, room, out);
        const [cut, logLostP, logLostQ, largest, steepest] = arena.f64(out, 5);
        return { cut, logLostP, logLostQ, largest, steepest };
      }),
    lawCumulants: (law, tilts, bounded, allowance) =>
      worked(numbersOf(law, allowance), 4 * tilts.length, (at, room, out) =>
        exports.lawCumulants(at, arena.copyIn(tilts), tilts.length, bounded, room, out),
      ),
    lawLine: (law, count, { c, dTau, n }, allowance) =>
      worked(
        numbersOf(law, allowance),
        n,
        (at, room, out) => exports.lawLine(at, count, c, dTau, n, room, out),
        LOG_PHI_ROWS,
      ),
    lawDecay: (law, c, taus, enough, allowance) =>
      worked(numbersOf(law, allowance), taus.length + 1, (at, room, out) =>
        exports.lawDecay(at, c, arena.copyIn(taus), taus.length, enough, room, out),
      ),
    lawFar: (law, c, taus, allowance) =>
      worked(numbersOf(law, allowance), taus.length, (at, room, out) =>
        exports.lawFar(at, c, arena.copyIn(taus), taus.length, room, out),
      ),
  };
}

export function contoursOver({ arena, exports }: WasmContext, calling: Calling): ContourKernel {
  const resident = new ResidentTables(arena);
  /** The address of a copy of rows of n numbers, each padded to an even number of numbers. */
  const copyRows = (rows: readonly Float64Array[], n: number): number => {
    const at = arena.copyIn(new Float64Array(0), rows.length * even(n));
    rows.forEach((row, i) => {
      arena.write(at + 8 * i * even(n), row);
    });
    return at;
  };
  return {
    logarithms(phi, count, most) {
      const n = phi.length / LOG_PHI_ROWS;
      return calling(40 * n, () => {
        const rows = floats(phi.length);
        const at = copyRows(rowsOf(phi, LOG_PHI_ROWS), n);
        exports.logarithms(at, even(n), n, count, most);
        for (let i = 0; i < LOG_PHI_ROWS; i++) rows.set(arena.f64(at + 8 * i * even(n), n), i * n);
        return rows;
      });
    },
    contourWeights(line, dTau, c, window) {
      const n = nodesOf(line);
      const [rows, bounds] = [floats(UNIFORM_ROWS * (n + (-n & 3))), floats(3 * FUNCTIONALS)];
      return calling(60 * n, () => {
        const at = copyRows([line.logModulus, line.phase, line.error, line.quadrature], n);
        const [out, boundsAt] = [arena.alloc(rows.length), arena.alloc(bounds.length)];
        exports.contourWeights(at, even(n), n, dTau, c, window, out, boundsAt);
        arena.copyOut(out, rows);
        arena.copyOut(boundsAt, bounds);
        return { table: new KernelTable(rows), bounds };
      });
    },
    contourSumsUniform(dTau, weights, xs, out) {
      const n = tableLength('weights', weights, UNIFORM_ROWS, 4);
      const length = FUNCTIONALS * xs.length;
      const result = out === undefined ? floats(length) : outputOf(length, out);
      return calling(3.6 * n * xs.length, () => {
        const [table, at, sums] = [resident.pointerTo(weights), arena.copyIn(xs), arena.alloc(length)];
        exports.contourSumsUniform(dTau, table, n, at, xs.length, sums);
        return arena.copyOut(sums, result);
      });
    },
  };
}
