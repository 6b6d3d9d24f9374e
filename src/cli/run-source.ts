import { basename } from 'node:path';
import { EFFORT, METHODS, TOLERANCE } from '../account/options.js';
import { sharedEngine } from '../engine.js';
import { quotable } from '../errors.js';
import { account, type ComposedRun, type Engine, type Mechanism, select, type Tries } from '../index.js';
import { ADJACENCIES, type Adjacency } from '../mechanism/adjacency.js';
import { batchPhases, epochsText, underLoader } from '../mechanism/loaders.js';
import { withPlacesKept } from '../mechanism/mechanism.js';
import { withRecordsPerPerson } from '../mechanism/records-per-person.js';
import { stepsOf } from '../mechanism/steps.js';
import { readBytes } from '../node/read-text.js';
import { recogniseFile } from '../node/run-file.js';
import { type RecognisedRun, recognise } from '../read/index.js';
import { parseJson } from '../read/json.js';
import { answersTaken, groupsSentence } from '../report/sentences.js';
import type { Args } from './args.js';
import type { Context } from './command.js';
import { UsageError, withPlace } from './errors.js';
import { type Flags, value } from './flags.js';
import { nameOf } from './input.js';
import {
  adjacencyOf,
  BESIDE_FILE,
  PHASE_FLAGS,
  type PhaseSampling,
  phaseOf,
  placesOf,
  recordsOf,
  SAMPLINGS,
} from './phase-flags.js';

/** How a run is accounted. */
export const ACCOUNT_FLAGS: Flags = {
  adjacency: value('A', 'add-remove (default), replace-one or zero-out'),
  method: value('M', 'auto (default), closed-form, spectral or grid'),
};

/** How much work a question may cost. */
export const EFFORT_FLAGS: Flags = {
  effort: value(
    'N',
    `work a question may cost: 1 (default) is about two
seconds of CPU; where it is spent, brackets hold and are
wider; "unlimited" sets no limit`,
  ),
};

/** How a run that may be searched over is accounted. */
export const RUN_FLAGS: Flags = {
  ...ACCOUNT_FLAGS,
  ...EFFORT_FLAGS,
  'max-time': value(
    'S',
    `seconds for all answers; later ones are wider, and
said to be so on standard error`,
  ),
  tries: value(
    'K',
    `private selection: the best of K tries is published;
K is a number, or geometric:MEAN, logarithmic:MEAN,
poisson:MEAN, binomial:TRIALS:PROBABILITY, or JSON`,
  ),
};

export const ENGINE_FLAGS: Flags = {
  tolerance: value('R', 'relative width of brackets to aim at (default 1e-6)'),
  engine: value('E', 'auto (default), wasm or reference'),
};

export const RUN_OPERAND = `what a run left: Opacus state or .pt checkpoint,
DpEvent, TF-privacy flags or statement, PLD proto. Also a
mechanism or an earlier answer as JSON, or a CSV of
alpha,beta or x,y or epsilon,delta. - is standard input`;

export interface Source {
  readonly mechanism: Mechanism;
  /** What it is called where others read it; names no path. */
  readonly title: string;
  /** What the run was read from, if from a file. */
  readonly read?: RecognisedRun;
}

/** The mechanism a command is about: FILE, or the numbers of one phase. */
export async function sourceOf(args: Args, context: Context, command: string): Promise<Source> {
  const file = args.file();
  const given = Object.keys(PHASE_FLAGS).filter((flag) => args.has(flag));
  if (file !== undefined) {
    // the size of the data set, and what the file cannot say, may be told beside a run that is read
    const [extra] = given.filter((flag) => !BESIDE_FILE.includes(flag));
    if (extra === undefined) return told(await readRun(file, context), args, context);
    throw new UsageError(`give either FILE or --${extra}, not both: "${file}" already describes the run`);
  }
  if (given.every((flag) => BESIDE_FILE.includes(flag))) {
    if (context.piped === true) return told(await readRun('-', context), args, context);
    throw new UsageError(
      `gdp ${command} needs a FILE (- for standard input) or --noise-multiplier, --sampling-rate and --steps`,
    );
  }
  if (!args.has('noise-multiplier'))
    throw new UsageError(`"--noise-multiplier" is missing; --${given[0]} needs it`);
  const { title, noise, at } = phaseOf(args);
  return { mechanism: at(args.number('noise-multiplier', noise)!), title };
}

/** A run that was read, with what the file cannot say and options tell. */
function told(source: Required<Source>, args: Args, context: Context): Required<Source> {
  return ofPerson(placed(loaded(source, args, context), args), args);
}

/** The same noise and steps on the batches that --sampling tells: a file has a rate, and seldom what drew them. */
function loaded(source: Required<Source>, args: Args, { note }: Context): Required<Source> {
  const loader = args.oneOf('sampling', SAMPLINGS);
  if (loader === undefined) return source;
  const phases = batchPhases(source.mechanism);
  if (phases === undefined)
    throw new UsageError(
      `"--sampling" beside a FILE needs Gaussian steps on batches smaller than the data set: none in ${source.title}`,
    );
  const mechanism = loader === 'with-replacement' ? undefined : underLoader(phases, loader);
  if (mechanism === undefined)
    throw new UsageError(
      `"--sampling ${loader}" needs more than ${source.title} says: give --noise-multiplier and the sizes of the batches instead of FILE`,
    );
  if (IN_EPOCHS.includes(loader)) for (const phase of phases) note(`${source.title}: ${epochsText(phase)}`);
  return { ...source, mechanism, read: { ...source.read, mechanism } };
}

const IN_EPOCHS: readonly PhaseSampling[] = ['balls-and-bins', 'shuffled', 'fixed'];

/** A run that was read, for a person of the records that --records-per-person tells. */
function ofPerson(source: Required<Source>, args: Args): Required<Source> {
  const records = recordsOf(args);
  if (records === 1) return source;
  const mechanism = withRecordsPerPerson(source.mechanism, records);
  if (mechanism === undefined)
    throw new UsageError(
      `"--records-per-person" needs Gaussian steps, plain or Poisson-sampled; for ${source.title} use --group ${records}, which holds for any mechanism`,
    );
  return { ...source, mechanism, read: { ...source.read, mechanism } };
}

/** A run that was read, with its places kept where --places says so. */
function placed(source: Required<Source>, args: Args): Required<Source> {
  if (placesOf(args).places === undefined) return source;
  const mechanism = withPlacesKept(source.mechanism);
  if (mechanism === source.mechanism)
    throw new UsageError(
      `"--places" is for batches, trees or matrices in a fixed order: none in ${source.title}`,
    );
  return { ...source, mechanism, read: { ...source.read, mechanism } };
}

/** What a file (- is standard input) says was run. */
export async function readRun(file: string, { stdin, note }: Context): Promise<Required<Source>> {
  const name = nameOf(file);
  const read = await withPlace(name, async () =>
    file === '-' ? recognise(await readBytes(stdin, name)) : recogniseFile(file),
  );
  return sourceFrom(read, name, note);
}

/** A recognised run, what was assumed in reading it said aloud. */
export function sourceFrom(read: RecognisedRun, name: string, note: Context['note']): Required<Source> {
  for (const each of read.notes) note(`${name}: ${each}`);
  return { mechanism: read.mechanism, title: titleOf(name), read };
}

/** What a drawing or a report that others see is headed with: the file's own name, not where it lay. */
export function titleOf(file: string): string {
  return basename(file);
}

/** The engine asked for; says so where WebAssembly does not run. */
export async function engineOf(args: Args, context: Context): Promise<Engine> {
  const kernel = args.oneOf('engine', ['auto', 'wasm', 'reference']) ?? 'auto';
  const engine = await sharedEngine(kernel);
  if (engine.fallbackReason !== undefined) {
    context.note(`using the slower reference engine, WebAssembly does not run: ${engine.fallbackReason}`);
  }
  return engine;
}

export function effortOf(args: Args): { effort?: number } {
  if (args.text('effort') === 'unlimited') return { effort: Infinity };
  const effort = args.number('effort', EFFORT.expected, EFFORT.holds);
  return effort === undefined ? {} : { effort };
}

export function toleranceOf(args: Args): { tolerance?: number } {
  const tolerance = args.number('tolerance', TOLERANCE);
  return tolerance === undefined ? {} : { tolerance };
}

const WORDS: Readonly<Record<string, (numbers: readonly number[]) => Tries>> = {
  geometric: ([mean]) => ({ kind: 'negative-binomial', eta: 1, mean }),
  logarithmic: ([mean]) => ({ kind: 'negative-binomial', eta: 0, mean }),
  poisson: ([mean]) => ({ kind: 'poisson', mean }),
  binomial: ([trials, probability]) => ({ kind: 'binomial', trials, probability }),
  fixed: ([count]) => ({ kind: 'fixed', count }),
};

/** The best of the tries that --tries tells of; the mechanism itself without them. */
function searchedOver(args: Args, inner: Mechanism): Mechanism {
  const text = args.text('tries');
  if (text === undefined) return inner;
  const asWords = (): Tries => {
    if (/^\d+$/.test(text)) return { kind: 'fixed', count: Number(text) };
    const [word, ...numbers] = text.split(':');
    const make = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    if (make === undefined || numbers.length !== (word === 'binomial' ? 2 : 1))
      throw new UsageError(
        `"--tries" must be a whole number, geometric:MEAN, logarithmic:MEAN, poisson:MEAN, binomial:TRIALS:PROBABILITY or JSON, got "${quotable(text)}"`,
      );
    return make(numbers.map(Number));
  };
  const runs = text.trimStart().startsWith('{') ? (parseJson(text) as Tries) : asWords();
  return select({ runs, inner });
}

/** The adjacency asked for, that of the file, or the first that something is proved under. */
export function sourceAdjacency(args: Args, { note }: Context, { mechanism, read }: Source): Adjacency {
  const asked = args.oneOf('adjacency', ADJACENCIES) ?? read?.facts.adjacency;
  return adjacencyOf(asked, mechanism, note);
}

/** The run a command is about, accounted. */
export async function accountedRun(args: Args, context: Context, source: Source): Promise<ComposedRun> {
  const seconds = args.number('max-time', 'a number of seconds > 0', (x) => x > 0);
  const options = {
    adjacency: sourceAdjacency(args, context, source),
    ...toleranceOf(args),
    ...effortOf(args),
    method: args.oneOf('method', METHODS) ?? 'auto',
    ...(seconds !== undefined && { maxTime: 1000 * seconds }),
  } as const;
  const engine = await engineOf(args, context);
  const run = account(engine, searchedOver(args, source.mechanism), options);
  const { deadline, allowance } = run;
  if (allowance !== undefined)
    allowance.whenLimited = () =>
      context.note(
        'an answer took all the work it may: its brackets hold, and may be wider than asked for; more --effort may narrow them',
      );
  if (deadline !== undefined)
    deadline.whenLate = () =>
      context.note(`--max-time ${seconds} is over: brackets hold, and are wider than asked for`);
  const groups = run.directions[0].groups;
  if (groups !== undefined) {
    context.note(groupsSentence(groups));
  }
  const taken = answersTaken(stepsOf(source.mechanism), options.adjacency);
  if (taken !== undefined) context.note(`randomised response: ${taken}`);
  return run;
}

/** What every JSON answer about a run says of how it was found. */
export function provenance(run: ComposedRun): object {
  const { method, settings, directions, timedOut, everLimited } = run;
  const [{ groups }] = directions;
  const { engine, adjacency, mechanism, effort } = settings;
  return {
    method,
    engine,
    adjacency,
    ...(groups !== undefined && { groups }),
    ...(effort !== 1 && { effort: effort === Infinity ? 'unlimited' : effort }),
    ...(everLimited && { limited: true }),
    ...(timedOut && { timedOut: true }),
    mechanism,
  };
}
