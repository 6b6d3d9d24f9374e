/** All functions that the kernel exports to its hosts: bindings/abi.ts describes them. */

export * from './fft/compose.js';
export * from './sums/contour-sums.js';
export * from './sums/contour-weights.js';
export * from './functions/elementwise.js';
export * from './fft/fft.js';
export * from './functions/gdp.js';
export { muGdpLog } from './functions/gdp-inverse.js';
export { logarithms } from './sums/log-phi.js';
export { latticeMeasures } from './sums/lattice-cells.js';
export { mixtureMasses } from './law/mixture-masses.js';
export { mixtureOutputs } from './law/mixture-outputs.js';
export { runMeasure, runMu } from './question/measure.js';
export { runDelta, runEpsilon } from './question/run.js';
export * from './question/law-calls.js';
export { openedRun, openRun, roomFor, runDeltas, runPowers } from './question/opened.js';
export * from './fft/twiddles.js';
export {
  cosPiOf,
  deltaGdpOf,
  expm1Of,
  expOf,
  log1pOf,
  logDeltaGdpOf,
  logNormalCdfOf,
  logOf,
  muGdpLogOf,
  muGdpOf,
  normalQuantileLogOf,
  oneMinusDeltaGdpOf,
  sinPiOf,
} from './functions/scalar.js';
export * from './functions/scan.js';
export { tablesPointer } from './lane/tables.js';
export { heapBase } from './lane/objects.js';
