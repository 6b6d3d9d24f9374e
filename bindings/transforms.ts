/** Fourier transforms, compositions by them, and sums over lattice measures. */
import { checkFftLength, checkLength, isFftLength, outputOf } from '../src/kernel/arguments.js';
import type { CyclicPart, LatticeKernel, TransformKernel } from '../src/kernel/kernel.js';
import { type Calling, even, type WasmContext } from './abi.js';

/** Units of work (docs/effort.md) for each of `pointsOf`. */
const POINT = 0.6;
/** Units of work of a number: of the sum, the tilt and the suffix sums of a measure. */
const [SUM, TILT, SCAN] = [3, 10, 11];

/** n·log₂ n, proportional to the work of a transform of length n; log₂ n counts as 4 at least. */
const pointsOf = (n: number): number => n * Math.max(4, 31 - Math.clz32(n));

/** Address of the table of n/4 twiddle factors for FFTs of n reals, which is filled on first use. Call before allocating anything else. */
function twiddlesFor(context: WasmContext, n: number): number {
  const { twiddles: known } = context;
  if (known !== undefined && known.numbers >= n / 4) return known.at;
  // Smaller tables stay allocated: as sizes double, they take less than the new one together.
  const roots = 6 * Math.floor(n / 32);
  const at = context.arena.keep(roots + n / 2) + 8 * roots;
  context.exports.fillTwiddles(at, n / 4);
  context.twiddles = { at, numbers: n / 4 };
  return at;
}

export function transforms(context: WasmContext, calling: Calling): TransformKernel {
  const { arena, exports } = context;
  return {
    realFft(x, out) {
      const n = x.length;
      checkFftLength('x', n);
      const result = outputOf(n + 2, out);
      return calling(POINT * pointsOf(n), () => {
        const table = twiddlesFor(context, n);
        const data = arena.copyIn(x);
        const spectrum = arena.alloc(n + 2);
        exports.transform(table, data, n, spectrum, false);
        return arena.copyOut(spectrum, result);
      });
    },
    inverseRealFft(spectrum, out) {
      const n = lengthOf(spectrum);
      const result = outputOf(n, out);
      return calling(POINT * pointsOf(n + 2), () => {
        const table = twiddlesFor(context, n);
        const given = arena.copyIn(spectrum);
        const data = arena.alloc(n);
        exports.transform(table, given, n, data, true);
        return arena.copyOut(data, result);
      });
    },
    convolve(a, b, out) {
      const length = a.length === 0 || b.length === 0 ? 0 : a.length + b.length - 1;
      const n = convolutionPoints(length, a, b);
      const result = outputOf(length, out);
      return calling(POINT * 3 * pointsOf(a.length + b.length), () => {
        if (length === 0) return result;
        const table = twiddlesFor(context, n);
        const [x, y] = [arena.copyIn(a, n), arena.copyIn(b, n)];
        exports.convolve(table, x, y, n);
        return arena.copyOut(x, result);
      });
    },
    composeCyclic: composerOver(context, calling),
  };
}

/** The length n of the reals whose spectrum has n + 2 numbers. */
function lengthOf({ length }: Float64Array): number {
  if (isFftLength(length - 2)) return length - 2;
  throw new RangeError(
    `"spectrum" must hold n + 2 numbers, n a power of two from 2^4 to 2^22; got ${length}`,
  );
}

/** The least FFT length that holds the `length` values of the convolution of a and b. */
function convolutionPoints(length: number, a: Float64Array, b: Float64Array): number {
  let n = 16;
  while (n < length) n *= 2;
  if (isFftLength(n)) return n;
  throw new RangeError(`"a" and "b" must convolve to at most 2^22 values; got ${a.length} and ${b.length}`);
}

/** Composition by FFT. Its error bound is that of assembly/fft/compose.ts. */
function composerOver(context: WasmContext, calling: Calling): TransformKernel['composeCyclic'] {
  const { arena, exports } = context;
  return (parts) => {
    checkParts(parts);
    const composed = new Float64Array(parts[0].pmf.length);
    const n = composed.length;
    return calling(POINT * (parts.length + 1) * pointsOf(n), () => {
      const active = parts.filter(({ count }) => count > 0);
      if (active.length === 0) {
        composed[0] = 1;
        return { composed, perEntryError: 0 };
      }
      const table = twiddlesFor(context, n);
      const acc = arena.alloc(2 * n + 16);
      const other = active.length > 1 ? arena.alloc(n + 8) : acc;
      let total = 0;
      for (const [i, { pmf, count }] of active.entries()) {
        const part = i === 0 ? acc : other;
        arena.write(part, pmf);
        exports.composePart(table, part, acc, n, count);
        total += count;
      }
      const perEntryError = exports.closeComposition(table, acc, n, total);
      return { composed: arena.copyOut(acc, composed), perEntryError };
    });
  };
}

/** @throws RangeError unless all sequences have one FFT length, and counts are whole numbers in [0, 2⁵³). */
function checkParts(parts: readonly CyclicPart[]): void {
  if (parts.length === 0) throw new RangeError('"parts" must hold at least one part; got none');
  const length = parts[0].pmf.length;
  checkFftLength('parts[0].pmf', length);
  parts.forEach(({ pmf, count }, index) => {
    if (pmf.length !== length) {
      throw new RangeError(
        `"parts[${index}].pmf" must hold ${length} values like parts[0]; got ${pmf.length}`,
      );
    }
    if (!(Number.isSafeInteger(count) && count >= 0)) {
      throw new RangeError(`"parts[${index}].count" must be a whole number in [0, 2^53); got ${count}`);
    }
  });
}

export function sumsOverLattices({ arena, exports }: WasmContext, calling: Calling): LatticeKernel {
  return {
    logMgf: (p, ...given) =>
      calling(SUM * p.length, () => exports.logMgf(arena.copyIn(p), even(p.length), ...given)),
    tilt(p, ...[first, step, theta, shift, out]) {
      const result = outputOf(p.length, out, ', like "p"');
      return calling(TILT * p.length, () => {
        const at = arena.copyIn(p);
        exports.tilt(at, even(p.length), first, step, theta, shift);
        return arena.copyOut(at, result);
      });
    },
    suffixScan(tilted, theta, step, out) {
      const n = tilted.length;
      const sums = out ?? { delta: new Float64Array(n), tail: new Float64Array(n) };
      checkLength('out.delta', sums.delta, n);
      checkLength('out.tail', sums.tail, n);
      return calling(SCAN * n, () => {
        const [tail, delta] = [arena.copyIn(tilted), arena.alloc(n)];
        exports.suffixScan(tail, n, delta, theta, step);
        arena.copyOut(tail, sums.tail);
        arena.copyOut(delta, sums.delta);
        return sums;
      });
    },
  };
}
