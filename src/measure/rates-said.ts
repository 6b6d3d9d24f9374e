import type { RatesInWindow } from './measurement.js';

/** What is said after a window that holds none of a run's pairs of error rates. */
export const RATES_SAID: Readonly<Record<RatesInWindow, string>> = {
  some: '',
  none: '; the best attacks on this run err less often',
  unknown: '; the best attacks on this run may err less often',
};
