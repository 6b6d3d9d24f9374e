import { requireOneOf } from '../errors.js';

/**
 * Which neighbouring data sets the guarantee is about: one record added or removed, one replaced by another, or one zeroed out. A
 * record that is zeroed out is still drawn and counted, but contributes nothing.
 */
export type Adjacency = 'add-remove' | 'replace-one' | 'zero-out';

export const ADJACENCIES: readonly Adjacency[] = ['add-remove', 'replace-one', 'zero-out'];

export function requireAdjacency(value: unknown): Adjacency {
  return requireOneOf('adjacency', value, ADJACENCIES);
}
