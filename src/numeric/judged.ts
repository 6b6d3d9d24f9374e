import type { LimitedBy } from './limited-by.js';
import { apart, noteLimited } from './meter.js';

/** An answer and what bounds it, which the open question is told: nothing of one that reaches what was asked, however it was found. */
export function judged<T>(
  ask: () => T,
  reached: (found: T) => boolean,
): { readonly found: T; readonly limitedBy: LimitedBy } {
  const { value: found, limited } = apart(ask);
  if (reached(found)) return { found, limitedBy: 'tolerance' };
  if (limited) noteLimited();
  else noteLimited('theory');
  return { found, limitedBy: limited ? 'effort' : 'theory' };
}
