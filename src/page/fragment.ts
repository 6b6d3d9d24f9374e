import { agreeing } from './loaders.js';
import { LOADERS, NEIGHBOURS } from './setting.js';
import {
  AIMS,
  EXAMPLE,
  FIELDS,
  type FieldName,
  fieldFault,
  MOST_KEPT,
  type Phase,
  SCALES,
  type Setting,
  type State,
  UNKNOWNS,
  VIEWS,
} from './state.js';

/** State in the fragment of an address: what differs from the example, numbers as JavaScript writes them, no names and no files. */

const NUMBERS: Readonly<Record<string, FieldName>> = {
  s: 'sigma',
  b: 'batch',
  n: 'size',
  e: 'epochs',
  g: 'cap',
  r: 'rate',
  m: 'steps',
  d: 'delta',
};
const COUNTS = { k: 'records', j: 'tries' } as const;
const WORDS = {
  l: ['loader', LOADERS],
  a: ['neighbours', NEIGHBOURS],
  x: ['scale', SCALES],
  y: ['view', VIEWS],
  u: ['unknown', UNKNOWNS],
  o: ['aim', AIMS],
} as const;
/** Short words of older links. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['capped', 'capped-poisson'],
  ['bins', 'balls-and-bins'],
  ['addremove', 'add-remove'],
  ['zeroout', 'zero-out'],
  ['replace', 'replace-one'],
]);
const MOST_PHASES = 50;
export const MOST_RECORDS = 1000;

/** Why a state has no link; nothing if it has one. */
export function linkFault(state: State): string | undefined {
  const settings: readonly Setting[] = [state, ...state.kept];
  if (settings.some(({ mechanism }) => mechanism !== undefined))
    return 'This mechanism is in no link: send its file.';
  if (settings.some(({ phases }) => (phases?.length ?? 0) > MOST_PHASES))
    return `More than ${MOST_PHASES} phases are in no link: send their file.`;
  return undefined;
}

/** '' for the example itself, else '#v=1&…'. */
export function fragmentOf(state: State): string {
  const kept = state.kept.map(
    (each) => `c=${encodeURIComponent(pairsOf({ ...EXAMPLE, ...each }).join('&'))}`,
  );
  const parts = [...pairsOf(state), ...kept];
  return parts.length === 0 ? '' : `#v=1&${parts.join('&')}`;
}

function pairsOf(state: State): string[] {
  const simple = [
    ...Object.entries(NUMBERS),
    ...Object.entries(COUNTS),
    ...Object.entries(WORDS).map(([key, [name]]) => [key, name] as const),
    ['f', 'alpha'] as const,
    ['t', 'target'] as const,
  ].flatMap(([key, name]) => {
    const value = state[name as keyof State];
    return value === undefined || value === EXAMPLE[name as keyof State] ? [] : [`${key}=${value}`];
  });
  const phases = state.phases?.map(({ sigma, rate, steps }) => `${sigma},${rate},${steps}`).join(';');
  return phases === undefined ? simple : [...simple, `p=${phases}`];
}

/** A link read back, and what of it was refused. */
interface ReadLink {
  readonly state: State;
  readonly refused?: string;
}

/** Unknown keys are left alone; a wrong value refuses the link, and the example stands in its place. */
export function readFragment(fragment: string): ReadLink {
  const text = fragment.replace(/^#/, '');
  if (text === '') return { state: EXAMPLE };
  const asked = new URLSearchParams(text);
  if (asked.get('v') !== '1')
    return { state: EXAMPLE, refused: 'This link is of another version. The example is shown instead.' };
  try {
    const kept = asked.getAll('c').map((each) => settingFrom(new URLSearchParams(each)));
    if (kept.length > MOST_KEPT) throw new Refusal(`${kept.length} kept settings`);
    return { state: { ...settingFrom(asked), kept } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      state: EXAMPLE,
      refused: `This link asks for ${error.message}. The example is shown instead.`,
    };
  }
}

class Refusal extends Error {}

function settingFrom(asked: URLSearchParams): State {
  const state: Record<string, unknown> = { ...EXAMPLE };
  for (const [key, name] of Object.entries(NUMBERS)) {
    const text = asked.get(key);
    if (text !== null) state[name] = numberIn(text, name);
  }
  for (const [key, name] of Object.entries(COUNTS)) {
    const text = asked.get(key);
    if (text === null) continue;
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1 || value > MOST_RECORDS)
      throw new Refusal(`${quoted(text)} ${name}`);
    state[name] = value;
  }
  for (const [key, [name, allowed]] of Object.entries(WORDS)) {
    const said = asked.get(key);
    if (said === null) continue;
    const text = SHORT.get(said) ?? said;
    if (!(allowed as readonly string[]).includes(text)) throw new Refusal(`${name} ${quoted(said)}`);
    state[name] = text;
  }
  const alpha = asked.get('f');
  if (alpha !== null) state['alpha'] = inside(alpha, 1e-6, 0.999, 'a false positive rate of');
  const target = asked.get('t');
  if (target !== null) state['target'] = inside(target, 1e-9, 1e6, 'a target of');
  const phases = asked.get('p');
  if (phases !== null) state['phases'] = phases.split(';').map(phaseFrom);
  const read = state as unknown as State;
  if ((read.phases?.length ?? 0) > MOST_PHASES) throw new Refusal(`${read.phases?.length} phases`);
  const { loader, neighbours } = agreeing(read);
  if (loader !== read.loader || (asked.has('a') && neighbours !== read.neighbours))
    throw new Refusal(`${read.loader} batches of these settings under ${read.neighbours}`);
  if (read.batch > read.size) throw new Refusal(`batches of ${read.batch} from ${read.size} records`);
  return agreeing(read);
}

function numberIn(text: string, name: FieldName): number {
  const value = text === '' ? Number.NaN : Number(text);
  const { label } = FIELDS[name];
  const symbol = 'symbol' in FIELDS[name] ? FIELDS[name].symbol : label.toLowerCase();
  if (fieldFault(name, value, { ...EXAMPLE, size: Infinity, batch: 0 }) !== undefined)
    throw new Refusal(`${symbol} = ${quoted(text)}`);
  return value;
}

function inside(text: string, least: number, most: number, what: string): number {
  const value = text === '' ? Number.NaN : Number(text);
  if (!(value >= least && value <= most)) throw new Refusal(`${what} ${quoted(text)}`);
  return value;
}

function phaseFrom(text: string): Phase {
  const [sigma, rate, steps, more] = text.split(',');
  if (steps === undefined || more !== undefined) throw new Refusal(`the phase ${quoted(text)}`);
  return { sigma: numberIn(sigma, 'sigma'), rate: numberIn(rate, 'rate'), steps: numberIn(steps, 'steps') };
}

/** At most 20 characters of what a link said. */
function quoted(text: string): string {
  return text.length > 20 ? `${text.slice(0, 20)}…` : text;
}
