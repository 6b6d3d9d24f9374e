/** The whole ABI: bindings/abi.ts describes it. */

export { characteristicSums } from './characteristic';
export * from './compose';
export { contourSums, contourSumsUniform } from './contour-sums';
export * from './elementwise';
export * from './fft';
export * from './gdp';
export { muGdpLog } from './gdp-inverse';
export { lossMesh } from './loss-mesh';
export { cumulantSums, modulusSums, pathPoints } from './mesh-sums';
export { millsPointer } from './mills-table';
export { panelSums, pathSums } from './path-line';
export * from './twiddles';
export * from './scan';
export { tablesPointer } from './tables';

/** First byte above the static data: memory from here on belongs to the binding's arena. */
export function heapBase(): usize {
  return __heap_base;
}
