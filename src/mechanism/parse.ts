import { placed, requireKind, requireList, requireStated, wrongValue } from '../errors.js';
import { MECHANISM_KINDS, STATEMENTS } from './facts.js';
import type { Mechanism } from './mechanism.js';

/** Nesting deeper than this is a mistake, not a mechanism. */
const MAX_DEPTH = 100;
const MAX_PARTS = 1_000_000;

/**
 * Checks data read from elsewhere (a JSON file, say) and returns it as a mechanism.
 *
 * @throws TypeError | RangeError naming the place: an unknown kind, a missing, wrong or unknown field.
 * @example
 * parseMechanism({ kind: 'laplace', scale: 5, sensitivity: 1 }).kind; // 'laplace'
 */
export function parseMechanism(value: unknown): Mechanism {
  return visit(value, 0, 'mechanism');
}

/** The place of a part; of a deep one its ends alone, which a message can print. */
function below(place: string, part: string): string {
  const parts = [...place.split('.'), part];
  return (parts.length > 7 ? [...parts.slice(0, 2), '…', ...parts.slice(-3)] : parts).join('.');
}

function visit(value: unknown, depth: number, place: string): Mechanism {
  if (depth > MAX_DEPTH) throw wrongValue(place, `nested at most ${MAX_DEPTH} deep`, depth);
  const name = requireKind(place, value, MECHANISM_KINDS);
  const { kind: _, ...given } = value as Record<string, unknown>;
  const { fields, build } = STATEMENTS[name];
  requireStated(place, given, fields, `a ${name}`);
  try {
    const { inner, parts } = given;
    const made = (part: unknown, name: string): Mechanism => visit(part, depth + 1, below(place, name));
    return build({
      ...given,
      ...(inner !== undefined && { inner: made(inner, 'inner') }),
      ...(parts !== undefined && {
        parts: requireList(`${place}.parts`, parts, 'mechanisms', 0, MAX_PARTS).map((part, i) =>
          made(part, `parts[${i}]`),
        ),
      }),
    } as never);
  } catch (error) {
    throw placed(error, place);
  }
}
