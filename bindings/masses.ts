/** Masses of one step's outputs: under mixtures of Gaussians, and on a lattice of losses. */
import { checkLength } from '../src/kernel/arguments.js';
import type { MassKernel, NormalMixture } from '../src/kernel/masses.js';
import { type Calling, even, type WasmContext } from './abi.js';

/** Units of work (docs/effort.md) of an output found, of a mass, and of an edge of a lattice. */
const [OUTPUT, MASS, EDGE] = [250, 43, 60];

const partsOf = ({ shift, weight }: NormalMixture): Float64Array => Float64Array.of(...shift, ...weight);

export function massesOver({ arena, exports }: WasmContext, calling: Calling): MassKernel {
  /** Copies of rows of n numbers from an address on, at which they begin an even number of numbers apart. */
  const rowsAt = (at: number, n: number, count: number): Float64Array[] =>
    Array.from({ length: count }, (_, i) => arena.f64(at + 8 * i * even(n), n).slice());
  return {
    mixtureOutputs(losses, plus, minus, { outputs, losses: reached }) {
      const n = losses.length;
      const [sizePlus, sizeMinus] = [plus.shift.length, minus.shift.length];
      return calling(OUTPUT * (sizePlus + sizeMinus) * n, () => {
        const [at, first, second, ends] = [
          losses,
          partsOf(plus),
          partsOf(minus),
          Float64Array.of(...outputs, ...reached),
        ].map((each) => arena.copyIn(each));
        const found = arena.alloc(2 * even(n));
        exports.mixtureOutputs(at, n, first, sizePlus, second, sizeMinus, ends, found);
        const [x, off] = rowsAt(found, n, 2);
        return { x, off };
      });
    },
    mixtureMasses({ x, off }, ...mixtures) {
      const n = x.length - 1;
      checkLength('off', off, x.length, ', like "x"');
      const size = mixtures.reduce((sum, [{ shift }]) => sum + shift.length, 0);
      return calling(MASS * size * x.length, () => {
        const [at, offAt] = [arena.copyIn(x), arena.copyIn(off)];
        const [base, other] = mixtures.map(([parts, sign]) =>
          arena.copyIn(Float64Array.of(parts.shift.length, sign, ...partsOf(parts))),
        );
        const room = arena.alloc(2 * n + 8);
        const rows = arena.copyIn(new Float64Array(0), 4 * even(n));
        exports.mixtureMasses(at, offAt, n, base, other, room, rows);
        const [p, q, cut, cutBase] = rowsAt(rows, n, 4);
        return { p, q, cut, cutBase };
      });
    },
    latticeMeasures({ masses, edges, rate, adds, relative, below, certain }, { step, first, last }) {
      const n = last - first + 1;
      checkLength('edges', edges, 2 * n + 1);
      const given = new Float64Array(8 * n);
      for (const [i, row] of [masses.p, masses.q, masses.cut, masses.cutBase ?? []].entries())
        given.set(row, 2 * n * i);
      const numbers = Float64Array.of(step, first, rate, adds ? 1 : 0, relative ?? -1, below, certain);
      return calling(EDGE * edges.length, () => {
        const [at, edgesAt, own] = [given, edges, numbers].map((each) => arena.copyIn(each));
        const [room, upper, lower] = [19 * n + 27, n, n].map((each) => arena.alloc(each));
        exports.latticeMeasures(at, edgesAt, n, own, room, upper, lower);
        return { upper: arena.f64(upper, n).slice(), lower: arena.f64(lower, n).slice() };
      });
    },
  };
}
