/** FFT, convolution, composition and lattice sums of the Kernel over WebAssembly. */
import {
  checkFftLength,
  checkSpectrumLength,
  convolutionLength,
  convolvedLength,
  outputOf,
  suffixOutput,
} from '../src/kernel/arguments.js';
import { planComposition, TINY } from '../src/kernel/compose-bound.js';
import type { LatticeKernel, TransformKernel } from '../src/kernel/kernel.js';
import { finishLogMgf, scanFactors } from '../src/kernel/scalars.js';
import type { WasmContext } from './abi.js';

/** Twiddles resident in each instance's memory. */
interface Resident {
  pointer: number;
  count: number;
}
const residents = new WeakMap<WasmContext, Resident>();

/** Address of the twiddle table for transforms of n reals, which read n/4. Call before allocating anything else. */
function residentTwiddles(context: WasmContext, n: number): number {
  const count = n / 4;
  const resident = residents.get(context);
  if (resident !== undefined && resident.count >= count) return resident.pointer;
  // Old tables stay behind below the new one: sizes double, so they sum to less than it.
  const roots = 6 * Math.floor(count / 8);
  const pointer = context.arena.keep(roots + 2 * count) + 8 * roots;
  context.exports.fillTwiddles(pointer, count);
  residents.set(context, { pointer, count });
  return pointer;
}

/** What runs a body and frees the memory that it takes, whatever happens. */
function scopeOf({ arena }: WasmContext): <T>(body: () => T) => T {
  return (body) => {
    try {
      return body();
    } finally {
      arena.reset();
    }
  };
}

/** The transforms over one instance. */
export function transformsOver(context: WasmContext): TransformKernel {
  const { exports, arena } = context;
  const scoped = scopeOf(context);
  return {
    realFft(x, out) {
      const n = x.length;
      checkFftLength('x', n);
      const result = outputOf(n + 2, out);
      return scoped(() => {
        const table = residentTwiddles(context, n);
        const data = arena.copyIn(x, n + 2);
        const natural = arena.allocF64(n + 2);
        exports.forwardNatural(data, n, table, natural);
        return arena.copyOut(natural, result);
      });
    },
    inverseRealFft(spectrum, out) {
      const n = checkSpectrumLength(spectrum.length);
      const result = outputOf(n, out);
      return scoped(() => {
        const table = residentTwiddles(context, n);
        const natural = arena.copyIn(spectrum);
        const data = arena.allocF64(n);
        exports.inverseNatural(natural, n, table, data);
        return arena.copyOut(data, result);
      });
    },
    convolve(a, b, out) {
      const n = convolutionLength(a, b);
      const result = outputOf(convolvedLength(a, b), out);
      if (result.length === 0) return result;
      return scoped(() => {
        const table = residentTwiddles(context, n);
        const x = arena.copyIn(a, n);
        const y = arena.copyIn(b, n);
        exports.forwardFft(x, n, table);
        exports.forwardFft(y, n, table);
        exports.multiplySpectra(x, y, n);
        exports.inverseFft(x, n, table);
        return arena.copyOut(x, result);
      });
    },
    composeCyclic: composerOver(context),
  };
}

function composerOver(context: WasmContext): TransformKernel['composeCyclic'] {
  const { exports, arena } = context;
  const scoped = scopeOf(context);
  return (parts) => {
    const plan = planComposition(parts, exports);
    const n = plan.length;
    const composed = new Float64Array(n);
    if (plan.parts.length === 0) {
      composed[0] = 1;
      return { composed, perEntryError: 0 };
    }
    return scoped(() => {
      const table = residentTwiddles(context, n);
      const acc = arena.allocF64(n + 8);
      const mag = arena.allocF64(n / 2 + 4);
      const ratio = arena.allocF64(n / 2 + 4);
      const sums = arena.allocF64(2);
      const other = plan.parts.length > 1 ? arena.allocF64(n + 8) : acc;
      plan.parts.forEach(({ pmf, count }, index) => {
        const spec = index === 0 ? acc : other;
        arena.write(spec, pmf);
        const { eta, weight, skip } = plan.bound(index, exports.norm1(spec, n));
        exports.forwardFft(spec, n, table);
        exports.openSpectrum(spec, n);
        exports.powerPart(spec, acc, mag, ratio, n, count, eta, weight, skip, TINY, index === 0);
      });
      exports.sumBounds(acc, mag, ratio, n, plan.relative, sums);
      exports.closeSpectrum(acc, n);
      exports.inverseFft(acc, n, table);
      const [errors, sizes] = arena.copyOut(sums, new Float64Array(2));
      arena.copyOut(acc, composed);
      return { composed, perEntryError: plan.perEntry(errors, sizes) };
    });
  };
}

/** The sums over a grid over one instance. */
export function latticeOver(context: WasmContext): LatticeKernel {
  const { exports, arena } = context;
  const scoped = scopeOf(context);
  return {
    logMgf(p, first, step, lambda) {
      const sums = new Float64Array(4);
      const shift = scoped(() => {
        const n = p.length + (p.length & 1);
        const data = arena.copyIn(p);
        const out = arena.allocF64(4);
        const largest = exports.mgfShift(data, n, first, step, lambda);
        exports.mgfSum(data, n, first, step, lambda, largest, out);
        arena.copyOut(out, sums);
        return largest;
      });
      return finishLogMgf(shift, sums, exports);
    },
    tilt(p, ...[first, step, theta, shift, out]) {
      const result = outputOf(p.length, out, ', like "p"');
      return scoped(() => {
        const data = arena.copyIn(p);
        exports.tiltInPlace(data, p.length + (p.length & 1), first, step, theta, shift);
        return arena.copyOut(data, result);
      });
    },
    suffixScan(tilted, theta, step, out) {
      const n = tilted.length;
      const sums = suffixOutput(n, out);
      const { D, E, g } = scanFactors(theta, step, exports);
      return scoped(() => {
        const p = arena.copyIn(tilted);
        const delta = arena.allocF64(n);
        exports.suffixSums(p, n, delta, D, E, g);
        arena.copyOut(delta, sums.delta);
        arena.copyOut(p, sums.tail);
        return sums;
      });
    },
  };
}
