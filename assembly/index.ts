/** The whole ABI: bindings/abi.ts describes it. */

export { characteristicSums } from './characteristic.js';
export * from './compose.js';
export { contourSumsUniform } from './contour-sums.js';
export * from './elementwise.js';
export * from './fft.js';
export { deltaGdp, logDeltaGdp, normalIntervals, oneMinusDeltaGdp } from './gdp.js';
export { muGdpLog } from './gdp-inverse.js';
export { lossMesh } from './loss-mesh.js';
export { cumulantSums, modulusSums } from './mesh-sums.js';
export { millsPointer } from './mills-table.js';
export { pathSums } from './path-line.js';
export * from './twiddles.js';
export * from './scan.js';
export { tablesPointer } from './tables.js';
export { heapBase } from './lanes.js';
