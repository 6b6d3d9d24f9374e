/**
 * Replaces the assembler's built-in memory in JavaScript: linear memory over one array of numbers. Addresses are bytes, as in WebAssembly; an offset
 * is a literal. The assembler does not read this file (scripts/lib/for-assembler.mjs).
 */

/** Bytes reserved for the static data of all modules, below the arena. */
const STATIC = 2 ** 19;

export let numbers = new Float64Array(0);
export let words = new Uint32Array(0);
/** First byte of static data not yet allocated. */
let top = 16;
/** Static data with initial contents, by address. */
const filled: (readonly [number, readonly number[]])[] = [];

/** Allocates static data, zero or with contents, as the assembler's function of this name. */
export const memory = {
  data<T extends number = f64>(contents: number | readonly T[], align: number): usize {
    const at = Math.ceil(top / align) * align;
    top = at + (typeof contents === 'number' ? contents : 8 * contents.length);
    if (typeof contents === 'number') return at;
    filled.push([at, contents]);
    // a module may be loaded after the memory was made
    if (numbers.length > 0) numbers.set(contents, at >> 3);
    return at;
  },
};

/** The memory in the shape of a WebAssembly.Memory, for the bindings. Made on first use. */
export const heap = {
  get buffer(): ArrayBuffer {
    if (numbers.length === 0) {
      resize(2 * STATIC);
      for (const [at, contents] of filled) numbers.set(contents, at >> 3);
    }
    return numbers.buffer;
  },
  /** @throws RangeError if the host has no more memory. */
  grow(pages: number): number {
    const before = heap.buffer.byteLength;
    resize(Math.max(before + 65536 * pages, Math.min(2 * before, before + 2 ** 26)));
    return before / 65536;
  },
};

function resize(bytes: number): void {
  const longer = new Float64Array(bytes / 8);
  longer.set(numbers);
  numbers = longer;
  words = new Uint32Array(longer.buffer);
}

/** First byte above the static data. */
export function heapBase(): usize {
  return STATIC;
}

export function load(p: usize, offset = 0): v128 {
  return numbers[(p + offset) >> 3];
}
export function store(p: usize, x: v128, offset = 0): void {
  numbers[(p + offset) >> 3] = x;
}
export function splat(p: usize, offset = 0): v128 {
  return numbers[(p + offset) >> 3];
}
export function loadF64(p: usize, offset = 0): f64 {
  return numbers[(p + offset) >> 3];
}
export function storeF64(p: usize, x: f64, offset = 0): void {
  numbers[(p + offset) >> 3] = x;
}
export function loadU32(p: usize, offset = 0): usize {
  return words[(p + offset) >> 2];
}
export function storeU32(p: usize, x: usize, offset = 0): void {
  words[(p + offset) >> 2] = x;
}
/** The number of the first row: the second lane does not exist. */
export function entry(first: usize, _second: usize, offset: number): v128 {
  return numbers[(first + offset) >> 3];
}
