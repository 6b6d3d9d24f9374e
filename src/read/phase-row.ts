import { InputSyntaxError, InputTypeError } from '../errors.js';
import { tableIn } from '../text/decode.js';
import { typedNumber, underflows } from '../text/typed.js';

/** Names of the numbers of one phase, the usual one first. */
const PHASE = [
  ['noise_multiplier', 'noiseMultiplier', 'sigma'],
  ['sample_rate', 'samplingRate', 'sampling_rate', 'q'],
  ['steps', 'num_steps'],
] as const;

function isPhaseName(name: string): boolean {
  return name === 'id' || PHASE.some((all) => (all as readonly string[]).includes(name));
}

/** What stands beside the numbers of a phase, and its id. */
export function besidePhase(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isPhaseName(name)));
}

/** The one number that a row gives under any of its names. */
function numberOf(fields: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const [name, other] = names.filter((each) => fields[each] !== undefined);
  if (other !== undefined) throw new InputTypeError(`"${name}" and "${other}" are two names of one number`);
  return fields[name];
}

/**
 * Noise multiplier, sampling rate and steps as a row of a table or an object names them; nothing unless all three are there.
 *
 * @throws TypeError where one of them is given under two names.
 */
export function phaseIn(fields: Readonly<Record<string, unknown>>): unknown[] | undefined {
  const phase = PHASE.map((names) => numberOf(fields, names));
  return phase.some((value) => value === undefined) ? undefined : phase;
}

/**
 * The row of a table with these columns and perhaps an id; nothing of another text.
 *
 * @throws SyntaxError where there are several rows: they are runs of their own.
 */
export function phaseOfTable(text: string): unknown[] | undefined {
  const { names, rows: lines } = tableIn(text);
  if (names.length > 4 || !names.every(isPhaseName)) return undefined;
  const rows = lines();
  if (rows.length !== 1)
    throw new InputSyntaxError(`it is a table of ${rows.length} runs, one a row: gdp batch answers each`);
  const cells = rows[0].cells.map(cellOf);
  if (new Set(names).size < cells.length || cells.length < names.length)
    throw new InputSyntaxError(`it has the columns ${names}, one each, and a row of ${cells.length}`);
  return phaseIn(Object.fromEntries(names.map((name, i) => [name, cells[i]])));
}

/** The number in a cell; its text where it is none, or smaller than any double. */
function cellOf(text: string): number | string | undefined {
  const x = typedNumber(text);
  if (text === '') return undefined;
  return Number.isNaN(x) || underflows(x, text) ? text : x;
}
