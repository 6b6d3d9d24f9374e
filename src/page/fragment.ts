import { agreeing } from './loaders.js';
import { LOADERS, NEIGHBOURS } from './setting.js';
import {
  AIMS,
  EXAMPLE,
  FIELDS,
  type FieldName,
  fieldFault,
  MOST_KEPT,
  SCALES,
  type Setting,
  type SettingPhase,
  type State,
  UNKNOWNS,
  VIEWS,
} from './state.js';

/**
 * The state as the fragment of an address. Only what differs from the example is written, numbers as JavaScript prints them. Names and files are left
 * out.
 */

/** Abbreviations that links of earlier versions use. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['capped', 'capped-poisson'],
  ['bins', 'balls-and-bins'],
  ['addremove', 'add-remove'],
  ['zeroout', 'zero-out'],
  ['replace', 'replace-one'],
]);
const MOST_PHASES = 50;
export const MOST_RECORDS = 1000;

/** For each field of the state: its key in a link, and its parser. */
const KEYS: readonly (readonly [string, keyof State, (text: string, name: never) => unknown])[] = [
  ['s', 'sigma', numberIn],
  ['b', 'batch', numberIn],
  ['n', 'size', numberIn],
  ['e', 'epochs', numberIn],
  ['g', 'cap', numberIn],
  ['r', 'rate', numberIn],
  ['m', 'steps', numberIn],
  ['d', 'delta', numberIn],
  ['k', 'records', countIn],
  ['j', 'tries', countIn],
  ['l', 'loader', oneOf(LOADERS)],
  ['a', 'neighbours', oneOf(NEIGHBOURS)],
  ['x', 'scale', oneOf(SCALES)],
  ['y', 'view', oneOf(VIEWS)],
  ['u', 'unknown', oneOf(UNKNOWNS)],
  ['o', 'aim', oneOf(AIMS)],
  ['f', 'alpha', (text) => inside(text, 1e-6, 0.999, 'a false positive rate of')],
  ['t', 'target', (text) => inside(text, 1e-9, 1e6, 'a target of')],
];

/** The reason why a state cannot be written as a link; undefined if it can. */
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
  const pairs = KEYS.flatMap(([key, name]) =>
    state[name] === undefined || state[name] === EXAMPLE[name] ? [] : [`${key}=${state[name]}`],
  );
  const phases = state.phases?.map(({ sigma, rate, steps }) => `${sigma},${rate},${steps}`).join(';');
  return phases === undefined ? pairs : [...pairs, `p=${phases}`];
}

/** Parses a fragment. Unknown keys are ignored. If a value is wrong, the state is that of the example, and `refused` says why. */
export function readFragment(fragment: string): { state: State; refused?: string } {
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
  const said = KEYS.flatMap(([key, name, read]) => {
    const text = asked.get(key);
    return text === null ? [] : [[name, read(text, name as never)]];
  });
  const phases = asked.get('p')?.split(';').map(phaseFrom);
  const state: State = { ...EXAMPLE, ...Object.fromEntries(said), ...(phases && { phases }) };
  if ((phases?.length ?? 0) > MOST_PHASES) throw new Refusal(`${phases?.length} phases`);
  const { loader, neighbours } = agreeing(state);
  if (loader !== state.loader || (asked.has('a') && neighbours !== state.neighbours))
    throw new Refusal(`${state.loader} batches of these settings under ${state.neighbours}`);
  if (state.batch > state.size) throw new Refusal(`batches of ${state.batch} from ${state.size} records`);
  return agreeing(state);
}

function countIn(text: string, name: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MOST_RECORDS) return value;
  throw new Refusal(`${quoted(text)} ${name}`);
}

function oneOf(allowed: readonly string[]): (said: string, name: string) => string {
  return (said, name) => {
    const text = SHORT.get(said) ?? said;
    if (allowed.includes(text)) return text;
    throw new Refusal(`${name} ${quoted(said)}`);
  };
}

function numberIn(text: string, name: FieldName): number {
  const value = text === '' ? Number.NaN : Number(text);
  const { label, symbol = label.toLowerCase() } = FIELDS[name];
  if (fieldFault(name, value, { ...EXAMPLE, size: Infinity, batch: 0 }) !== undefined)
    throw new Refusal(`${symbol} = ${quoted(text)}`);
  return value;
}

function inside(text: string, least: number, most: number, what: string): number {
  const value = text === '' ? Number.NaN : Number(text);
  if (!(value >= least && value <= most)) throw new Refusal(`${what} ${quoted(text)}`);
  return value;
}

function phaseFrom(text: string): SettingPhase {
  const [sigma, rate, steps, more] = text.split(',');
  if (steps === undefined || more !== undefined) throw new Refusal(`the phase ${quoted(text)}`);
  return { sigma: numberIn(sigma, 'sigma'), rate: numberIn(rate, 'rate'), steps: numberIn(steps, 'steps') };
}

/** The first 20 characters of a value of a link. */
function quoted(text: string): string {
  return text.length > 20 ? `${text.slice(0, 20)}…` : text;
}
