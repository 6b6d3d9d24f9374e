import { windowedLaw } from './step-laws.js';
import type { EndedWindow } from './step-windows.js';

/** All outputs. */
export const EVERYTHING: EndedWindow = { from: -Infinity, to: Infinity, width: Infinity };

/** log M of one step, its integrals good to about e^{−depth}, and its error; to a few digits where it is not bounded. */
export function logMOf(
  { mu, q }: { readonly mu: number; readonly q: number },
  window: readonly [cut: number, width: number],
  c: number,
  bounded: 0 | 1 = 1,
): { readonly log: number; readonly error: number } {
  const law = windowedLaw({ mu, rate: q }, window, window[0] === Infinity ? 54 : 42);
  if (bounded === 0) return { log: law.approximate(c).value, error: 0 };
  const { value, error } = law.cumulant(c);
  return { log: value, error };
}
