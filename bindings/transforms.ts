/** FFT, convolution, composition and lattice sums of the Kernel over WebAssembly. */
import {
  checkFftLength,
  checkOut,
  checkSpectrumLength,
  convolutionLength,
  convolutionOutput,
  fftOutput,
  type SuffixSums,
  suffixOutput,
  twiddlesNeeded,
} from '../src/kernel/arguments.js';
import { planComposition, TINY } from '../src/kernel/compose-bound.js';
import type { CyclicPart, Kernel } from '../src/kernel/kernel.js';
import { finishLogMgf, scanFactors } from '../src/kernel/scalars.js';
import type { WasmContext } from './abi.js';

/** From here on natural order is made in place: slower in itself, but half the memory to go through. */
const IN_PLACE = 2 ** 19;

/** Twiddles resident in each instance's memory. */
interface Resident {
  pointer: number;
  count: number;
}
const residents = new WeakMap<WasmContext, Resident>();

/** Address of the twiddle table for transforms of n reals. Call before allocating anything else. */
function residentTwiddles(context: WasmContext, n: number): number {
  const count = twiddlesNeeded(n);
  const resident = residents.get(context);
  if (resident !== undefined && resident.count >= count) return resident.pointer;
  // Old tables stay behind below the new one: sizes double, so they sum to less than it.
  const roots = 6 * Math.floor(count / 8);
  const pointer = context.arena.keep(roots + 2 * count) + 8 * roots;
  context.exports.fillTwiddles(pointer, count);
  residents.set(context, { pointer, count });
  return pointer;
}

/** Runs `body` and frees its memory whatever happens. */
function scoped<T>({ arena }: WasmContext, body: () => T): T {
  try {
    return body();
  } finally {
    arena.reset();
  }
}

function realFft(context: WasmContext, x: Float64Array, out?: Float64Array): Float64Array {
  const n = x.length;
  checkFftLength('x', n);
  const result = fftOutput(n + 2, out);
  const { exports, arena } = context;
  return scoped(context, () => {
    const table = residentTwiddles(context, n);
    const data = arena.copyIn(x, n + 2);
    const natural = n < IN_PLACE ? arena.allocF64(n + 2) : data;
    exports.forwardNatural(data, n, table, natural);
    return arena.copyOut(natural, result);
  });
}

function inverseRealFft(context: WasmContext, spectrum: Float64Array, out?: Float64Array): Float64Array {
  const n = checkSpectrumLength(spectrum.length);
  const result = fftOutput(n, out);
  const { exports, arena } = context;
  return scoped(context, () => {
    const table = residentTwiddles(context, n);
    const natural = arena.copyIn(spectrum);
    const data = n < IN_PLACE ? arena.allocF64(n) : natural;
    exports.inverseNatural(natural, n, table, data);
    return arena.copyOut(data, result);
  });
}

function convolve(context: WasmContext, a: Float64Array, b: Float64Array, out?: Float64Array): Float64Array {
  const n = convolutionLength(a, b);
  const result = convolutionOutput(a, b, out);
  if (result.length === 0) return result;
  const { exports, arena } = context;
  return scoped(context, () => {
    const table = residentTwiddles(context, n);
    const x = arena.copyIn(a, n);
    const y = arena.copyIn(b, n);
    exports.forwardFft(x, n, table);
    exports.forwardFft(y, n, table);
    exports.multiplySpectra(x, y, n);
    exports.inverseFft(x, n, table);
    return arena.copyOut(x, result);
  });
}

function composeCyclic(
  context: WasmContext,
  parts: readonly CyclicPart[],
): { composed: Float64Array; perEntryError: number } {
  const plan = planComposition(parts, context.exports);
  const n = plan.length;
  const composed = new Float64Array(n);
  if (plan.parts.length === 0) {
    composed[0] = 1;
    return { composed, perEntryError: 0 };
  }
  const { exports, arena } = context;
  return scoped(context, () => {
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
}

function logMgf(context: WasmContext, p: Float64Array, first: number, step: number, lambda: number): number {
  const { exports, arena } = context;
  const sums = new Float64Array(4);
  const shift = scoped(context, () => {
    const n = p.length + (p.length & 1);
    const data = arena.copyIn(p);
    const out = arena.allocF64(4);
    const largest = exports.mgfShift(data, n, first, step, lambda);
    exports.mgfSum(data, n, first, step, lambda, largest, out);
    arena.copyOut(out, sums);
    return largest;
  });
  return finishLogMgf(shift, sums, context.exports);
}

type Tilting = [first: number, step: number, theta: number, shift: number, out?: Float64Array | undefined];

function tilt(
  context: WasmContext,
  p: Float64Array,
  [first, step, theta, shift, out = new Float64Array(p.length)]: Tilting,
): Float64Array {
  checkOut(p, out);
  const { exports, arena } = context;
  return scoped(context, () => {
    const data = arena.copyIn(p);
    exports.tiltInPlace(data, p.length + (p.length & 1), first, step, theta, shift);
    return arena.copyOut(data, out);
  });
}

function suffixScan(
  context: WasmContext,
  tilted: Float64Array,
  theta: number,
  step: number,
  out?: SuffixSums,
): SuffixSums {
  const n = tilted.length;
  const sums = suffixOutput(n, out);
  const { exports, arena } = context;
  const { D, E, g } = scanFactors(theta, step, context.exports);
  return scoped(context, () => {
    const p = arena.copyIn(tilted);
    const delta = arena.allocF64(n);
    exports.suffixSums(p, n, delta, D, E, g);
    arena.copyOut(delta, sums.delta);
    arena.copyOut(p, sums.tail);
    return sums;
  });
}

type TransformName =
  | 'realFft'
  | 'inverseRealFft'
  | 'convolve'
  | 'composeCyclic'
  | 'logMgf'
  | 'tilt'
  | 'suffixScan';

export function transformsOver(context: WasmContext): Pick<Kernel, TransformName> {
  return {
    realFft: (x, out) => realFft(context, x, out),
    inverseRealFft: (spectrum, out) => inverseRealFft(context, spectrum, out),
    convolve: (a, b, out) => convolve(context, a, b, out),
    composeCyclic: (parts) => composeCyclic(context, parts),
    logMgf: (p, first, step, lambda) => logMgf(context, p, first, step, lambda),
    tilt: (p, ...tilting) => tilt(context, p, tilting),
    suffixScan: (tilted, theta, step, out) => suffixScan(context, tilted, theta, step, out),
  };
}
