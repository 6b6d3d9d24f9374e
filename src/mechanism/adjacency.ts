import { requireOneOf } from '../errors.js';

/** Which neighbouring data sets the guarantee is about. */
export type Adjacency = 'add-remove' | 'replace-one';

export const ADJACENCIES: readonly Adjacency[] = ['add-remove', 'replace-one'];

export function requireAdjacency(value: unknown): Adjacency {
  return requireOneOf('adjacency', value, ADJACENCIES);
}
