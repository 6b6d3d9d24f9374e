import { requireNumber, requireOptions, wrongValue } from '../errors.js';
import type { Fields, Kind } from './kind.js';

const kinds = new Map<string, Kind<never>>();
const all = new WeakSet<object>();

/**
 * A mechanism of these fields, whose kind is known from now on. A kind brings its laws and methods along, so a program holds those of the
 * mechanisms that it builds or parses, and no others.
 */
export function made<M extends { readonly kind: string }>(kind: Kind<M>, fields: Omit<M, 'kind'>): M {
  kinds.set(kind.name, kind as Kind<never>);
  const mechanism = { kind: kind.name, ...fields } as M;
  all.add(mechanism);
  return mechanism;
}

/** What a builder, named for the message, is given: every field as `fields` checks it, those left out that say nothing. */
export function checkedFields(
  builder: string,
  options: object | undefined,
  { fields, optional = [] }: Fields,
): Record<string, unknown> {
  requireOptions(builder, options, Object.keys(fields) as never[]);
  const found: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = (options as Record<string, unknown> | undefined)?.[name];
    if (value === undefined && optional.includes(name)) continue;
    const checked =
      typeof field === 'string' ? requireNumber(name, value, field) : field(name, value as never, found);
    if (checked !== undefined) found[name] = checked;
  }
  return found;
}

/** The mechanism of a kind that a builder makes of its options. */
export function built<M extends { readonly kind: string }>(
  kind: Kind<M>,
  builder: string,
  options: object | undefined,
): M {
  return made(kind, checkedFields(builder, options, kind) as unknown as Omit<M, 'kind'>);
}

/** A mechanism with other fields, made if it was. */
export function remade<M extends { readonly kind: string }>(mechanism: M, fields: object): M {
  const other = { ...mechanism, ...fields };
  if (all.has(mechanism)) all.add(other);
  return other;
}

/** `mechanism`, whose fields were checked when it was made. @throws RangeError for plain data, or a copy. */
export function requireMade<M extends { readonly kind: string }>(mechanism: M): M {
  if (all.has(mechanism)) return mechanism;
  throw wrongValue('mechanism', 'made by a builder or by parseMechanism', mechanism);
}

/** The kind of a mechanism that was built or parsed. @throws RangeError for data that never was. */
export function kindMade(name: string): Kind<never> {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  throw wrongValue('mechanism.kind', 'that of a mechanism which a builder or parseMechanism made', name);
}
