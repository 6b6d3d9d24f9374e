/** Writes pickles an operation at a time, for those that no pickler would write. */
export class PickleWriter {
  private readonly parts: number[] = [];

  constructor(protocol?: number) {
    if (protocol !== undefined) this.raw(0x80, protocol);
  }

  raw(...bytes: number[]): this {
    for (const byte of bytes) this.parts.push(byte);
    return this;
  }

  /** Operations by their letters, as pickletools prints them. */
  op(letters: string): this {
    return this.raw(...[...letters].map((letter) => letter.charCodeAt(0)));
  }

  line(text: string): this {
    return this.raw(...new TextEncoder().encode(`${text}\n`));
  }

  global(module: string, name: string): this {
    return this.op('c').line(module).line(name);
  }

  string(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.op('X')
      .uint32(bytes.length)
      .raw(...bytes);
  }

  float(x: number): this {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, x);
    return this.op('G').raw(...new Uint8Array(view.buffer));
  }

  int(x: number): this {
    return this.op('J').uint32(x);
  }

  uint32(x: number): this {
    return this.raw(x & 255, (x >>> 8) & 255, (x >>> 16) & 255, x >>> 24);
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.parts);
  }
}
