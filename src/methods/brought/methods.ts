import { InputTypeError } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import type * as all from './all.js';

/** The methods, which are loaded with an engine. A program that only states, checks or describes mechanisms does not load them. */
export type Methods = Readonly<typeof all>;

let brought: { readonly methods: Methods; readonly kernel: Kernel } | undefined;

/** Registers the methods and a kernel. The functions that load an engine call it before they return. */
export function bringMethods(methods: Methods, { kernel }: { readonly kernel: Kernel }): void {
  brought = { methods, kernel };
}

/**
 * The methods that were registered.
 * @throws InputTypeError where no engine was loaded.
 */
export function methods(): Methods {
  return loaded().methods;
}

/** The registered kernel, for callers that are given none: all kernels return the same bits. */
export function anyKernel(): Kernel {
  return loaded().kernel;
}

function loaded(): NonNullable<typeof brought> {
  if (brought !== undefined) return brought;
  throw new InputTypeError('an engine must be loaded before this is asked: call loadEngine first');
}
