import { InputTypeError } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import type * as all from './all.js';

/** The methods that come with an engine. A program that states, checks or describes mechanisms loads none of them. */
export type Methods = Readonly<typeof all>;

let brought: { readonly methods: Methods; readonly kernel: Kernel } | undefined;

/** What loads an engine says so before it hands it out. */
export function bringMethods(methods: Methods, { kernel }: { readonly kernel: Kernel }): void {
  brought = { methods, kernel };
}

/** @throws InputTypeError where this copy of the package has loaded no engine. */
export function methods(): Methods {
  if (brought !== undefined) return brought.methods;
  throw new InputTypeError('"engine" must be one that loadEngine of this copy of gdp-kernel loaded');
}

/**
 * A kernel for what is asked without an engine: all give the same bits.
 *
 * @throws InputTypeError where none was loaded.
 */
export function anyKernel(): Kernel {
  if (brought !== undefined) return brought.kernel;
  throw new InputTypeError('an engine must be loaded before this is asked: call loadEngine first');
}
