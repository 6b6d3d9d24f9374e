/**
 * A seeded pseudo-random order of 0 … n−1 that needs no memory: a balanced Feistel network of six rounds on
 * the smallest even number of bits that holds n, walked until it comes back into range.
 *
 * @param n At most 2³⁰.
 */
export function shuffledOrder(n: number, seed: number): (index: number) => number {
  let half = 1;
  while (4 ** half < n) half++;
  const mask = 2 ** half - 1;
  const keys = Array.from({ length: 6 }, (_, round) => scramble(seed ^ Math.imul(round + 1, 0x9e3779b9)));
  return (index) => {
    let x = index;
    do {
      let left = x >>> half;
      let right = x & mask;
      for (const key of keys) {
        const next = left ^ (scramble(right ^ key) & mask);
        left = right;
        right = next;
      }
      x = left * (mask + 1) + right;
    } while (x >= n);
    return x;
  };
}

/** The finaliser of MurmurHash3 (A. Appleby, public domain). */
function scramble(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
