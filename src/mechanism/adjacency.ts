import { requireOneOf } from '../errors.js';

/**
 * Which data sets are neighbours: they differ in one record, which is added or removed ('add-remove'), replaced by another one ('replace-one'), or
 * zeroed out ('zero-out'). A record that is zeroed out is still drawn and counted, but contributes nothing.
 */
export type Adjacency = 'add-remove' | 'replace-one' | 'zero-out';

export const ADJACENCIES: readonly Adjacency[] = ['add-remove', 'replace-one', 'zero-out'];

export function requireAdjacency(value: unknown): Adjacency {
  return requireOneOf('adjacency', value, ADJACENCIES);
}
