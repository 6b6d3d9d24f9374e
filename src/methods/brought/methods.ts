import { InputTypeError } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import type * as all from './all.js';

/** The methods that come with an engine. A program that states, checks or describes mechanisms loads none of them. */
export type Methods = Readonly<typeof all>;

let brought: { readonly methods: Methods; readonly kernel: Kernel } | undefined;

/** Registers the methods: called by what loads an engine, before it returns one. */
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

/** A kernel for questions asked without an engine: all kernels give the same bits. */
export function anyKernel(): Kernel {
  return loaded().kernel;
}

function loaded(): NonNullable<typeof brought> {
  if (brought !== undefined) return brought;
  throw new InputTypeError('an engine must be loaded before this is asked: call loadEngine first');
}
