/**
 * The static regions that receive the tables of src/kernel/mills-table.ts from the binding: RATIO (64 rows of
 * 8 float64), then DIVIDED (32 rows of 16).
 */

import { memory } from './memory.js';
const BYTES = 4096;
export const RATIO: usize = memory.data(8192, 16);
export const DIVIDED: usize = RATIO + BYTES;

/** Where the binding writes RATIO and, right after it, DIVIDED. */
export function millsPointer(): usize {
  return RATIO;
}
