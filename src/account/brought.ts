import { InputTypeError } from '../errors.js';
import type * as candidates from './candidates.js';

/** The policy of an account and the bounds that are always candidates come with an engine, as methods do. */
let brought: typeof candidates | undefined;

/** What loads an engine says so before it hands it out. */
export function bringBounds(bounds: typeof candidates): void {
  brought = bounds;
}

/** @throws InputTypeError where this copy of the package has loaded no engine. */
export function broughtBounds(): typeof candidates {
  if (brought !== undefined) return brought;
  throw new InputTypeError('"engine" must be one that loadEngine of this copy of gdp-kernel loaded');
}
