/** Lists of the numbers of a block that need something else than the rest, without a branch for each. */

/** For every set of four numbers, the offsets of its members. */
// prettier-ignore
const MEMBERS: usize = memory.data<u32>([
  0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 8, 0, 0,
  16, 0, 0, 0, 0, 16, 0, 0, 8, 16, 0, 0, 0, 8, 16, 0,
  24, 0, 0, 0, 0, 24, 0, 0, 8, 24, 0, 0, 0, 8, 24, 0,
  16, 24, 0, 0, 0, 16, 24, 0, 8, 16, 24, 0, 0, 8, 16, 24,
], 16);

/** Appends to the u32 list that ends at `to` the offsets i … i + 24 of the lanes of a, then b, whose highest bit is set. Returns its end; writes 16 bytes. */
// @ts-expect-error: decorator
@inline export function listMembers(a: v128, b: v128, i: usize, to: usize): usize {
  const set = <usize>i32x4.bitmask(i32x4.shuffle(a, b, 1, 3, 5, 7));
  v128.store(to, i32x4.add(v128.load(MEMBERS + (set << 4)), i32x4.splat(<i32>i)));
  return to + (popcnt(set) << 2);
}
