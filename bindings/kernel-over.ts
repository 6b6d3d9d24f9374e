/** The Kernel over one instance: memory and functions of WebAssembly or of JavaScript. */
import type { Work } from '../src/kernel/call.js';
import { COMPOSITION, ELEMENTWISE, type Kernel } from '../src/kernel/kernel.js';
import { LOOPS } from '../src/kernel/loops.js';
import type { WasmContext } from './abi.js';
import { loopsOver } from './calls.js';
import { composerOver } from './compose.js';
import { elementwiseWasm } from './elementwise.js';

/** Told what each call is about to do, in units of docs/effort.md, before it does it. */
export type Charge = (units: number) => void;

/** Price of a call, beside that of its terms. */
const CALL = 300;

type Method = (...given: unknown[]) => unknown;

/** The methods over one instance of the kernel, whichever compiler made it. */
export function kernelOver(name: Kernel['name'], context: WasmContext, charge?: Charge): Kernel {
  const kernel: Kernel = {
    name,
    ...elementwiseWasm(context),
    ...loopsOver(context),
    composeCyclic: composerOver(context),
  };
  return charge === undefined ? kernel : metered(kernel, charge);
}

function metered(kernel: Kernel, charge: Charge): Kernel {
  const methods = kernel as unknown as Record<string, Method>;
  const found: Record<string, unknown> = { ...kernel };
  for (const [name, { price }] of Object.entries(ELEMENTWISE)) {
    const call = methods[name] as (x: Float64Array, out?: Float64Array) => Float64Array;
    found[name] = (x: Float64Array, out?: Float64Array) => {
      charge(CALL + x.length * price);
      return call(x, out);
    };
  }
  for (const [name, work] of Object.entries({ ...LOOPS, composeCyclic: COMPOSITION })) {
    const { price, terms } = work as unknown as Work<Method>;
    const call = methods[name];
    found[name] = (...given: unknown[]) => {
      charge(CALL + terms(...given) * price);
      return call(...given);
    };
  }
  return found as unknown as Kernel;
}
