import { EFFORT, METHODS } from '../account/options.js';
import { quotable } from '../errors.js';
import { account, type ComposedRun, type Engine, type Mechanism, select, type Tries } from '../index.js';
import { ADJACENCIES, type Adjacency } from '../mechanism/adjacency.js';
import { withPlacesKept, withRecordsPerPerson } from '../mechanism/mechanism.js';
import { usualAdjacency } from '../mechanism/reduce.js';
import { stepsOf } from '../mechanism/steps.js';
import { LIMITED_BY } from '../numeric/limited-by.js';
import { type ReadOptions, type RecognisedRun, recognise } from '../read/index.js';
import { parseJson } from '../read/json.js';
import { answersTaken, groupsSentence } from '../report/sentences.js';
import { readBytes } from '../text/stream.js';
import { numberOrText } from '../text/typed.js';
import { type Args, given, UsageError, withPlace } from './args.js';
import { type Context, type Flags, toggle, value } from './command.js';
import { loadedAs, withoutLoader } from './file-batches.js';
import { nameOf } from './files.js';
import { DIGITS_FLAGS } from './output.js';
import {
  BESIDE_FILE,
  BESIDE_LOADER,
  ONE_RELEASE,
  PHASE_FLAGS,
  phaseOf,
  placesOf,
  recordsOf,
  SAMPLINGS,
} from './phase-flags.js';

/** Options on reading a file. */
export const READ_FLAGS: Flags = {
  'allow-empty-history': toggle('a history without steps is a run that released nothing'),
};

/** Options on accounting for a run. */
export const ACCOUNT_FLAGS: Flags = {
  ...READ_FLAGS,
  adjacency: value('A', 'add-remove (default), replace-one or zero-out'),
  method: value('M', 'auto (default), closed-form, spectral or grid'),
};

/** Options on accounting, and on the work that a question may cost. */
export const EFFORT_FLAGS: Flags = {
  ...ACCOUNT_FLAGS,
  effort: value(
    'N',
    `work a question may cost: 1 (default) is about two
seconds of CPU. Where it is spent, brackets hold and are
wider. "unlimited" sets no limit`,
    EFFORT,
  ),
};

/** Options of commands whose run is a FILE, or a phase that options describe. */
export const TOLD_FLAGS: Flags = { ...PHASE_FLAGS, ...EFFORT_FLAGS };

/** Options of commands on a FILE or a phase that also allow a search for hyper-parameters. */
export const SEARCH_FLAGS: Flags = {
  ...EFFORT_FLAGS,
  'max-time': value(
    'S',
    `seconds for all answers; later ones are wider, and
said to be so on standard error`,
    'a number > 0, in seconds',
  ),
  tries: value(
    'K',
    `private selection: the best of K tries is published;
K is a number, or geometric:MEAN, logarithmic:MEAN,
poisson:MEAN, binomial:TRIALS:PROBABILITY, or JSON`,
  ),
};

/** Options that describe a phase, those of its account, and those on the format of answers. */
export const RUN_FLAGS: Flags = { ...PHASE_FLAGS, ...DIGITS_FLAGS, ...SEARCH_FLAGS };

export const RUN_OPERAND = `what a run left: Opacus state or .pt checkpoint,
DpEvent, TF-privacy flags or statement, PLD proto. Also a
mechanism or an earlier answer as JSON, or a CSV of
alpha,beta or x,y or epsilon,delta. - is standard input`;

export interface Source {
  readonly mechanism: Mechanism;
  /** Its name in reports; never a path. */
  readonly title: string;
  /** The file that the run was read from, if any. */
  readonly read?: RecognisedRun;
}

/** The mechanism that a command is about: from FILE, or from the options that describe a phase. */
export async function sourceOf(args: Args, context: Context): Promise<Source> {
  const file = args.file();
  // a wrong --dataset-size is refused even if the run does not use it
  args.number('dataset-size');
  const told = Object.keys(PHASE_FLAGS).filter((flag) => args.has(flag));
  if (file !== undefined) {
    // beside a file, the size of the data set and the facts in BESIDE_FILE may be given
    const [extra] = told.filter((flag) => !BESIDE_FILE.includes(flag));
    if (extra === undefined) return toldOf(await readRun(file, args, context), args, context);
    throw new UsageError(`give either FILE or --${extra}, not both: "${file}" already describes the run`);
  }
  if (context.piped === true && told.every((flag) => BESIDE_FILE.includes(flag)))
    return toldOf(await readRun('-', args, context), args, context);
  if (told.every((flag) => BESIDE_FILE.includes(flag) && !BESIDE_LOADER.includes(flag))) {
    throw new UsageError(
      `gdp ${args.name} needs a FILE (- for standard input) or --noise-multiplier, --sampling-rate and --steps`,
    );
  }
  if (!args.has('noise-multiplier'))
    throw new UsageError(`"--noise-multiplier" is missing; --${told[0]} needs it`);
  const { title, noise, at } = phaseOf(args, context.note);
  if (title === ONE_RELEASE)
    context.note('taken as one Gaussian release on all records: DP-SGD has --sampling-rate and --steps too');
  return { mechanism: at(args.number('noise-multiplier', noise)!), title };
}

function toldOf(source: Required<Source>, args: Args, context: Context): Required<Source> {
  const { title } = source;
  let { mechanism } = source;
  const change = (flag: string, changed: Mechanism | undefined, why: string): void => {
    if (changed === undefined) throw new UsageError(`"--${flag}" ${why}`);
    mechanism = changed;
  };
  const loader = args.oneOf('sampling', SAMPLINGS);
  if (loader === undefined) withoutLoader(args);
  else mechanism = loadedAs(source, loader, args, context);
  if (placesOf(args).places !== undefined) {
    const kept = withPlacesKept(mechanism);
    const changed = kept === mechanism ? undefined : kept;
    change('places', changed, `is for batches, trees or matrices in a fixed order: none in ${title}`);
  }
  const records = recordsOf(args);
  if (records > 1)
    change(
      'records-per-person',
      withRecordsPerPerson(mechanism, records),
      `needs Gaussian steps, plain or Poisson-sampled; for ${title} use --group ${records}, which holds for any mechanism`,
    );
  return { ...source, mechanism, read: { ...source.read, mechanism } };
}

/** The run in a file; - is standard input. */
export async function readRun(
  file: string,
  args: Args,
  { stdin, files, note }: Context,
): Promise<Required<Source>> {
  const name = nameOf(file);
  const options = readOptionsOf(args);
  const read = await withPlace(name, async () =>
    file === '-' ? recognise(await readBytes(stdin, name), options) : files.recognise(file, options),
  );
  return sourceFrom(read, name, note);
}

export function readOptionsOf(args: Args): ReadOptions {
  return { allowEmptyHistory: args.has('allow-empty-history') };
}

/** The source of a recognised run; the assumptions made in reading are printed. */
export function sourceFrom(read: RecognisedRun, name: string, note: Context['note']): Required<Source> {
  for (const each of read.notes) note(`${name}: ${each}`);
  return { mechanism: read.mechanism, title: lastPart(name), read };
}

/** The last component of a path, with / or \. */
function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
}

export const ENGINES = ['auto', 'wasm', 'reference'] as const;

/** The engine asked for. Prints a note if WebAssembly is not available. */
export async function engineOf(args: Args, context: Context): Promise<Engine> {
  const kernel = args.oneOf('engine', ENGINES) ?? 'auto';
  const engine = await context.engine(kernel);
  if (engine.fallbackReason !== undefined) {
    context.note(`using the slower reference engine, WebAssembly does not run: ${engine.fallbackReason}`);
  }
  return engine;
}

export function toleranceOf(args: Args): { tolerance?: number } {
  return given({ tolerance: args.number('tolerance') });
}

/** The options of the account other than the neighbour relation. */
export function accountingOf(args: Args) {
  const effort = args.text('effort') === 'unlimited' ? Infinity : args.number('effort');
  return {
    ...toleranceOf(args),
    ...given({ effort }),
    method: args.oneOf('method', METHODS) ?? 'auto',
  };
}

/** Distributions of the number of tries, by their names in --tries, each with its parameters. */
const WORDS: Readonly<Record<string, (...numbers: number[]) => Tries>> = {
  geometric: (mean) => ({ kind: 'negative-binomial', eta: 1, mean }),
  logarithmic: (mean) => ({ kind: 'negative-binomial', eta: 0, mean }),
  poisson: (mean) => ({ kind: 'poisson', mean }),
  binomial: (trials, probability) => ({ kind: 'binomial', trials, probability }),
  fixed: (count) => ({ kind: 'fixed', count }),
};

/** The best of several tries, if --tries is given; else the mechanism. */
function searchedOver(args: Args, inner: Mechanism): Mechanism {
  const text = args.text('tries');
  if (text === undefined) return inner;
  if (text.trimStart().startsWith('{')) return select({ runs: parseJson(text) as Tries, inner });
  const [word, ...numbers] = /^\d+$/.test(text) ? ['fixed', text] : text.split(':');
  if (!Object.hasOwn(WORDS, word) || numbers.length !== WORDS[word].length)
    throw new UsageError(
      `"--tries" must be a whole number, geometric:MEAN, logarithmic:MEAN, poisson:MEAN, binomial:TRIALS:PROBABILITY or JSON, got "${quotable(text)}"`,
    );
  return select({ runs: WORDS[word](...(numbers.map(numberOrText) as number[])), inner });
}

/** The adjacency asked for, or that of the file. Else the first with a theorem for the run; a note is printed unless that is add-remove. */
export function adjacencyOf(
  args: Args,
  { note }: Context,
  { mechanism, read }: Pick<Source, 'mechanism' | 'read'>,
): Adjacency {
  const asked = args.oneOf('adjacency', ADJACENCIES) ?? read?.facts.adjacency;
  const records = args.number('records-per-person');
  if (asked === 'replace-one' && records !== undefined && records > 1)
    throw new UsageError(
      `"--records-per-person" is proved for a person added or removed. For one replaced use --group ${records} in its place`,
    );
  if (asked !== undefined) return asked;
  const usual = usualAdjacency(mechanism);
  if (usual !== 'add-remove')
    note(`uses ${usual} adjacency, since these batches have no theorem for add-remove`);
  return usual;
}

/** The run that a command is about, with its source. */
export async function runOf(args: Args, context: Context): Promise<{ source: Source; run: ComposedRun }> {
  const source = await sourceOf(args, context);
  return { source, run: await accountedRun(args, context, source) };
}

export async function accountedRun(args: Args, context: Context, source: Source): Promise<ComposedRun> {
  const seconds = args.number('max-time');
  const options = {
    adjacency: adjacencyOf(args, context, source),
    ...accountingOf(args),
    ...(seconds !== undefined && { maxTime: 1000 * seconds }),
  };
  const engine = await engineOf(args, context);
  const searched = await withPlace('"--tries"', async () => searchedOver(args, source.mechanism));
  const run = account(engine, searched, options);
  const { deadline, allowance } = run;
  if (allowance !== undefined)
    allowance.whenLimited = (by) =>
      context.note(
        by === 'effort'
          ? 'an answer took all the work it may: its brackets hold, and may be wider than asked for; more --effort may narrow them'
          : `an answer is known between two ends alone: ${LIMITED_BY.theory}`,
      );
  if (deadline !== undefined)
    deadline.whenLate = () =>
      context.note(`--max-time ${seconds} is over: brackets hold, and are wider than asked for`);
  if (run.groups !== undefined) context.note(groupsSentence(run.groups));
  const taken = answersTaken(stepsOf(source.mechanism), options.adjacency);
  if (taken !== undefined) context.note(`randomised response: ${taken}`);
  return run;
}

/** Fields of every JSON answer on a run that say how it was computed. */
export function provenance(run: ComposedRun): object {
  const { method, settings, groups, timedOut, everLimitedBy } = run;
  const { engine, adjacency, mechanism, effort } = settings;
  return {
    method,
    engine,
    adjacency,
    ...(groups !== undefined && { groups }),
    ...(effort !== 1 && { effort: effort === Infinity ? 'unlimited' : effort }),
    limitedBy: everLimitedBy,
    ...(timedOut && { timedOut: true }),
    mechanism,
  };
}
