import type { Engine } from '../../engine.js';
import type { Adjacency } from '../adjacency.js';
import type { Accounted } from '../kind.js';
import type { Mechanism } from '../mechanism.js';

/** What a kind needs that accounts for whole runs of others: `account` hands itself over. */
export interface Accounting {
  readonly engine: Engine;
  readonly options: {
    readonly adjacency: Adjacency;
    readonly tolerance: number;
    readonly maxGridLength: number;
    readonly effort: number;
  };
  account(mechanism: Mechanism): Accounted;
}
