import { type Adjacency, account as accountOf, type Mechanism } from '../../src/index.js';
import { wasm } from './runs.js';

export { wasm } from './runs.js';

/** A run to certify: narrow enough that a moved bracket is a wrong one. */
export function account(mechanism: Mechanism, adjacency: Adjacency = 'add-remove') {
  return accountOf(wasm, mechanism, { adjacency, tolerance: 1e-6 });
}
