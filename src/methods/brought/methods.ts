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

/** @throws InputTypeError where none was loaded. */
export function methods(): Methods {
  return loaded().methods;
}

/** A kernel for what is asked without an engine: all give the same bits. */
export function anyKernel(): Kernel {
  return loaded().kernel;
}

function loaded(): NonNullable<typeof brought> {
  if (brought !== undefined) return brought;
  throw new InputTypeError('an engine must be loaded before this is asked: call loadEngine first');
}
