/**
 * LZMA, as Igor Pavlov's specification has it, with 3 bits of the byte before as context: what the build makes of the page's script.
 * A probability is that of a 0, in 2048ths; its places in `chances` are those below.
 */
const [MATCH, REP, REP_1, REP_2, REP_3, REP_LONG, SLOTS, NEAR, ALIGN, LENGTH, REP_LENGTH, BYTES] = [
  0, 192, 204, 216, 228, 240, 432, 687, 802, 818, 1332, 1846,
];
const HEAD = 13;

class Bits {
  private readonly chances = new Uint16Array(BYTES + (0x300 << 3)).fill(1024);
  private range = 0xffffffff;
  private code: number;
  private at = HEAD + 5;

  constructor(private readonly packed: Uint8Array) {
    this.code = new DataView(packed.buffer).getUint32(HEAD + 1);
  }

  private refill(): void {
    if (this.range >= 1 << 24) return;
    this.range = (this.range << 8) >>> 0;
    this.code = ((this.code << 8) | this.packed[this.at++]) >>> 0;
  }

  bit(place: number): number {
    const chance = this.chances[place];
    const bound = (this.range >>> 11) * chance;
    const one = this.code >= bound;
    if (one) {
      this.code -= bound;
      this.range -= bound;
      this.chances[place] = chance - (chance >> 5);
    } else {
      this.range = bound;
      this.chances[place] = chance + ((2048 - chance) >> 5);
    }
    this.refill();
    return one ? 1 : 0;
  }

  /** A number of `count` bits, the highest first. */
  tree(place: number, count: number): number {
    let read = 1;
    for (let i = 0; i < count; i++) read = 2 * read + this.bit(place + read);
    return read - (1 << count);
  }

  /** A number of `count` bits, the lowest first. */
  lowFirst(place: number, count: number): number {
    let [read, value] = [1, 0];
    for (let i = 0; i < count; i++) {
      const bit = this.bit(place + read);
      read = 2 * read + bit;
      value |= bit << i;
    }
    return value;
  }

  /** A number of `count` bits as likely 0 as 1. */
  even(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) {
      this.range >>>= 1;
      const one = this.code >= this.range;
      if (one) this.code -= this.range;
      value = 2 * value + (one ? 1 : 0);
      this.refill();
    }
    return value;
  }

  /** A length less 2. */
  length(place: number, phase: number): number {
    if (this.bit(place) === 0) return this.tree(place + 2 + 8 * phase, 3);
    if (this.bit(place + 1) === 0) return 8 + this.tree(place + 130 + 8 * phase, 3);
    return 16 + this.tree(place + 258, 8);
  }

  /** How far back a match of this length less 2 begins, less 1. */
  distance(length: number): number {
    const slot = this.tree(SLOTS + 64 * Math.min(length, 3), 6);
    if (slot < 4) return slot;
    const count = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) << count;
    if (slot < 14) return base + this.lowFirst(NEAR + base - slot, count);
    return base + 16 * this.even(count - 4) + this.lowFirst(ALIGN, 4);
  }

  /** A byte after `before`, and after a match where `matched` (the byte that would have gone on with it) is no less than 0. */
  byte(before: number, matched: number): number {
    const place = BYTES + 0x300 * (before >> 5);
    let read = 1;
    for (let shift = 7; matched >= 0 && read < 0x100; shift--) {
      const likely = (matched >> shift) & 1;
      const bit = this.bit(place + ((1 + likely) << 8) + read);
      read = 2 * read + bit;
      if (bit !== likely) break;
    }
    while (read < 0x100) read = 2 * read + this.bit(place + read);
    return read;
  }
}

/** The bytes of a .lzma file of lc = 3, lp = 0, pb = 2 that tells its size. */
export function unpacked(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  const size = new DataView(packed.buffer).getUint32(5, true);
  const out = new Uint8Array(size);
  const bits = new Bits(packed);
  // the last distances, less 1, the latest first
  let back = [0, 0, 0, 0];
  for (let at = 0, state = 0; at < size; ) {
    const phase = at & 3;
    if (bits.bit(MATCH + 16 * state + phase) === 0) {
      out[at] = bits.byte(at === 0 ? 0 : out[at - 1], state < 7 ? -1 : out[at - back[0] - 1]);
      at += 1;
      state = state < 4 ? 0 : state - (state < 10 ? 3 : 6);
      continue;
    }
    let length = 1;
    if (bits.bit(REP + state) === 0) {
      length = 2 + bits.length(LENGTH, phase);
      back = [bits.distance(length - 2), ...back.slice(0, 3)];
      state = state < 7 ? 7 : 10;
    } else {
      let again = 0;
      if (bits.bit(REP_1 + state) === 1)
        again = bits.bit(REP_2 + state) === 0 ? 1 : 2 + bits.bit(REP_3 + state);
      const short = again === 0 && bits.bit(REP_LONG + 16 * state + phase) === 0;
      back.unshift(...back.splice(again, 1));
      if (!short) length = 2 + bits.length(REP_LENGTH, phase);
      state = state < 7 ? (short ? 9 : 8) : 11;
    }
    for (const end = at + length; at < end; at++) out[at] = out[at - back[0] - 1];
  }
  return out;
}
