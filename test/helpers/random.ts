/** Seeded uniform numbers in [0, 1) with 32 bits (mulberry32, T. Ettinger, public domain). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `length` values of `f(random, index)`. */
export function sample(
  seed: number,
  length: number,
  f: (random: () => number, index: number) => number,
): Float64Array {
  const random = seeded(seed);
  return Float64Array.from({ length }, (_, index) => f(random, index));
}

/** A distribution on `length` points with masses spread over `decades` powers of ten. */
export function distribution(seed: number, length: number, decades = 3): Float64Array {
  const p = sample(seed, length, (random) => 10 ** (-decades * random()));
  const total = p.reduce((sum, value) => sum + value, 0);
  return p.map((value) => value / total);
}
