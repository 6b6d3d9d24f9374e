import { wrongValue } from '../errors.js';
import type { Kind } from './kind.js';

const kinds = new Map<string, Kind<never>>();

/**
 * A mechanism of these fields, whose kind is known from now on. A kind brings its laws and methods along, so a program holds those of the
 * mechanisms that it builds or parses, and no others.
 */
export function made<M extends { readonly kind: string }>(kind: Kind<M>, fields: Omit<M, 'kind'>): M {
  kinds.set(kind.name, kind as Kind<never>);
  return { kind: kind.name, ...fields } as M;
}

/** The kind of a mechanism that was built or parsed. @throws RangeError for data that never was. */
export function kindMade(name: string): Kind<never> {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  throw wrongValue('mechanism.kind', 'that of a mechanism which a builder or parseMechanism made', name);
}
