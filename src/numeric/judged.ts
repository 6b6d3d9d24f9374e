import type { LimitedBy } from './limited-by.js';
import { apart, noteLimited } from './meter.js';

/** Widths of an answer that those of the δ's behind it are no cause of, in times theirs. */
const FAR = 10;

/**
 * An answer and what bounds it, which the open question is told: nothing of one that reaches what was asked, however it was found.
 *
 * @param open How wide it is.
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
