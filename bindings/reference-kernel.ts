/** The Kernel in JavaScript: the kernel's own text, one lane wide, over an array of numbers. */
import { characteristicSums } from '../assembly/characteristic.js';
import { contourSums, contourSumsUniform } from '../assembly/contour-sums.js';
import { lossMesh } from '../assembly/loss-mesh.js';
import { heap, heapBase } from '../assembly/memory.js';
import { cumulantSums, modulusSums, pathPoints } from '../assembly/mesh-sums.js';
import { panelSums, pathSums } from '../assembly/path-line.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { composeCyclic, convolve } from '../src/reference/compose.js';
import { elementwiseReference } from '../src/reference/elementwise.js';
import { inverseRealFft, realFft } from '../src/reference/fft.js';
import { gdpReference } from '../src/reference/gdp-vector.js';
import { logMgf, suffixScan, tilt } from '../src/reference/scan.js';
import type { KernelExports, WasmContext } from './abi.js';
import { Arena } from './arena.js';
import { characteristicLine } from './characteristic.js';
import { contourWasm } from './contour.js';

const exports = {
  memory: heap,
  heapBase,
  characteristicSums,
  contourSums,
  contourSumsUniform,
  lossMesh,
  cumulantSums,
  modulusSums,
  pathPoints,
  panelSums,
  pathSums,
};

let kernel: Kernel | undefined;

/** The one of this thread: its memory is that of the modules. */
export function createReferenceKernel(): Kernel {
  kernel ??= make();
  return kernel;
}

function make(): Kernel {
  const context: WasmContext = {
    exports: exports as unknown as KernelExports,
    arena: new Arena(heap, heapBase()),
  };
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
    characteristicLine: (loss, weight, dTau, n, first) =>
      characteristicLine(context, loss, weight, dTau, n, first),
    ...contourWasm(context),
  };
}
