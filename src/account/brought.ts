import { InputTypeError } from '../errors.js';
import type * as candidates from './candidates.js';

/** The policy of an account and its theorem-based bounds are loaded with an engine, as methods are. */
let brought: typeof candidates | undefined;

/** Registers the bounds: called by what loads an engine, before it returns one. */
export function bringBounds(bounds: typeof candidates): void {
  brought = bounds;
}

/** @throws InputTypeError where this copy of the package has loaded no engine. */
export function broughtBounds(): typeof candidates {
  if (brought !== undefined) return brought;
  throw new InputTypeError('"engine" must be one that loadEngine of this copy of gdp-kernel loaded');
}
