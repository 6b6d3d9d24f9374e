/** Sweeps: grids of configurations, answered row by row by a pool of workers. */
export { parseSweepGrid, type SweepAxis, type SweepGrid } from './grid.js';
export { inlinePool, type SweepPool } from './pool.js';
export { type SweepCell, type SweepColumn, type SweepRow, sweepColumns } from './rows.js';
export type { Shard } from './shard.js';
export { type SweepOptions, sweep } from './sweep.js';
export { webWorkerPool } from './web-pool.js';
