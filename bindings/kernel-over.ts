/** The interface `Kernel` over one instance: memory and functions of WebAssembly or of JavaScript. */
import type { Kernel } from '../src/kernel/kernel.js';
import type { WasmContext } from './abi.js';
import { type Charge, loopsOver } from './calls.js';
import { composerOver } from './compose.js';
import { elementwiseWasm } from './elementwise.js';
import { questionsOver } from './questions.js';

const FREE: Charge = () => {};

/**
 * The methods of the kernel over one instance, WebAssembly or JavaScript.
 * @param charge Receives the work of each call; by default it is not counted.
 */
export function kernelOver(name: Kernel['name'], context: WasmContext, charge: Charge = FREE): Kernel {
  return {
    name,
    ...elementwiseWasm(context, charge),
    ...loopsOver(context, charge),
    composeCyclic: composerOver(context, charge),
    questions: questionsOver(context),
  };
}
