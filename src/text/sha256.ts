/** SHA-256 (FIPS 180-4), for hosts that have none: pieces go in, the digest comes out in hexadecimal. */
export class Sha256 {
  readonly #state = Int32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );
  readonly #block = new Uint8Array(64);
  #length = 0;

  update(bytes: Uint8Array): this {
    for (const byte of bytes) this.#put(byte);
    return this;
  }

  /** The digest of all pieces, after which nothing is to be added. */
  hex(): string {
    const bits = BigInt(this.#length) * 8n;
    this.#put(0x80);
    while (this.#length % 64 !== 56) this.#put(0);
    for (let shift = 56n; shift >= 0n; shift -= 8n) this.#put(Number((bits >> shift) & 255n));
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #put(byte: number): void {
    this.#block[this.#length % 64] = byte;
    this.#length++;
    if (this.#length % 64 === 0) this.#round();
  }

  #round(): void {
    const view = new DataView(this.#block.buffer);
    const w = new Int32Array(64);
    for (let t = 0; t < 64; t++) {
      if (t < 16) w[t] = view.getInt32(4 * t);
      else {
        const [x, y] = [w[t - 15]!, w[t - 2]!];
        const small = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
        const large = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10);
        w[t] = w[t - 16]! + small + w[t - 7]! + large;
      }
    }
    let [a, b, c, d, e, f, g, h] = this.#state as unknown as number[] as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let t = 0; t < 64; t++) {
      const one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + K[t]! + w[t]!;
      const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      this.#state[i] = this.#state[i]! + word;
    });
  }
}

function turned(x: number, by: number): number {
  return (x >>> by) | (x << (32 - by));
}

/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
const K: Int32Array = Int32Array.from(primes(64), (p) => fraction(p));

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((p) => n % p !== 0)) found.push(n);
  return found;
}

/** floor(2³²·∛p) by whole numbers, without its whole part. */
function fraction(p: number): number {
  const wanted = BigInt(p) << 96n;
  let root = 0n;
  for (let bit = 34n; bit >= 0n; bit--) {
    const next = root | (1n << bit);
    if (next * next * next <= wanted) root = next;
  }
  return Number(BigInt.asIntN(32, root));
}
