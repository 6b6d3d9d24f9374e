import {
  type CalibrateOptions,
  type Calibration,
  type Compose,
  calibrateShares,
  calibrate as calibrateUnknown,
  compose,
  type Engine,
  InputRangeError,
  laplace,
  type Mechanism,
  repeat,
  type Share,
  type Target,
  type Unknown,
  type UnknownName,
  unknownIn,
  unknownOf,
} from '../../index.js';
import { ADJACENCIES } from '../../mechanism/adjacency.js';
import { describeMechanism } from '../../mechanism/pairs.js';
import { stepsOf } from '../../mechanism/steps.js';
import type { Bracket } from '../../numeric/bracket.js';
import { parseJson } from '../../read/json.js';
import { USUAL_ALPHA_MIN } from '../../run/window.js';
import { roundDecimal, shortDecimal } from '../../text/decimal.js';
import { settingText } from '../../text/rounded.js';
import { type Args, UsageError, withPlace } from '../args.js';
import { type Command, type Context, each, type Output, value } from '../command.js';
import { nameOf, textOf } from '../files.js';
import { STD_FLAGS } from '../noise-flags.js';
import { DIGITS_FLAGS, FORMATS, line, printed, row, type Safe, shownOf } from '../output.js';
import { PHASE_FLAGS, phaseOf, SAMPLINGS } from '../phase-flags.js';
import {
  accountingOf,
  adjacencyOf,
  EFFORT_FLAGS,
  engineOf,
  READ_FLAGS,
  readRun,
  type Source,
} from '../run-source.js';

/** The library's name of each number that can be solved for, by the option that would state it. */
const UNKNOWNS: Readonly<Record<string, UnknownName>> = {
  'noise-multiplier': 'noiseMultiplier',
  'sampling-rate': 'samplingRate',
  steps: 'steps',
  epochs: 'epochs',
  bins: 'bins',
  'records-per-person': 'recordsPerPerson',
  'laplace-scale': 'scale',
};
/** Options of a phase beside its noise, rate and steps. */
const LOADER = [
  'sampling',
  'batch-size',
  'dataset-size',
  'bins',
  'epochs',
  'drop-last',
  'places',
  'records-per-person',
] as const;
/** Loaders whose numbers can be solved for, because one answer takes milliseconds. */
const SOLVED: readonly string[] = ['poisson', 'balls-and-bins', 'without-replacement', 'fixed'];
/** The default δ. */
const DELTA = 1e-5;

export const calibrate: Command = {
  name: 'calibrate',
  usage: '[FILE] --epsilon E --delta D --sampling-rate Q --steps T',
  summary: 'the least noise, or the most data or steps, that meets a target',
  examples: [
    'gdp calibrate --epsilon 2 --delta 1e-5 --sampling-rate 0.01 --steps 1000',
    'gdp calibrate --mu 1 --sampling-rate 0.01 --steps 1000',
  ],
  operand: `JSON: a mechanism or history with "?" for its unknown
number, or "shares" of a budget, each with such a
mechanism. With --for: what was run before`,
  flags: {
    for: value(
      'WHAT',
      'what to solve for: noise-multiplier (default), steps,\nepochs, sampling-rate, bins, records-per-person or\nlaplace-scale',
    ),
    'noise-multiplier': { ...PHASE_FLAGS['noise-multiplier'], help: 'noise over clipping norm' },
    'sampling-rate': { ...PHASE_FLAGS['sampling-rate'], help: 'Poisson sampling rate (default 1)' },
    ...STD_FLAGS,
    steps: { ...PHASE_FLAGS['steps'], help: 'number of steps, or of Laplace queries (default 1)' },
    ...Object.fromEntries(LOADER.map((flag) => [flag, PHASE_FLAGS[flag]])),
    sensitivity: value('X', 'L1 sensitivity of a Laplace query (default 1)'),
    epsilon: each('E[,E...]', 'target: (epsilon, delta)-DP,'),
    delta: value('D', 'with this delta (default 1e-5); 0 for pure DP'),
    mu: value('M', 'or mu-GDP'),
    'alpha-min': value('A', 'on the window of error rates from A (default 1e-10)'),
    advantage: value('V', 'or a membership advantage'),
    tpr: value('P', 'or at most this true positive rate'),
    fpr: value('F', 'at this false positive rate'),
    'bayes-error': value('B', 'or at least this error of a membership guess,'),
    prior: value('P', 'for this prior probability that the record was used'),
    ppv: value('V', 'or this positive predictive value, with --prior and --fpr'),
    reconstruction: value('R', 'or this success of guessing a secret,'),
    baseline: value('K', 'where it is K without the release'),
    rho: value('R', 'or rho-zCDP'),
    renyi: value('R', 'or a Renyi divergence'),
    order: value('L', 'of this order'),
    ...DIGITS_FLAGS,
    ...EFFORT_FLAGS,
    ...READ_FLAGS,
  },
  async run(args, context) {
    // checked here, so that the message names the option and not the library's field
    args.number('tolerance', 'a number in [1e-9, 0.1]');
    const accounting = accountingOf(args);
    const target = targetOf(args, context);
    const engine = await engineOf(args, context);
    const [file, other] = args.operands;
    if (other !== undefined) throw new UsageError(`the run is in "${file}": leave out "${other}"`);
    if (file !== undefined && toldIn(args) === undefined) {
      const options = { ...accounting, ...givenAdjacency(args) };
      const template = await templateOf(file, context);
      if (Object.hasOwn(Object(template), 'shares'))
        return shownShares(args, engine, template, { target, options });
      const unknown = await withPlace(nameOf(file), async () => unknownIn(template));
      return shown(args, unknown, calibrateUnknown(engine, unknown, target, options));
    }
    const before = file === undefined ? undefined : await runBefore(file, args, context);
    const { unknown, say } = unknownOfPhase(args, context, before);
    const mechanism = unknown.mechanismAt(unknown.most);
    const adjacency = adjacencyOf(args, context, { ...before, mechanism });
    const answer = calibrateUnknown(engine, unknown, target, { ...accounting, adjacency });
    say?.(answer.value);
    return shown(args, unknown, answer, { more: before !== undefined && unknown.whole === true });
  },
};

function givenAdjacency(args: Args): Pick<CalibrateOptions, 'adjacency'> {
  const adjacency = args.oneOf('adjacency', ADJACENCIES);
  return adjacency === undefined ? {} : { adjacency };
}

/** The mechanism in a file with "?" for an unknown number, or the shares of a budget, each with one "?". */
async function templateOf(file: string, context: Context): Promise<unknown> {
  const text = await textOf(file, context);
  return withPlace(nameOf(file), async () => parseJson(text));
}

/** What was run before the steps that are solved for. */
async function runBefore(file: string, args: Args, context: Context): Promise<Source> {
  const text = file === '-' ? '' : await context.files.text(file).catch(() => '');
  if (/"(\?|times|shares)"/.test(text))
    throw new UsageError(`the run is in "${file}": leave out "--${toldIn(args)}"`);
  return readRun(file, args, context);
}

/** Options that describe a run, which are left out if a file does. */
const OF_A_RUN = ['for', 'noise-multiplier', 'sampling-rate', 'steps', ...LOADER, 'sensitivity'] as const;

function toldIn(args: Args): string | undefined {
  return OF_A_RUN.find((each) => args.has(each));
}

function shownShares(
  args: Args,
  engine: Engine,
  template: unknown,
  { target, options }: { target: Target; options: CalibrateOptions },
): Output {
  const { shares } = template as { shares: readonly Share[] };
  const answer = calibrateShares(engine, shares, target, options);
  const { parts } = answer.reached ? (answer.mechanism as Compose) : { parts: [] };
  const lines = parts.map((part, i) => row(`share ${shortDecimal(shares[i].share)}`, spoken(part)));
  return shown(args, { larger: 'less-private' }, answer, { beside: lines.join('') });
}

/** A part in a few words: how often, and the kinds of its steps. */
function spoken(part: Mechanism): string {
  return stepsOf(part)
    .map(({ mechanism, rate, count }) => {
      const often = count > 1 ? `${count} times ` : '';
      return `${often}${describeMechanism(mechanism)}${rate < 1 ? ` on a sample of rate ${shortDecimal(rate)}` : ''}`;
    })
    .join('; ');
}

const numberOf = (args: Args, flag: string) => args.number(flag, 'a finite number >= 0');

interface Asked {
  readonly unknown: Unknown;
  /** Prints the assumptions on the phase at a value. */
  readonly say?: (value: number) => void;
}

/** A number of a DP-SGD phase, or of Laplace queries, as the unknown; `before` is what was run earlier. */
function unknownOfPhase(args: Args, context: Context, before?: Source): Asked {
  const flag = args.oneOf('for', Object.keys(UNKNOWNS)) ?? 'noise-multiplier';
  args.without([flag], 'is what is solved for: leave it out');
  if (flag === 'steps' || flag === 'epochs')
    args.without(['steps', 'epochs'], `does not go with --for ${flag}`);
  if (flag === 'laplace-scale') return { unknown: after(before, UNKNOWNS[flag], laplaceAt(args, context)) };
  args.without(['sensitivity'], 'needs --for laplace-scale');
  const sampling = args.oneOf('sampling', SAMPLINGS) ?? 'poisson';
  if (!SOLVED.includes(sampling))
    throw new UsageError(
      `${flag === 'noise-multiplier' ? 'noise' : flag} is solved for --sampling ${SOLVED.join(', ')}, got "${sampling}"`,
    );
  const like = before === undefined || sampling !== 'poisson' ? undefined : lastPhase(before.mechanism);
  const given = numberOf(args, 'noise-multiplier') ?? like?.noiseMultiplier;
  const noise =
    flag === 'noise-multiplier' ? 0 : args.required(given, 'noise-multiplier', `to solve for ${flag}`);
  const rest =
    sampling === 'poisson' ? restOf(args, flag, before === undefined ? ONE_STEP : { rate: like?.rate }) : {};
  if (before === undefined) assume(context, flag, Object.keys(rest));
  else if (like && (noise !== numberOf(args, 'noise-multiplier') || Object.keys(rest).length > 0))
    context.note(likeBefore(before, like));
  const told = args.with(rest);
  const at = (value: number, say?: Context['note']): Mechanism =>
    flag === 'noise-multiplier'
      ? phaseOf(told, say).at(value)
      : phaseOf(told.with({ [flag]: String(value) }), say).at(noise);
  const unknown = after(before, UNKNOWNS[flag], (value) => {
    try {
      return at(value);
    } catch (error) {
      // a value that no option allows
      throw error instanceof UsageError ? new InputRangeError(error.message) : error;
    }
  });
  return { unknown, say: (value) => at(value, context.note) };
}

interface Phase {
  readonly noiseMultiplier: number;
  readonly rate: number;
}

/** The numbers of the last steps of a run, if they are DP-SGD steps. */
function lastPhase(mechanism: Mechanism): Phase | undefined {
  const last = (mechanism.kind === 'compose' && mechanism.parts.at(-1)) || mechanism;
  const [step, other] = stepsOf(last);
  if (step?.mechanism.kind !== 'gaussian' || other !== undefined) return undefined;
  const { mechanism: noise, sampling, rate } = step;
  return sampling === 'without-replacement' ? undefined : { noiseMultiplier: noise.noiseMultiplier, rate };
}

function after(before: Source | undefined, name: UnknownName, at: Unknown['mechanismAt']): Unknown {
  return unknownOf(name, before === undefined ? at : (value) => compose([before.mechanism, at(value)]));
}

function laplaceAt(args: Args, context: Context): Unknown['mechanismAt'] {
  args.without(['noise-multiplier', 'sampling-rate', ...LOADER], 'has no meaning for --for laplace-scale');
  const [sensitivity, steps] = [numberOf(args, 'sensitivity'), numberOf(args, 'steps')];
  const assumed = {
    ...(steps === undefined && { steps: 1 }),
    ...(sensitivity === undefined && { sensitivity: 1 }),
  };
  assume(context, 'laplace-scale', Object.keys(assumed));
  return (scale) => repeat(laplace({ scale, sensitivity: sensitivity ?? 1 }), steps ?? 1);
}

/** The defaults of a Poisson phase. */
const ONE_STEP = { rate: 1, steps: 1 };

/** Defaults for steps and sampling rate, as options: those of the given ones that no option states and that are not solved for. */
function restOf(
  args: Args,
  flag: string,
  { rate, steps }: { readonly rate?: number | undefined; readonly steps?: number },
): Readonly<Record<string, string>> {
  const says = (...flags: readonly string[]): boolean =>
    flags.some((each) => each === flag || args.has(each));
  return {
    ...(steps !== undefined && !says('steps', 'epochs') && { steps: String(steps) }),
    ...(rate !== undefined && !says('sampling-rate', 'batch-size') && { 'sampling-rate': String(rate) }),
  };
}

function likeBefore({ title }: Source, { noiseMultiplier, rate }: Phase): string {
  const like = `noise multiplier ${shortDecimal(noiseMultiplier)}, sampling rate ${shortDecimal(rate)}`;
  return `the steps to come are as the last of "${title}" where options do not say: ${like}`;
}

/** Prints which numbers were not given, and that one step or query on all records is assumed. */
function assume({ note }: Context, flag: string, assumed: readonly string[]): void {
  if (assumed.length === 0) return;
  const laplace = flag === 'laplace-scale';
  const words: Readonly<Record<string, string>> = {
    steps: laplace ? '1 query' : '1 step',
    'sampling-rate': 'sampling rate 1',
    sensitivity: 'sensitivity 1',
  };
  const flags = assumed.map((each) => `--${each}`).join(' and ');
  const name = { steps: 'number of steps', 'laplace-scale': 'scale' }[flag] ?? flag.replaceAll('-', ' ');
  note(`this ${name} is for ${assumed.map((each) => words[each]).join(', ')}: give ${flags} for another run`);
}

/** Groups of options that make a target together, each with the library's name. */
const TARGETS: readonly Readonly<Record<string, string>>[] = [
  { epsilon: 'epsilon', delta: 'delta' },
  { mu: 'mu' },
  { advantage: 'advantage' },
  { tpr: 'truePositiveRate', fpr: 'falsePositiveRate' },
  { 'bayes-error': 'bayesError', prior: 'prior' },
  { ppv: 'positivePredictiveValue', prior: 'prior', fpr: 'falsePositiveRate' },
  { reconstruction: 'reconstruction', baseline: 'baseline' },
  { rho: 'rho' },
  { renyi: 'renyi', order: 'order' },
];

/** Formats of the achieved losses that are not printed with three digits of the upper end. */
const SAFE: Readonly<Record<string, Safe>> = { mu: FORMATS.mu, bayesError: FORMATS.missRate };

function targetOf(args: Args, { note }: Context): Target {
  const heads = TARGETS.filter((group) => args.has(Object.keys(group)[0]));
  const given = heads.length > 0 ? heads : TARGETS.filter((group) => Object.keys(group).some(args.has, args));
  if (given.length !== 1) {
    const all = TARGETS.map((group) => `--${Object.keys(group).join(' and --')}`).join(', ');
    throw new UsageError(`one target is needed: ${all}`);
  }
  const own = Object.keys(given[0]);
  const others = TARGETS.flatMap(Object.keys).filter((flag) => !own.includes(flag));
  args.without(others, `has no meaning for a target of --${own[0]}`);
  const target: Record<string, number> = {};
  for (const [flag, name] of Object.entries(given[0])) {
    const usual = flag === 'delta' && args.has('epsilon') ? DELTA : undefined;
    if (usual !== undefined && !args.has(flag))
      note(`uses delta ${shortDecimal(usual)}: give --delta for another`);
    target[name] = args.required(numberOf(args, flag) ?? usual, flag, 'the target is not complete');
  }
  const alphaMin = numberOf(args, 'alpha-min');
  // a target of μ always states the least error rate for which it holds
  if (args.has('mu')) target['alphaMin'] = alphaMin ?? USUAL_ALPHA_MIN;
  else args.without(['alpha-min'], 'needs --mu');
  return target as unknown as Target;
}

/** @param told `beside`: further lines of text; `more`: whether the value is added to what was run before. */
function shown(
  args: Args,
  { whole, larger }: Pick<Unknown, 'larger' | 'whole'>,
  answer: Calibration,
  { beside = '', more = false }: { readonly beside?: string; readonly more?: boolean } = {},
): Output {
  const text = () => {
    const style = shownOf(args);
    if (!answer.reached) return `out of reach: ${answer.reason}\n`;
    const window = 'alphaMin' in answer.target ? ` (rates >= ${shortDecimal(answer.target.alphaMin!)})` : '';
    const losses = Object.entries(answer.achieved).map(([name, value]: [string, Bracket]) =>
      line(`${name}${window}`, value, style, SAFE[name] ?? {}),
    );
    // rounded to the more private side
    const side = larger === 'more-private' ? 'up' : 'down';
    const { digits = FORMATS.solved.digits! } = style;
    const value = whole ? settingText(answer.value) : roundDecimal(answer.value, side, { digits });
    const end = answer.atLimit ? ' (the end of its range)' : '';
    const solved = row(answer.unknown, `${value}${more ? ' more' : ''}${end}`);
    return [solved, ...losses, beside].join('');
  };
  return printed(args, answer, text, answer.reached ? 0 : 1);
}
