/** Finds the state of an accountant in the data that a program saved. */

import { InputSyntaxError, quotable, someNames } from '../errors.js';
import { holdsHistory, isAccountant, MechanismMethod, Opaque } from './opaque.js';

/** A dictionary with a history in it, and where it was found. */
export interface SavedState {
  /** `history` and `mechanism` as they were saved; a list that stood alone is a history. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Its keys from the outermost dictionary on, joined with points; empty for the outermost one. */
  readonly place: string;
  /** Whether the data had only a list, which was recognised as a history by its shape. */
  readonly bare: boolean;
}

/** Names under which a bare list is a history. */
const NAMED = /histor|accountant|privacy|^steps$/i;

/** Whether a value is a list of one or more phases of three values, as `accountant.history` is. */
export function isHistory(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every((phase) => isTriple(phase));
}

function isTriple(value: unknown): boolean {
  return Array.isArray(value) && value.length === 3 && value.every((each) => !Array.isArray(each));
}

/**
 * The one history in parsed JSON or an unpickled value. It stands at the top, in a dictionary at any depth, or in an accountant
 * or an engine. It may be a list under a name that says so. Undefined where there is none.
 *
 * @throws SyntaxError if there are several: whether they are one run or more, the file does not say.
 */
export function savedState(top: unknown): SavedState | undefined {
  const found: SavedState[] = [];
  const seen = new Set<unknown>();
  const open = [{ value: top, name: '', place: '' }];
  // the list grows during the loop
  for (const { value, name, place } of open) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isHistory(value) && (place === '' || NAMED.test(name)))
      found.push({ state: { history: value }, place, bare: true });
    const fields = fieldsOf(value);
    if (fields === undefined) continue;
    const isState = isStateOf(fields, value);
    if (isState) found.push({ state: Object.fromEntries(fields), place, bare: false });
    for (const [key, each] of fields)
      if (!isState || key !== 'history')
        open.push({ value: each, name: key, place: place === '' ? key : `${place}.${key}` });
  }
  if (found.length < 2) return found[0];
  const places = someNames(found.map(({ place }) => quotable(place) || 'its top'));
  throw new InputSyntaxError(
    `it holds ${found.length} histories (at ${places}): give that of one run, or list all their phases in one`,
  );
}

/** A note on a list that was recognised by its shape alone. */
export function notesOf({ bare, place }: SavedState): readonly string[] {
  const list = place === '' ? 'its list' : `"${quotable(place)}" in it`;
  return bare
    ? [`${list} is taken as a history: [noise_multiplier, sample_rate, num_steps] in each phase`]
    : [];
}

function isStateOf(fields: ReadonlyMap<string, unknown>, value: unknown): boolean {
  const history = fields.get('history');
  if (!Array.isArray(history)) return false;
  const isInstance = value instanceof Opaque && isAccountant(value.name);
  return isInstance || fields.has('mechanism') || fields.size === 1 || isHistory(history);
}

/** The entries of a dictionary by key, or the attributes of an accountant or an engine. */
export function fieldsOf(value: object): ReadonlyMap<string, unknown> | undefined {
  if (value instanceof Opaque) {
    const { name, state } = value;
    if (!holdsHistory(name) || !(state instanceof Map)) return undefined;
    const fields = fieldsOf(state)!;
    return isAccountant(name)
      ? new Map<string, unknown>([...fields, ['mechanism', new MechanismMethod(name)]])
      : fields;
  }
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [String(key), each]));
  return Array.isArray(value) ? undefined : new Map(Object.entries(value));
}
