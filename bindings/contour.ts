/** Sums over contours and outputs of the Kernel over WebAssembly. */
import type { Kernel } from '../src/kernel/kernel.js';
import {
  CUMULANT_ROWS,
  CUMULANT_SUMS,
  checkRange,
  FUNCTIONALS,
  type KernelTable,
  lineOf,
  MODULUS_ROWS,
  meshOutput,
  PATH_BLOCK,
  PATH_ROWS,
  pathLength,
  rowLength,
  sumsOutput,
  UNIFORM_ROWS,
} from '../src/kernel/kernel-table.js';
import type { WasmContext } from './abi.js';
import { ResidentTables } from './resident-tables.js';
import { scoped } from './transforms.js';

type ContourMethods = Pick<
  Kernel,
  'pathLine' | 'lossMesh' | 'contourSumsUniform' | 'cumulantSums' | 'modulusSums'
>;

/** The methods over one instance, whose function tables have been uploaded. */
export function contourWasm(context: WasmContext): ContourMethods {
  const { arena, exports } = context;
  const resident = new ResidentTables(context);

  /** Runs `body` with the addresses of a table, of a copy of the arguments and of the sums. */
  function summed(
    table: KernelTable,
    args: Float64Array,
    sums: Float64Array,
    body: (table: number, args: number, out: number) => void,
  ): Float64Array {
    arena.reset();
    return scoped(context, () => {
      const pointer = resident.pointerTo(table);
      const x = arena.copyIn(args);
      const out = arena.allocF64(sums.length);
      body(pointer, x, out);
      return arena.copyOut(out, sums);
    });
  }

  return {
    pathLine: (path, dTau, n, first, floor) => pathLine(context, path, { dTau, n, first, floor }),
    lossMesh(mu, q, x, out) {
      const rows = meshOutput(x, out);
      const room = x.length + (x.length & 1);
      arena.reset();
      return scoped(context, () => {
        const outputs = arena.copyIn(x);
        const at = arena.allocF64(4 * room);
        exports.lossMesh(mu, q, outputs, room, at);
        for (let i = 0; i < 4; i++)
          arena.copyOut(at + 8 * i * room, rows.subarray(i * x.length, (i + 1) * x.length));
        return rows;
      });
    },
    contourSumsUniform(dTau, weights, xs, out) {
      const n = rowLength('weights', weights, UNIFORM_ROWS, 4);
      const sums = sumsOutput(FUNCTIONALS * xs.length, out);
      return summed(weights, xs, sums, (table, x, to) =>
        exports.contourSumsUniform(dTau, table, n, x, xs.length, to),
      );
    },
    cumulantSums(mesh, from, to, tilts, out) {
      const stride = rowLength('mesh', mesh, CUMULANT_ROWS, 2);
      checkRange(from, to, stride);
      const sums = sumsOutput(CUMULANT_SUMS * tilts.length, out);
      return summed(mesh, tilts, sums, (table, c, at) =>
        exports.cumulantSums(table, stride, from, to, c, tilts.length, at),
      );
    },
    modulusSums(moduli, taus, floor, out) {
      const n = rowLength('moduli', moduli, MODULUS_ROWS, 2);
      const sums = sumsOutput(taus.length, out);
      return summed(moduli, taus, sums, (table, tau, at) =>
        exports.modulusSums(table, n, tau, taus.length, floor, at),
      );
    },
  };
}

function pathLine(
  context: WasmContext,
  path: Float64Array,
  { dTau, n, first, floor }: { dTau: number; n: number; first: number; floor: number },
): { re: Float64Array; im: Float64Array; wrong: Float64Array } {
  const m = pathLength(path);
  const stride = m + (m & 1);
  const room = PATH_BLOCK * Math.ceil(n / PATH_BLOCK);
  const { arena, exports } = context;
  arena.reset();
  return scoped(context, () => {
    const rows = arena.allocF64(PATH_ROWS * stride);
    for (let i = 0; i < PATH_ROWS; i++) arena.write(rows + 8 * i * stride, path.subarray(i * m, (i + 1) * m));
    const re = arena.copyIn(new Float64Array(room));
    const im = arena.copyIn(new Float64Array(room));
    const wrong = arena.copyIn(new Float64Array(room / PATH_BLOCK));
    exports.pathSums(rows, stride, m, dTau, first, floor, re, im, wrong, room);
    return lineOf(
      arena.copyOut(re, new Float64Array(room)),
      arena.copyOut(im, new Float64Array(room)),
      arena.copyOut(wrong, new Float64Array(room / PATH_BLOCK)),
      n,
    );
  });
}
