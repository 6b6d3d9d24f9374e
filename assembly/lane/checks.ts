/** Assertions about addresses. Only the debug build has them: the release build drops every assertion. */
import { heapBase } from './objects.js';

/** Asserts that n doubles from an address on lie above the static data and within the memory. */
/* @inline */ export function requireBlock(address: usize, n: usize): void {
  assert((address & 15) === 0, 'an address is not a multiple of 16');
  assert(address >= heapBase(), 'a block begins below the arena');
  assert(address + (n << 3) <= (<usize>memory.size()) << 16, 'a block ends outside the memory');
}

/** Asserts that n doubles from an address on lie within the memory. They may be in the static data, where the kernel's own questions keep a few. */
/* @inline */ export function requireNumbers(address: usize, n: usize): void {
  assert((address & 15) === 0, 'an address is not a multiple of 16');
  assert(address > 0, 'numbers stand nowhere');
  assert(address + (n << 3) <= (<usize>memory.size()) << 16, 'numbers end outside the memory');
}

/** Asserts that input and output of an element-wise loop lie within the memory. */
/* @inline */ export function requireLoop(x: usize, out: usize, n: usize): void {
  assert((n & 7) === 0, 'the length of a loop is not a multiple of 8');
  requireBlock(x, n);
  requireBlock(out, n);
}

/** Asserts that a double lies in the static data, among constants and tables. */
/* @inline */ export function requireStatic(address: usize): void {
  assert(address + 8 <= __heap_base, 'a constant or table entry is read outside the static data');
}
