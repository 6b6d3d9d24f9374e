/** The Kernel over WebAssembly. */
import type { Kernel } from '../src/kernel/kernel.js';
import { KERNEL_WASM_HEX } from './generated/kernel-wasm.js';
import { instantiate, instantiateSync, requireModule } from './instantiate.js';
import { type Charge, kernelOver } from './kernel-over.js';

export { requireModule };

/**
 * Compiles the embedded module, or takes `module`, a compiled gdp-kernel/kernel.wasm.
 *
 * @throws TypeError if `module` is something else or of another build; whatever WebAssembly throws where it may not run.
 */
export async function createWasmKernel(module?: object, charge?: Charge): Promise<Kernel> {
  return kernelOver(
    'wasm',
    await instantiate(module === undefined ? KERNEL_WASM_HEX : requireModule(module)),
    charge,
  );
}

/** As `createWasmKernel`, at once; a browser's main thread may refuse to compile this way. */
export function createWasmKernelSync(module?: object, charge?: Charge): Kernel {
  const source = module === undefined ? KERNEL_WASM_HEX : requireModule(module);
  return kernelOver('wasm', instantiateSync(source), charge);
}
