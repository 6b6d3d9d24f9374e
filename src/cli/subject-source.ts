import {
  account,
  type ComposedRun,
  type Engine,
  groupPrivacy,
  iceaProfile,
  laplace,
  runTradeoff,
  type Subject,
  sgdFamilyProfile,
  type TradeoffFunction,
} from '../index.js';
import type { Bracket } from '../numeric/bracket.js';
import { bracketText, shortDecimal } from '../text/decimal.js';
import { numberOrText } from '../text/typed.js';
import { type Args, UsageError, withPlace } from './args.js';
import { type Context, type Flags, value } from './command.js';
import { inTurn, line, type Safe, shownOf, toJson } from './output.js';
import { PHASE_FLAGS } from './phase-flags.js';
import { engineOf, provenance, RUN_FLAGS, runOf, SEARCH_FLAGS, type Source } from './run-source.js';

export const GROUP_FLAGS: Flags = {
  ...RUN_FLAGS,
  group: value(
    'K',
    'group privacy, which holds for any mechanism;\nof Gaussian runs --records-per-person is sharper',
    'a whole number from 1 to 10000',
  ),
};

/** The size of groups; default 1. */
export function groupOf(args: Args): number {
  return args.number('group') ?? 1;
}

/** The run, or its trade-off function for groups. */
export function grouped(args: Args, run: ComposedRun): ComposedRun | TradeoffFunction {
  const size = groupOf(args);
  return size === 1 ? run : groupPrivacy(runTradeoff(run), size);
}

/** Fields of a JSON answer on groups: without the mechanism, which states the guarantee of single records. */
export function groupProvenance(args: Args, run: ComposedRun): object {
  const size = groupOf(args);
  if (size === 1) return provenance(run);
  const { mechanism: _, ...rest } = provenance(run) as { mechanism?: unknown };
  return { ...rest, group: size };
}

export const FORMULA_FLAGS: Flags = {
  ...RUN_FLAGS,
  formula: value(
    'F',
    'or a formula in place of FILE: laplace:EPSILON,\nsgd-family:A,B,SIGMA or icea:MESSAGES,USERS',
  ),
};

/** Trade-off functions with a formula, by name, each with its parameters. */
const FORMULAS: Readonly<
  Record<string, (engine: () => Promise<Engine>, ...numbers: number[]) => Subject | Promise<Subject>>
> = {
  laplace: async (engine, epsilon) =>
    account(await engine(), laplace({ scale: 1, sensitivity: epsilon }), { adjacency: 'add-remove' }),
  'sgd-family': (_, A, B, sigma) => sgdFamilyProfile({ A, B, sigma }),
  icea: (_, messages, users) => iceaProfile({ messages, users }),
};

interface SubjectSource {
  readonly title: string;
  readonly subject: Subject;
  /** Fields of JSON on how the answer was computed. Called after the answer, since they state what limited it. */
  readonly provenance: () => object;
}

/** The subject of a command that accepts profiles too: FILE, a phase that options describe, or a formula by its name. */
export async function subjectOf(args: Args, context: Context): Promise<SubjectSource> {
  const text = args.text('formula');
  if (text === undefined) {
    const { source, run } = await runOf(args, context);
    return { title: source.title, subject: run, provenance: () => provenance(run) };
  }
  if (args.operands.length > 0) throw new UsageError('give either FILE or "--formula", not both');
  args.without(Object.keys({ ...PHASE_FLAGS, ...SEARCH_FLAGS }), 'is about a run: not for "--formula"');
  return withPlace('"--formula"', async () => {
    const [name, ...rest] = text.split(':');
    if (!Object.hasOwn(FORMULAS, name))
      throw new UsageError(`"--formula" must be one of ${Object.keys(FORMULAS).join(', ')}, got "${name}"`);
    const numbers = rest.join(':').split(',').map(numberOrText);
    const count = FORMULAS[name].length - 1;
    if (numbers.length !== count || numbers.some((x) => typeof x !== 'number'))
      throw new UsageError(`"--formula" ${name} takes ${count} numbers after a colon, got "${text}"`);
    const subject = await FORMULAS[name](() => engineOf(args, context), ...(numbers as number[]));
    return { title: text, subject, provenance: () => ({ formula: text }) };
  });
}

/** A question that is asked at several points. */
interface Asked {
  /** The names of the point and of the answer. */
  readonly at: string;
  readonly of: string;
  readonly points: readonly number[];
  /** The answer by its name, with further fields for JSON. */
  ask(at: number): Readonly<Record<string, unknown>>;
  readonly safe?: Safe;
}

/**
 * Answers at several points, as lines of text or with `--json` as JSON. If FILE is an earlier answer, a note compares the numbers.
 *
 * @param shared Fields of JSON for all answers together. Called after the answers, since they state what limited them.
 */
export function answersAt(
  args: Args,
  context: Context,
  { at, of, points, ask, safe }: Asked,
  shared: () => object,
  source?: Source,
): string {
  const results = inTurn(
    context,
    points,
    (point): Record<string, unknown> => ({ [at]: point, ...ask(point) }),
  );
  const brackets = results.map((result) => result[of] as Bracket);
  if (source !== undefined && groupOf(args) === 1)
    points.forEach((point, i) => {
      compareWithAnswered(source, context, [at, point], [of, brackets[i]]);
    });
  if (args.has('json'))
    return toJson(results.length === 1 ? { ...results[0], ...shared() } : { results, ...shared() });
  return points.map((x, i) => line(`${of}(${shortDecimal(x)})`, brackets[i], shownOf(args), safe)).join('');
}

/** Prints a note on whether an answer agrees with the earlier answer to the same question in the file, if there is one. */
export function compareWithAnswered(
  { read }: Source,
  { note }: Context,
  [key, at]: readonly [string, number],
  [name, value]: readonly [string, Bracket],
): void {
  if (read?.answered === undefined) return;
  for (const each of answersIn(read.answered)) {
    const stated = bracketIn(each[name]);
    if (each[key] !== at || stated === undefined) continue;
    const same = stated.lower === value.lower && stated.upper === value.upper;
    const meets = stated.lower <= value.upper && value.lower <= stated.upper;
    const verdict = same
      ? 'reproduced, every bit'
      : meets
        ? 'reproduced: the two brackets overlap'
        : 'NOT reproduced: the two brackets have nothing in common';
    note(`${name}(${shortDecimal(at)}) was stated as ${bracketText(stated)}: ${verdict}`);
  }
}

function answersIn(answered: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  const lists = ['results', 'epsilonAtDelta', 'tradeoff'].flatMap((list) => answered[list] ?? []);
  return [answered, ...lists].filter((each): each is Record<string, unknown> => typeof each === 'object');
}

function bracketIn(value: unknown): Bracket | undefined {
  const { lower, upper } = (value ?? {}) as { lower?: unknown; upper?: unknown };
  const [a, b] = [lower, upper].map((end) => (end === 'Infinity' ? Infinity : end));
  return typeof a === 'number' && typeof b === 'number' ? { lower: a, upper: b } : undefined;
}
