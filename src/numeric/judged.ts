import type { LimitedBy } from './limited-by.js';
import { apart, noteLimited } from './meter.js';

/** An answer more than this factor wider than what a longer FFT might gain in δ owes its width to something else. */
const FAR = 10;

/**
 * An answer, and what limits its width, which is recorded for the open question unless the answer is as narrow as `tolerance`.
 *
 * @param open The width of an answer.
 */
export function judged<T>(
  ask: () => T,
  tolerance: number,
  open: (found: T) => number,
): { readonly found: T; readonly limitedBy: LimitedBy } {
  const { value: found, limited, short } = apart(ask);
  const width = open(found);
  if (width <= tolerance) return { found, limitedBy: 'tolerance' };
  const limitedBy = limited || width <= FAR * short ? 'effort' : 'theory';
  noteLimited(limitedBy);
  return { found, limitedBy };
}
