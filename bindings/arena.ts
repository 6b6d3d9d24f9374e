import { InputRangeError } from '../src/errors.js';

/** Linear memory: a WebAssembly module's, or the array of assembly/lane/memory.ts. */
export interface Memory {
  readonly buffer: ArrayBuffer;
  /** Extends it by at least this number of pages of 64 KiB. */
  grow(pages: number): number;
}

/**
 * Bump allocator of the memory above the module's static data. Every call of the kernel takes what it needs, and `reset` frees all of it. `keep`
 * takes memory for good (twiddle tables), and may only be called while nothing else is allocated. A view of all the memory is kept, and made anew
 * when growth detaches it.
 */
export class Arena {
  private base: number;
  private top: number;
  private heap: Float64Array;

  /** @param heapBase Address of the first byte above the module's static data. */
  constructor(
    private readonly memory: Memory,
    heapBase: number,
  ) {
    this.base = 16 * Math.ceil(heapBase / 16);
    this.top = this.base;
    this.heap = new Float64Array(memory.buffer);
  }

  /** The address of new memory for `count` float64, 16-byte aligned, contents undefined. */
  alloc(count: number): number {
    const pointer = this.top;
    const end = pointer + 16 * Math.ceil(count / 2);
    if (end > 8 * this.heap.length) this.grow(end - 8 * this.heap.length);
    this.top = end;
    return pointer;
  }

  /** A view of `count` float64 at `pointer`, valid until the next allocation. */
  f64(pointer: number, count: number): Float64Array {
    return new Float64Array(this.heap.buffer, pointer, count);
  }

  /** The address of a copy of `values` in memory for `room` numbers, padded with zeros to the end, and to an even length. */
  copyIn(values: Float64Array, room: number = values.length): number {
    const pointer = this.alloc(room);
    const start = pointer / 8;
    this.heap.set(values, start);
    const end = room + (room & 1);
    if (end > values.length) this.heap.fill(0, start + values.length, start + end);
    return pointer;
  }

  /** Copies `out.length` float64 from `pointer` to `out`. */
  copyOut(pointer: number, out: Float64Array): Float64Array {
    out.set(new Float64Array(this.heap.buffer, pointer, out.length));
    return out;
  }

  write(pointer: number, values: Float64Array): void {
    this.heap.set(values, pointer / 8);
  }

  /** Frees everything but what `keep` took. */
  reset(): void {
    this.top = this.base;
  }

  /** The address of memory for `count` float64 that `reset` does not free. */
  keep(count: number): number {
    if (this.top !== this.base) throw new Error('Arena.keep: called while temporary memory is in use');
    const pointer = this.alloc(count);
    this.base = this.top;
    return pointer;
  }

  /**
   * Extends the memory by at least so many bytes, in pages of 64 KiB.
   * @throws RangeError if the host refuses.
   */
  private grow(bytes: number): void {
    const pages = Math.ceil(bytes / 65536);
    try {
      this.memory.grow(pages);
      this.heap = new Float64Array(this.memory.buffer);
    } catch {
      const have = this.heap.byteLength / 2 ** 20;
      throw new InputRangeError(
        `WebAssembly memory must grow by ${pages / 16} MiB to hold this input; it has ${have} MiB and was refused more`,
      );
    }
  }
}
