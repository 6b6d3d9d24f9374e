/** The Kernel over one instance: memory and functions of WebAssembly or of JavaScript. */
import type { Kernel } from '../src/kernel/kernel.js';
import type { WasmContext } from './abi.js';
import { characteristicLine } from './characteristic.js';
import { contourWasm } from './contour.js';
import { elementwiseWasm } from './elementwise.js';
import { gdpWasm } from './gdp.js';
import { composeCyclic, convolve, inverseRealFft, logMgf, realFft, suffixScan, tilt } from './transforms.js';

/** The methods over one instance of the kernel, whichever compiler made it. */
export function kernelOver(name: Kernel['name'], context: WasmContext): Kernel {
  return {
    name,
    ...elementwiseWasm(context),
    ...gdpWasm(context),
    realFft: (x, out) => realFft(context, x, out),
    inverseRealFft: (spectrum, out) => inverseRealFft(context, spectrum, out),
    convolve: (a, b, out) => convolve(context, a, b, out),
    composeCyclic: (parts) => composeCyclic(context, parts),
    logMgf: (p, first, step, lambda) => logMgf(context, p, first, step, lambda),
    tilt: (p, first, step, theta, shift, out) => tilt(context, p, first, step, theta, shift, out),
    characteristicLine: (loss, weight, dTau, n, first) =>
      characteristicLine(context, loss, weight, dTau, n, first),
    ...contourWasm(context),
    suffixScan: (tilted, theta, step, out) => suffixScan(context, tilted, theta, step, out),
  };
}
