/** The interface `Kernel` over one instance: memory and functions of WebAssembly or of JavaScript. */
import type { Kernel } from '../src/kernel/kernel.js';
import { type Charge, callingOn, type WasmContext } from './abi.js';
import { elementwiseOver, profilesOver } from './array-functions.js';
import { massesOver } from './masses.js';
import { questionsOver } from './questions.js';
import { sumsOverLattices, transforms } from './transforms.js';

/**
 * The methods of the kernel over one instance, WebAssembly or JavaScript.
 * @param charge Receives the work of each call; by default it is not counted.
 */
export function kernelOver(name: Kernel['name'], context: WasmContext, charge: Charge = () => {}): Kernel {
  const calling = callingOn(context, charge);
  return {
    name,
    ...elementwiseOver(context, calling),
    ...profilesOver(context, calling),
    ...transforms(context, calling),
    ...sumsOverLattices(context, calling),
    ...massesOver(context, calling),
    questions: questionsOver(context),
  };
}
