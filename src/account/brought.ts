import { InputTypeError } from '../errors.js';
import type * as runs from './run-of-mechanism.js';

/** Runs, with the policy and all bounds of an account, are loaded with an engine, as methods are. */
let loaded: typeof runs | undefined;

/** Registers them: called by what loads an engine, before it returns one. */
export function bringRuns(all: typeof runs): void {
  loaded = all;
}

/** @throws InputTypeError where this copy of the package has loaded no engine. */
export function brought(): typeof runs {
  if (loaded !== undefined) return loaded;
  throw new InputTypeError('"engine" must be one that loadEngine of this copy of gdp-kernel loaded');
}
