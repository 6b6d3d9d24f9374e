/** The Kernel over WebAssembly. */
import type { Kernel } from '../src/kernel/kernel.js';
import type { WasmContext } from './abi.js';
import { characteristicLine } from './characteristic.js';
import { contourWasm } from './contour.js';
import { elementwiseWasm } from './elementwise.js';
import { gdpWasm } from './gdp.js';
import { KERNEL_WASM_HEX } from './generated/kernel-wasm.js';
import { instantiate, instantiateSync, requireModule } from './instantiate.js';
import { composeCyclic, convolve, inverseRealFft, logMgf, realFft, suffixScan, tilt } from './transforms.js';

/**
 * Compiles the embedded module, or takes `module`, a compiled gdp-kernel/kernel.wasm.
 *
 * @throws TypeError if `module` is something else or of another build; whatever WebAssembly throws where it may not run.
 */
export async function createWasmKernel(module?: object): Promise<Kernel> {
  return kernelOver(await instantiate(module === undefined ? KERNEL_WASM_HEX : requireModule(module)));
}

/** As `createWasmKernel`, at once; a browser's main thread may refuse to compile this way. */
export function createWasmKernelSync(module?: object): Kernel {
  return kernelOver(instantiateSync(module === undefined ? KERNEL_WASM_HEX : requireModule(module)));
}

/** The methods over one instance. */
export function kernelOver(context: WasmContext): Kernel {
  return {
    name: 'wasm',
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
