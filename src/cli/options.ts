import { parseArgs } from 'node:util';
import { UsageError } from './errors.js';

export const COMMANDS = ['report', 'epsilon', 'delta', 'mu', 'tradeoff'] as const;
export type Command = (typeof COMMANDS)[number];
export type EngineChoice = 'auto' | 'wasm' | 'reference';

/** A checked command line. */
export interface Options {
  readonly command: Command;
  readonly source: Source;
  readonly deltas: readonly number[];
  readonly epsilons: readonly number[];
  readonly alphas: readonly number[];
  readonly alphaMin: number | undefined;
  readonly tolerance: number | undefined;
  readonly engine: EngineChoice;
  readonly json: boolean;
}

/** Where the run is described: a file ('-' is standard input) or three numbers. */
export type Source =
  | { readonly file: string }
  | { readonly noiseMultiplier: number; readonly samplingRate: number; readonly steps: number };

export type Parsed =
  | { readonly action: 'help'; readonly command?: Command }
  | { readonly action: 'version' }
  | { readonly action: 'run'; readonly options: Options };

const FLAGS = {
  delta: { type: 'string', multiple: true },
  epsilon: { type: 'string', multiple: true },
  alpha: { type: 'string', multiple: true },
  'alpha-min': { type: 'string' },
  'noise-multiplier': { type: 'string' },
  'sampling-rate': { type: 'string' },
  steps: { type: 'string' },
  tolerance: { type: 'string' },
  engine: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const;

type Flag = keyof typeof FLAGS;
type Values = { [F in Flag]?: (typeof FLAGS)[F] extends { multiple: true } ? string[] : string | boolean };

const RUN_FLAGS: readonly Flag[] = ['noise-multiplier', 'sampling-rate', 'steps'];
const COMMON_FLAGS: readonly Flag[] = ['tolerance', 'engine', 'json', 'help', 'version'];
/** The options a command answers to, beyond the common ones. */
const COMMAND_FLAGS: Readonly<Record<Command, readonly Flag[]>> = {
  report: ['delta', 'alpha-min'],
  epsilon: [...RUN_FLAGS, 'delta'],
  delta: [...RUN_FLAGS, 'epsilon'],
  mu: [...RUN_FLAGS, 'alpha-min'],
  tradeoff: [...RUN_FLAGS, 'alpha'],
};

/** @throws UsageError with one sentence. */
export function parseOptions(argv: readonly string[]): Parsed {
  const { values, positionals } = split(argv);
  const [name, ...operands] = positionals;
  const command = name === undefined ? undefined : requireCommand(name);
  if (values.help) return command ? { action: 'help', command } : { action: 'help' };
  if (values.version) return { action: 'version' };
  if (command === undefined) {
    throw new UsageError(`no command given; one of ${COMMANDS.join(', ')} is needed (see gdp --help)`);
  }
  const known = [...COMMAND_FLAGS[command], ...COMMON_FLAGS];
  for (const flag of Object.keys(values) as Flag[]) {
    if (!known.includes(flag)) throw new UsageError(`"--${flag}" has no meaning for gdp ${command}`);
  }
  const options: Options = {
    command,
    source: sourceOf(command, operands, values),
    deltas: numbers(values, 'delta', 'a number in [0, 1]', (x) => x >= 0 && x <= 1),
    epsilons: numbers(values, 'epsilon', 'a finite number', Number.isFinite),
    alphas: numbers(values, 'alpha', 'a number in [0, 1]', (x) => x >= 0 && x <= 1),
    alphaMin: single(values, 'alpha-min', 'a number in (0, 0.5)', (x) => x > 0 && x < 0.5),
    tolerance: single(values, 'tolerance', 'a number in [1e-12, 0.5]', (x) => x >= 1e-12 && x <= 0.5),
    engine: engineOf(values.engine),
    json: values.json === true,
  };
  if (command === 'report' && options.deltas.some((delta) => delta === 0 || delta === 1)) {
    throw new UsageError('"--delta" must be in (0, 1) for a report');
  }
  if (command === 'delta' && options.epsilons.length === 0) {
    throw new UsageError('"--epsilon" is needed: gdp delta answers the delta at that epsilon');
  }
  return { action: 'run', options };
}

/** parseArgs without its own messages, which are several lines long; the tokens say enough. */
function split(argv: readonly string[]): { values: Values; positionals: string[] } {
  const { tokens } = parseArgs({
    args: joinNegativeNumbers(argv),
    options: FLAGS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | boolean | string[]> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name as Flag] : undefined;
    if (flag === undefined) throw new UsageError(`unknown option "${rawName}" (see gdp --help)`);
    if (flag.type === 'boolean') {
      if (value !== undefined) throw new UsageError(`"${rawName}" takes no value, got "${value}"`);
      values[name] = true;
      continue;
    }
    const missing = value === undefined || value === '' || (!inlineValue && value.startsWith('--'));
    if (missing) throw new UsageError(`"${rawName}" needs a value`);
    if ('multiple' in flag) {
      values[name] = [...((values[name] as string[] | undefined) ?? []), value];
    } else if (values[name] !== undefined) {
      throw new UsageError(`"${rawName}" is given twice`);
    } else {
      values[name] = value;
    }
  }
  return { values: values as Values, positionals };
}

/** `--epsilon -1` to `--epsilon=-1`: a negative number is a value, not an option. */
function joinNegativeNumbers(argv: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of argv) {
    const before = joined.at(-1);
    if (/^-\.?\d/.test(word) && before !== undefined && /^--[a-z-]+$/.test(before)) {
      joined[joined.length - 1] = `${before}=${word}`;
    } else {
      joined.push(word);
    }
  }
  return joined;
}

function requireCommand(name: string): Command {
  if ((COMMANDS as readonly string[]).includes(name)) return name as Command;
  throw new UsageError(`"${name}" is not a command; expected one of ${COMMANDS.join(', ')}`);
}

function sourceOf(command: Command, operands: readonly string[], values: Values): Source {
  const given = RUN_FLAGS.filter((flag) => values[flag] !== undefined);
  const [file, extra] = operands;
  if (extra !== undefined) throw new UsageError(`one FILE is expected, got "${file}" and "${extra}"`);
  if (file === '') throw new UsageError('FILE is an empty name');
  if (file !== undefined) {
    if (given.length === 0) return { file };
    throw new UsageError(`give either FILE or --${given[0]}, not both: "${file}" already describes the run`);
  }
  if (given.length === 0) {
    const alternative = command === 'report' ? '' : ' or --noise-multiplier, --sampling-rate and --steps';
    throw new UsageError(`gdp ${command} needs a FILE (- for standard input)${alternative}`);
  }
  for (const flag of RUN_FLAGS) {
    if (values[flag] === undefined) throw new UsageError(`"--${flag}" is missing; --${given[0]} needs it`);
  }
  return {
    noiseMultiplier: single(
      values,
      'noise-multiplier',
      'a finite number >= 0',
      (x) => x >= 0 && x < Infinity,
    )!,
    samplingRate: single(values, 'sampling-rate', 'a number in [0, 1]', (x) => x >= 0 && x <= 1)!,
    steps: single(
      values,
      'steps',
      'a whole number from 0 to 2^53 - 1',
      (x) => x >= 0 && Number.isSafeInteger(x),
    )!,
  };
}

function engineOf(value: string | boolean | undefined): EngineChoice {
  if (value === undefined) return 'auto';
  if (value === 'auto' || value === 'wasm' || value === 'reference') return value;
  throw new UsageError(`"--engine" must be one of auto, wasm, reference, got "${value}"`);
}

type Holds = (x: number) => boolean;

function single(values: Values, flag: Flag, expected: string, holds: Holds): number | undefined {
  const text = values[flag];
  return typeof text === 'string' ? number(flag, text, expected, holds) : undefined;
}

/** Every number of a repeatable option, which may also hold a comma-separated list. */
function numbers(values: Values, flag: Flag, expected: string, holds: Holds): number[] {
  const texts = (values[flag] as string[] | undefined) ?? [];
  return texts.flatMap((text) => text.split(',')).map((text) => number(flag, text.trim(), expected, holds));
}

function number(flag: Flag, text: string, expected: string, holds: Holds): number {
  const x = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  const underflows = x === 0 && /[1-9]/.test(text.replace(/e.*/i, ''));
  if (Number.isNaN(x) || underflows || !holds(x))
    throw new UsageError(`"--${flag}" must be ${expected}, got "${text}"`);
  return x;
}
