/** All functions that the kernel exports to its bindings. */

export { closeComposition, composePart, convolve } from './fft/compose.js';
export { elementwise } from './functions/elementwise.js';
export { transform } from './fft/fft.js';
export { normalIntervals, profile } from './functions/gdp.js';
export { muGdpLog } from './functions/gdp-inverse.js';
export { latticeMeasures } from './sums/lattice-cells.js';
export { mixtureMasses } from './law/mixture-masses.js';
export { mixtureOutputs } from './law/mixture-outputs.js';
export { runMeasure } from './question/measure.js';
export { runBracket } from './question/run.js';
export { lineAnswer, runMoment, sideDelta, sideGuess, sideLine } from './question/side.js';
export { openRun, roomFor, runEach } from './question/opened.js';
export * from './fft/twiddles.js';
export * from './functions/scan.js';
export { tablesPointer } from './lane/tables.js';
export { heapBase } from './lane/objects.js';
