import { InputRangeError, InputSyntaxError, InputTypeError, isInputError, quotable } from '../errors.js';
import { dpSgd } from '../mechanism/mechanism.js';
import { tableIn } from '../text/decode.js';
import { hasDoubtfulComma, numberOrText } from '../text/typed.js';

/** For each number of a phase, the names under which it is read, as lower-case letters and digits without separators. */
const PHASE = {
  noise_multiplier: ['noisemultiplier', 'sigma', 'σ', 'noise', 'noisemult', 'z'],
  sample_rate: [
    'samplerate',
    'samplingrate',
    'q',
    'rate',
    'samplingprobability',
    'samplingprob',
    'subsamplingrate',
  ],
  steps: [
    'steps',
    'numsteps',
    'nsteps',
    'iterations',
    'numiterations',
    'iters',
    't',
    'rounds',
    'numrounds',
    'compositions',
  ],
} as const;
const NUMBERS = Object.keys(PHASE) as readonly (keyof typeof PHASE)[];

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9σ]/g, '');

/** Results of look-ups by name, for speed: every row of a table has the same names. At `MOST_SEEN` results all are dropped. */
const SEEN = new Map<string, keyof typeof PHASE | undefined>();
const MOST_SEEN = 512;

/** The number of a phase that a name stands for. */
function numberNamed(name: string): keyof typeof PHASE | undefined {
  if (!SEEN.has(name)) {
    const letters = bare(name);
    if (SEEN.size >= MOST_SEEN) SEEN.clear();
    SEEN.set(
      name,
      NUMBERS.find((number) => (PHASE[number] as readonly string[]).includes(letters)),
    );
  }
  return SEEN.get(name);
}

const isEmpty = (cell: unknown): boolean => cell === null || cell === '';

function isPhaseName(name: string): boolean {
  return name === 'id' || numberNamed(name) !== undefined;
}

/** The fields of a row other than the numbers of its phase and its id. */
export function besidePhase(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isPhaseName(name)));
}

/**
 * The names of the fields that hold each number of a phase.
 * @throws TypeError if a number has two of them.
 */
export function phaseNames(
  fields: Readonly<Record<string, unknown>>,
): Partial<Record<keyof typeof PHASE, string>> {
  const names: Partial<Record<keyof typeof PHASE, string>> = {};
  for (const name of Object.keys(fields)) {
    if (name === 'id') continue;
    const number = numberNamed(name);
    if (number === undefined || fields[name] === undefined) continue;
    const other = names[number];
    // an empty cell is ignored if another name for the same number has a value
    if (other !== undefined && isEmpty(fields[name])) continue;
    if (other !== undefined && !isEmpty(fields[other]))
      throw new InputTypeError(`"${other}" and "${name}" are two names of one number`);
    names[number] = name;
  }
  return names;
}

/**
 * Noise multiplier, sampling rate and steps in a row of a table or an object; undefined unless all three are there.
 *
 * @throws TypeError if one of the three is given under two names.
 */
export function phaseIn(fields: Readonly<Record<string, unknown>>): unknown[] | undefined {
  const names = phaseNames(fields);
  const known = NUMBERS.map((number) => names[number]);
  return known.includes(undefined) ? undefined : known.map((name) => fields[name!]);
}

/**
 * The numbers of a phase in the cells of a row, checked: 1 %, 256/60000 and powers of ten are read.
 *
 * @throws SyntaxError | TypeError | RangeError naming the column that lacks its number, or has a wrong one.
 */
export function phaseInCells(fields: Readonly<Record<string, unknown>>): number[] {
  const names = phaseNames(fields);
  const cells = NUMBERS.map((number) => {
    const name = names[number];
    if (name === undefined)
      throw new InputSyntaxError(
        `no column is the ${number.replace('_', ' ')}: give one the name ${number}, or --columns NAME=${number}`,
      );
    return numberIn(name, fields[name]);
  });
  return checkedPhase(cells, names);
}

/**
 * The number in a cell.
 * @throws SyntaxError if it is empty or has a comma; other texts that are no numbers are returned unchanged.
 */
export function numberIn(column: string, cell: unknown): unknown {
  if (isEmpty(cell)) throw new InputSyntaxError(`the cell of column "${quotable(column)}" is empty`);
  if (typeof cell !== 'string') return cell;
  if (hasDoubtfulComma(cell))
    throw new InputSyntaxError(
      `column "${quotable(column)}": "${quotable(cell)}" has a comma; write a decimal point`,
    );
  return numberOrText(cell);
}

function checkedPhase(
  phase: readonly unknown[],
  names: Partial<Record<keyof typeof PHASE, string>>,
): number[] {
  const [noiseMultiplier, samplingRate, steps] = phase as number[];
  try {
    dpSgd({ noiseMultiplier, samplingRate, steps });
  } catch (error) {
    if (!isInputError(error)) throw error;
    const options = {
      noiseMultiplier: 'noise_multiplier',
      samplingRate: 'sample_rate',
      steps: 'steps',
      count: 'steps',
    } as const;
    throw new InputRangeError(
      error.message.replace(/^"(\w+)"/, (whole, option: keyof typeof options) =>
        Object.hasOwn(options, option) ? `column "${quotable(names[options[option]] ?? option)}"` : whole,
      ),
    );
  }
  return [noiseMultiplier, samplingRate, steps];
}

/**
 * The one row of a table with columns for the numbers of a phase, as a history of one phase and the other fields. Undefined for any other text.
 *
 * @throws SyntaxError if there are several rows, because each would be a run of its own.
 */
export function historyOfTable(text: string): Record<string, unknown> | undefined {
  requireCommas(text);
  const { names, rows: lines } = tableIn(text);
  if (names.length < 2 || !names.every(isPhaseName)) {
    const given = names.map(numberNamed);
    if (NUMBERS.some((number) => !given.includes(number))) return undefined;
  }
  const rows = lines();
  if (rows.length !== 1)
    throw new InputSyntaxError(`it is a table of ${rows.length} runs, one a row: gdp batch answers each`);
  const { cells } = rows[0];
  if (new Set(names).size < cells.length || cells.length < names.length)
    throw new InputSyntaxError(`it has the columns ${names}, one each, and a row of ${cells.length}`);
  const fields = Object.fromEntries(names.map((name, i) => [name, cells[i]]));
  return { ...besidePhase(fields), history: [phaseInCells(fields)] };
}

/** @throws SyntaxError for a table whose cells are parted by semicolons or tabs: its commas may be decimal ones. */
export function requireCommas(text: string): void {
  const [header, first = ''] = text.replace(/^\uFEFF/, '').split(/\r?\n/, 2);
  for (const [mark, by] of [
    [';', 'semicolons'],
    ['\t', 'tabs'],
  ]) {
    const cells = header.split(mark);
    const isTable = cells.length > 1 && cells.every((name) => /^\s*"?[A-Za-zα-ω][\w -]*"?\s*$/.test(name));
    if (isTable && (first === '' || first.includes(mark)))
      throw new InputSyntaxError(
        `it is a table whose cells are parted by ${by}: save it with commas between cells, and decimal points in numbers`,
      );
  }
}
