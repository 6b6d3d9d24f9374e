import type { LimitedBy } from './limited-by.js';
import { apart, noteLimited } from './meter.js';

/** If an answer is more than this factor wider than the δ's behind it, they did not cause its width. */
const FAR = 10;

/**
 * Records for the open question what limits an answer; nothing if it reached the tolerance.
 *
 * @param open Its width.
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
