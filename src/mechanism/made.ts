import { wrongValue } from '../errors.js';
import type { Together } from '../methods/contour/phases/together.js';
import type { Kind } from './kind.js';

const kinds = new Map<string, Kind<never>>();
let phases: Together | undefined;

/**
 * `mechanism`, whose kind is known from now on. A kind brings its laws and methods along, so a program holds those of the
 * mechanisms that it builds or parses, and no others.
 */
export function made<M extends { readonly kind: string }>(kind: Kind<M>, mechanism: M): M {
  kinds.set(mechanism.kind, kind as Kind<never>);
  return mechanism;
}

/** The kind of a mechanism that was built or parsed. @throws RangeError for data that never was. */
export function kindMade(name: string): Kind<never> {
  const kind = kinds.get(name);
  if (kind === undefined) throw notMade(name);
  return kind;
}

/** What is known of many phases at once is known from now on. */
export function bringTogether(together: Together): void {
  phases = together;
}

/** What a composition brought. @throws RangeError if `compose` never made one. */
export function broughtTogether(): Together {
  if (phases === undefined) throw notMade('compose');
  return phases;
}

function notMade(kind: string): Error {
  return wrongValue('mechanism.kind', 'that of a mechanism which a builder or parseMechanism made', kind);
}
