import type { LimitedBy } from './limited-by.js';
import { apart, noteLimited } from './meter.js';

/** An answer that is wider than this many times what a longer FFT might gain is not limited by the length of the FFT. */
const FAR = 10;

/**
 * The answer of `ask`, and what limits its width: 'tolerance' if it is at most that wide, else 'effort' or 'theory'. The latter two are noted for the
 * open question.
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
