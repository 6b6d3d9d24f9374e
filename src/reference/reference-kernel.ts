/** The Kernel in plain TypeScript. */
import type { Kernel } from '../kernel/kernel.js';
import { characteristicLine } from './characteristic.js';
import { composeCyclic, convolve } from './compose.js';
import { contourSums, contourSumsUniform } from './contour-sums.js';
import { elementwiseReference } from './elementwise.js';
import { inverseRealFft, realFft } from './fft.js';
import { gdpReference } from './gdp-vector.js';
import { lossMesh } from './loss-mesh.js';
import { cumulantSums, modulusSums, pathPoints } from './mesh-sums.js';
import { pathLine, pathPanels } from './path-line.js';
import { logMgf, suffixScan, tilt } from './scan.js';

export function createReferenceKernel(): Kernel {
  return {
    name: 'reference',
    ...elementwiseReference,
    ...gdpReference,
    realFft,
    inverseRealFft,
    convolve,
    composeCyclic,
    logMgf,
    tilt,
    suffixScan,
    characteristicLine,
    pathLine,
    lossMesh,
    contourSums,
    contourSumsUniform,
    cumulantSums,
    modulusSums,
    pathPoints,
    pathPanels,
  };
}
