/** Sweeps: grids of configurations, answered row by row by a pool of workers. */
export type { SweepCell, SweepColumn, SweepRow } from './columns.js';
export { parseSweepGrid, type SweepAxis, type SweepGrid } from './grid.js';
export { inlinePool, type SweepPool } from './pool.js';
export { sweepColumns } from './rows.js';
export type { Shard } from './shard.js';
export { type SweepOptions, sweep } from './sweep.js';
export { type PageWorker, webWorkerPool } from './web-pool.js';
