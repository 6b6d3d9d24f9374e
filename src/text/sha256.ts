/** The SHA-256 of a text with one byte per letter, in hexadecimal. */
export function sha256(text: string): string {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new Sha256().update(bytes).hex();
}

/** SHA-256 (FIPS 180-4), for hosts without one. Data are added in pieces; `hex` returns the digest. */
export class Sha256 {
  private readonly state = Int32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );
  private readonly block = new Uint8Array(64);
  private length = 0;

  update(bytes: Uint8Array): this {
    for (let at = 0; at < bytes.length; ) {
      const filled = this.length % 64;
      const piece = bytes.subarray(at, at + 64 - filled);
      this.block.set(piece, filled);
      at += piece.length;
      this.length += piece.length;
      if (this.length % 64 === 0) this.round();
    }
    return this;
  }

  /** The digest of all pieces; nothing may be added after it. */
  hex(): string {
    const bits = 8 * this.length;
    this.update(Uint8Array.of(0x80));
    this.update(new Uint8Array((120 - (this.length % 64)) % 64));
    const tail = new DataView(new ArrayBuffer(8));
    tail.setUint32(0, bits / 2 ** 32);
    tail.setUint32(4, bits);
    this.update(new Uint8Array(tail.buffer));
    return Array.from(this.state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  /** The rounds of one block. All is in one function: in an interpreter, calls would take longer than the arithmetic. */
  private round(): void {
    const { block, state } = this;
    for (let t = 0; t < 16; t++) {
      const i = 4 * t;
      W[t] = (block[i]! << 24) | (block[i + 1]! << 16) | (block[i + 2]! << 8) | block[i + 3]!;
    }
    for (let t = 16; t < 64; t++) {
      const x = W[t - 15]!;
      const y = W[t - 2]!;
      const small = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const large = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      W[t] = W[t - 16]! + small + W[t - 7]! + large;
    }
    let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
    let [e, f, g, h] = [state[4]!, state[5]!, state[6]!, state[7]!];
    for (let t = 0; t < 64; t++) {
      const large = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const one = h + large + ((e & f) ^ (~e & g)) + K[t]! + W[t]!;
      const small = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const two = small + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i]! += word;
  }
}

/** The message schedule of the block being hashed. */
const W = new Int32Array(64);

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K: Int32Array = Int32Array.from(primes(64), (p) => fraction(p));

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((p) => n % p !== 0)) found.push(n);
  return found;
}

/** The first 32 bits of the fractional part of ∛p, by integer arithmetic. */
function fraction(p: number): number {
  const wanted = BigInt(p) << 96n;
  let root = 0n;
  for (let bit = 34n; bit >= 0n; bit--) {
    const next = root | (1n << bit);
    if (next * next * next <= wanted) root = next;
  }
  return Number(BigInt.asIntN(32, root));
}
