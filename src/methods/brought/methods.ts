import { InputTypeError } from '../../errors.js';
import type * as all from './all.js';

/** The methods that come with an engine. A program that states, checks or describes mechanisms loads none of them. */
export type Methods = Readonly<typeof all>;

let brought: Methods | undefined;

/** What loads an engine says so before it hands it out. */
export function bringMethods(methods: Methods): void {
  brought = methods;
}

/** @throws InputTypeError where this copy of the package has loaded no engine. */
export function methods(): Methods {
  if (brought !== undefined) return brought;
  throw new InputTypeError('"engine" must be one that loadEngine of this copy of gdp-kernel loaded');
}
