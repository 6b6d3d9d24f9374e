import type { Kernel } from '../../src/kernel/kernel.js';
import type { EndedWindow } from './step-windows.js';

/** All outputs. */
export const EVERYTHING: EndedWindow = { from: -Infinity, to: Infinity, width: Infinity };

/** log M of one step, its integrals good to about e^{−depth}, and its error; to a few digits where it is not bounded. */
export function logMOf(
  kernel: Kernel,
  { mu, q }: { readonly mu: number; readonly q: number },
  [cut, width]: readonly [number, number],
  c: number,
  bounded: 0 | 1 = 1,
): { readonly log: number; readonly error: number } {
  const law = { mu, rate: q, cut, width, depth: cut === Infinity ? 54 : 42 };
  const [log, error] = kernel.lawCumulants(law, Float64Array.of(c), bounded, Infinity).numbers;
  return { log, error };
}
