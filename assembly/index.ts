/** All functions that the kernel exports to its hosts: bindings/abi.ts describes them. */

export * from './compose.js';
export * from './contour-sums.js';
export * from './contour-weights.js';
export * from './elementwise.js';
export * from './fft.js';
export * from './gdp.js';
export { muGdpLog } from './gdp-inverse.js';
export { logarithms } from './log-phi.js';
export { latticeMeasures } from './lattice-cells.js';
export { mixtureMasses } from './mixture-masses.js';
export { mixtureOutputs } from './mixture-outputs.js';
export { runMeasure, runMu } from './measure.js';
export { runDelta, runEpsilon } from './run.js';
export * from './law-calls.js';
export { openedRun, openRun, roomFor, runDeltas, runPowers } from './opened.js';
export * from './twiddles.js';
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
} from './scalar.js';
export * from './scan.js';
export { tablesPointer } from './tables.js';
export { heapBase } from './objects.js';
