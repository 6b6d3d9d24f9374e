/** The whole ABI: bindings/abi.ts describes it. */

export * from './beyond.js';
export * from './compose.js';
export * from './contour-sums.js';
export * from './contour-weights.js';
export * from './decay.js';
export * from './elementwise.js';
export * from './fft.js';
export * from './gdp.js';
export { muGdpLog } from './gdp-inverse.js';
export { innerSums } from './inner-sums.js';
export * from './log-phi.js';
export { axisMesh, turnedLosses } from './loss-mesh.js';
export * from './mesh-sums.js';
export * from './part-line.js';
export * from './path-terms.js';
export { runDelta, runEpsilon } from './run.js';
export { rayValues } from './ray-values.js';
export { seriesPower } from './series-power.js';
export * from './strips.js';
export * from './tilted-cells.js';
export * from './twiddles.js';
export * from './scalar.js';
export * from './scan.js';
export { tablesPointer } from './tables.js';
export * from './turning.js';
export * from './windows.js';
export { heapBase } from './objects.js';
