import { requireFields, requireWhole } from '../errors.js';

/** Part `index` of `count`, counted from 0 as job arrays do. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  /** ≥ 1. */
  readonly count: number;
}

/** The number of combinations, of `size`, in a shard. They are index, index + count, index + 2·count, …, so that shards cost about the same. */
export function shardSize(size: number, { index, count }: Shard): number {
  return Math.max(0, Math.ceil((size - index) / count));
}

/** The combination at `position` of a shard. */
export function shardAt({ index, count }: Shard, position: number): number {
  return index + position * count;
}

/** @throws TypeError | RangeError unless 0 ≤ index < count ≤ 1e6, both whole. */
export function requireShard(shard: Shard): Shard {
  requireFields('shard', shard, ['index', 'count']);
  const count = requireWhole('shard.count', shard.count, 1, 1e6);
  return { index: requireWhole('shard.index', shard.index, 0, count - 1), count };
}
