/**
 * Bump allocator over the memory above the module's static data: every call of the kernel takes what it
 * needs and `reset` gives it all back. `keep` takes memory for good (twiddle tables) and is only called
 * while nothing else is allocated. Views are made anew for every copy, because growth detaches them.
 */
export class Arena {
  private base: number;
  private top: number;

  constructor(
    private readonly memory: WebAssembly.Memory,
    heapBase: number,
  ) {
    this.base = align(heapBase);
    this.top = this.base;
  }

  /** Address of `bytes` bytes, 16-byte aligned, contents undefined. */
  alloc(bytes: number): number {
    const pointer = this.top;
    const end = align(pointer + bytes);
    const size = this.memory.buffer.byteLength;
    if (end > size) this.grow(end - size);
    this.top = end;
    return pointer;
  }

  /** Address of room for `count` float64. */
  allocF64(count: number): number {
    return this.alloc(8 * count);
  }

  /** A view of `count` float64 at `pointer`, valid until the next allocation. */
  f64(pointer: number, count: number): Float64Array {
    return new Float64Array(this.memory.buffer, pointer, count);
  }

  /** A copy of `values`, padded with one zero if their number is odd. */
  copyIn(values: Float64Array, room: number = values.length): number {
    const pointer = this.allocF64(room);
    const view = this.f64(pointer, room + (room & 1));
    view.set(values);
    view.fill(0, values.length);
    return pointer;
  }

  /** Copies `out.length` float64 from `pointer` to `out`. */
  copyOut(pointer: number, out: Float64Array): Float64Array {
    out.set(this.f64(pointer, out.length));
    return out;
  }

  /** Overwrites memory at `pointer`. */
  write(pointer: number, values: Float64Array): void {
    this.f64(pointer, values.length).set(values);
  }

  /** Frees everything but what was kept. */
  reset(): void {
    this.top = this.base;
  }

  /** Room for `count` float64 that `reset` leaves alone. */
  keep(count: number): number {
    if (this.top !== this.base) throw new Error('Arena.keep: called while temporary memory is in use');
    const pointer = this.allocF64(count);
    this.base = this.top;
    return pointer;
  }

  private grow(bytes: number): void {
    const pages = Math.ceil(bytes / 65536);
    try {
      this.memory.grow(pages);
    } catch {
      const have = this.memory.buffer.byteLength / 2 ** 20;
      throw new RangeError(
        `WebAssembly memory must grow by ${pages / 16} MiB to hold this input; it has ${have} MiB and was refused more`,
      );
    }
  }
}

function align(address: number): number {
  return Math.ceil(address / 16) * 16;
}
