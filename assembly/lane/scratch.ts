/** Working memory of one call: a stack below the arena, for functions whose results or intermediate numbers are several. */
import { memory } from './memory.js';

/** No function that borrows calls itself, and the deepest chain of callers takes less than half of these bytes: nothing has to check the end. */
const BOTTOM: usize = memory.data(65536, 16);
let top: usize = BOTTOM;

/** Takes `bytes`, a multiple of 16, contents undefined. */
export function borrow(bytes: usize): usize {
  const place = top;
  top = place + bytes;
  return place;
}

/** Gives back what was borrowed from `place` on. */
export function giveBack(place: usize): void {
  top = place;
}

/** Gives all back: each question begins with it, as one that trapped leaves its memory borrowed. */
export function clearScratch(): void {
  top = BOTTOM;
}
