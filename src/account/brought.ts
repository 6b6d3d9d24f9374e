import { InputTypeError } from '../errors.js';
import type * as runs from './run-of-mechanism.js';

/** The module `run-of-mechanism`, once it is loaded. A program that loads no engine does not load it: it imports all methods and bounds. */
let loaded: typeof runs | undefined;

/** Registers the module `run-of-mechanism`. Whatever loads an engine calls this before it returns the engine. */
export function bringRuns(all: typeof runs): void {
  loaded = all;
}

/** The module `run-of-mechanism`. @throws InputTypeError if this copy of the package has loaded no engine. */
export function brought(): typeof runs {
  if (loaded !== undefined) return loaded;
  throw new InputTypeError('"engine" must be one that loadEngine of this copy of gdp-kernel loaded');
}
