/** `composeCyclic`, the one method of the kernel that makes several calls. */
import { planComposition, TINY } from '../src/kernel/compose-bound.js';
import { COMPOSITION, type Kernel } from '../src/kernel/kernel.js';
import type { WasmContext } from './abi.js';
import { CALL, type Charge, residentTwiddles } from './calls.js';

/**
 * The method `composeCyclic` over one instance: FFT of each factor, powers and their product with error bounds, inverse FFT. Its error bound is
 * that of src/kernel/compose-bound.ts.
 */
export function composerOver(context: WasmContext, charge: Charge): Kernel['composeCyclic'] {
  const { exports, arena } = context;
  return (parts) => {
    charge(CALL + COMPOSITION.terms(parts) * COMPOSITION.price);
    const plan = planComposition(parts, exports);
    const n = plan.length;
    const composed = new Float64Array(n);
    if (plan.parts.length === 0) {
      composed[0] = 1;
      return { composed, perEntryError: 0 };
    }
    try {
      const table = residentTwiddles(context, n);
      const acc = arena.alloc(n + 8);
      const mag = arena.alloc(n / 2 + 4);
      const ratio = arena.alloc(n / 2 + 4);
      const [sums, own] = [arena.alloc(2), arena.alloc(5)];
      const other = plan.parts.length > 1 ? arena.alloc(n + 8) : acc;
      plan.parts.forEach(({ pmf, count }, index) => {
        const spec = index === 0 ? acc : other;
        arena.write(spec, pmf);
        const { eta, weight, skip } = plan.bound(index, exports.norm1(spec, n));
        exports.forwardFft(table, spec, n);
        exports.openSpectrum(spec, n);
        arena.write(own, Float64Array.of(count, eta, weight, skip, TINY));
        exports.powerPart(spec, acc, mag, ratio, n, own, index === 0);
      });
      exports.sumBounds(acc, mag, ratio, n, plan.relative, sums);
      exports.closeSpectrum(acc, n);
      exports.inverseFft(table, acc, n);
      const [errors, sizes] = arena.copyOut(sums, new Float64Array(2));
      arena.copyOut(acc, composed);
      return { composed, perEntryError: plan.perEntry(errors, sizes) };
    } finally {
      arena.reset();
    }
  };
}
