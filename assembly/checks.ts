/** Checks of addresses. They are in the debug build alone: the release build drops every assertion. */
import { heapBase } from './objects.js';

/** n float64 at an address stand above the static data and within the memory. */
/* @inline */ export function requireBlock(address: usize, n: usize): void {
  assert((address & 15) === 0, 'an address is not a multiple of 16');
  assert(address >= heapBase(), 'a block begins below the arena');
  assert(address + (n << 3) <= (<usize>memory.size()) << 16, 'a block ends outside the memory');
}

/** n float64 at an address stand within the memory: in the arena, or in the static data, where the kernel's own questions keep a few. */
/* @inline */ export function requireNumbers(address: usize, n: usize): void {
  assert((address & 15) === 0, 'an address is not a multiple of 16');
  assert(address > 0, 'numbers stand nowhere');
  assert(address + (n << 3) <= (<usize>memory.size()) << 16, 'numbers end outside the memory');
}

/** The arguments of an element-wise loop. */
/* @inline */ export function requireLoop(x: usize, out: usize, n: usize): void {
  assert((n & 7) === 0, 'the length of a loop is not a multiple of 8');
  requireBlock(x, n);
  requireBlock(out, n);
}

/** A float64 at an address stands in the static data: constants and tables. */
/* @inline */ export function requireStatic(address: usize): void {
  assert(address + 8 <= __heap_base, 'a constant or table entry is read outside the static data');
}
