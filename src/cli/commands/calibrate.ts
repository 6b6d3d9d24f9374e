import {
  type CalibrateOptions,
  type Calibration,
  type Compose,
  calibrate as calibrateKnob,
  calibrateShares,
  type Engine,
  type Knob,
  laplaceScaleKnob,
  type Mechanism,
  noiseMultiplierKnob,
  type Share,
  samplingRateKnob,
  scaleKnob,
  stepsKnob,
  type Target,
} from '../../index.js';
import { ADJACENCIES } from '../../mechanism/adjacency.js';
import { describeMechanism } from '../../mechanism/pairs.js';
import { stepsOf } from '../../mechanism/steps.js';
import type { Bracket } from '../../numeric/bracket.js';
import { parseJson } from '../../read/json.js';
import { roundDecimal, shortDecimal } from '../../text/decimal.js';
import { type Args, UsageError, withPlace } from '../args.js';
import { type Command, type Context, type Output, value } from '../command.js';
import { DIGITS_FLAGS, FORMATS, line, printed, row, type Safe, shownOf } from '../output.js';
import { PHASE_FLAGS, phaseOf, rateOf, SAMPLINGS } from '../phase-flags.js';
import { accountingOf, adjacencyOf, EFFORT_FLAGS, engineOf } from '../run-source.js';

const KNOBS = ['noise-multiplier', 'sampling-rate', 'steps', 'laplace-scale'] as const;
/** What tells a phase that is not Poisson steps of a rate; noise alone is solved for there. */
const LOADER = [
  'sampling',
  'batch-size',
  'dataset-size',
  'bins',
  'epochs',
  'places',
  'records-per-person',
] as const;
/** Ways of forming batches for which the loss is a monotone function of the noise in milliseconds. */
const SOLVED: readonly string[] = ['poisson', 'balls-and-bins', 'without-replacement', 'fixed'];
/** The noise that is looked for there. */
const [LEAST_NOISE, MOST_NOISE] = [0.05, 1e4];

export const calibrate: Command = {
  name: 'calibrate',
  usage: '[FILE] --epsilon E --delta D --sampling-rate Q --steps T',
  summary: 'the least noise, or the most data or steps, that meets a target',
  examples: [
    'gdp calibrate --epsilon 2 --delta 1e-5 --sampling-rate 0.01 --steps 1000',
    'gdp calibrate --mu 1 --sampling-rate 0.01 --steps 1000',
  ],
  operand:
    'JSON: a mechanism with "?" or {"times": 2} for its noise,\nor "shares" of a budget, each with such a mechanism',
  flags: {
    for: value(
      'KNOB',
      'what to solve for: noise-multiplier (default),\nsampling-rate, steps or laplace-scale',
    ),
    'noise-multiplier': { ...PHASE_FLAGS['noise-multiplier'], help: 'noise over clipping norm' },
    'sampling-rate': { ...PHASE_FLAGS['sampling-rate'], help: 'Poisson sampling rate (default 1)' },
    steps: { ...PHASE_FLAGS['steps'], help: 'number of steps, or of Laplace queries (default 1)' },
    ...Object.fromEntries(LOADER.map((flag) => [flag, PHASE_FLAGS[flag]])),
    sensitivity: value('X', 'L1 sensitivity of a Laplace query (default 1)'),
    epsilon: value('E', 'target: (epsilon, delta)-DP,'),
    delta: value('D', 'with this delta; 0 for pure DP'),
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
  },
  async run(args, context) {
    // before the words that an account has for it
    args.number('tolerance', 'a number in [1e-9, 0.1]');
    const accounting = accountingOf(args);
    const target = targetOf(args);
    const engine = await engineOf(args, context);
    const asked = args.oneOf('adjacency', ADJACENCIES);
    if (args.operands.length > 0) {
      const options = { ...(asked && { adjacency: asked }), ...accounting };
      return shownOfFile(args, engine, await templateOf(args, context), { target, options });
    }
    const knob = knobOf(args);
    const loaded = LOADER.some((flag) => args.has(flag));
    const adjacency = loaded
      ? adjacencyOf(args, context, { mechanism: knob.mechanismAt(1) })
      : (asked ?? 'add-remove');
    const assumed = loaded ? undefined : assumptionsOf(args, knob);
    if (assumed !== undefined) context.note(assumed);
    return shown(args, knob, calibrateKnob(engine, knob, target, { adjacency, ...accounting }));
  },
};

/** What the file says of the run: a mechanism with "?" for its noise, or shares of a budget, each with such a one. */
async function templateOf(args: Args, { files }: Context): Promise<unknown> {
  const [file, other] = args.operands;
  const flag = OF_A_RUN.find((each) => args.has(each));
  const more = other ?? (flag && `--${flag}`);
  if (more !== undefined) throw new UsageError(`the run is in "${file}": leave out "${more}"`);
  const text = await files.text(file);
  return withPlace(file, async () => parseJson(text));
}

/** Options that say what a file says. */
const OF_A_RUN = ['for', 'noise-multiplier', 'sampling-rate', 'steps', ...LOADER, 'sensitivity'] as const;

function shownOfFile(
  args: Args,
  engine: Engine,
  template: unknown,
  { target, options }: { target: Target; options: CalibrateOptions },
): Output {
  if (!Object.hasOwn(Object(template), 'shares')) {
    const knob = scaleKnob(template);
    return shown(args, knob, calibrateKnob(engine, knob, target, options));
  }
  const { shares } = template as { shares: readonly Share[] };
  const answer = calibrateShares(engine, shares, target, options);
  const { parts } = answer.reached ? (answer.mechanism as Compose) : { parts: [] };
  const lines = parts.map((part, i) => row(`share ${shortDecimal(shares[i].share)}`, spoken(part)));
  return shown(args, { name: 'budget', larger: 'less-private' }, answer, lines.join(''));
}

/** A part in a few words: how often, and of what kind each of its steps is. */
function spoken(part: Mechanism): string {
  return stepsOf(part)
    .map(({ mechanism, rate, count }) => {
      const often = count > 1 ? `${count} times ` : '';
      return `${often}${describeMechanism(mechanism)}${rate < 1 ? ` on a sample of rate ${shortDecimal(rate)}` : ''}`;
    })
    .join('; ');
}

const numberOf = (args: Args, flag: string) => args.number(flag, 'a finite number >= 0');

function knobOf(args: Args): Knob {
  const name = args.oneOf('for', KNOBS) ?? 'noise-multiplier';
  args.without([name], 'is what is solved for: leave it out');
  const loader = LOADER.find((each) => args.has(each));
  if (loader !== undefined) {
    if (name !== 'noise-multiplier') throw new UsageError(`"--${loader}" needs --for noise-multiplier`);
    args.without(['sensitivity'], 'needs --for laplace-scale');
    return loaderKnob(args);
  }
  const samplingRate = args.has('sampling-rate') ? rateOf(args) : 1;
  const steps = numberOf(args, 'steps') ?? 1;
  if (name === 'laplace-scale') {
    args.without(['noise-multiplier', 'sampling-rate'], 'has no meaning for --for laplace-scale');
    return laplaceScaleKnob({ sensitivity: numberOf(args, 'sensitivity') ?? 1, count: steps });
  }
  args.without(['sensitivity'], 'needs --for laplace-scale');
  if (name === 'noise-multiplier') return noiseMultiplierKnob({ samplingRate, steps });
  const noise = args.required(numberOf(args, 'noise-multiplier'), 'noise-multiplier', `to solve for ${name}`);
  return name === 'steps'
    ? stepsKnob({ noiseMultiplier: noise, samplingRate })
    : samplingRateKnob({ noiseMultiplier: noise, steps });
}

function loaderKnob(args: Args): Knob {
  const sampling = args.oneOf('sampling', SAMPLINGS) ?? 'poisson';
  if (!SOLVED.includes(sampling))
    throw new UsageError(`noise is solved for --sampling ${SOLVED.join(', ')}, got "${sampling}"`);
  return {
    name: 'noise multiplier',
    least: LEAST_NOISE,
    most: MOST_NOISE,
    larger: 'more-private',
    mechanismAt: phaseOf(args).at,
  };
}

/** What was not said of the run and is taken as one step, or query, on all the data; nothing if all was said. */
function assumptionsOf(args: Args, knob: Knob): string | undefined {
  const laplace = args.text('for') === 'laplace-scale';
  const assumed = [
    ['steps', laplace ? '1 query' : '1 step'],
    ...(laplace ? [['sensitivity', 'sensitivity 1']] : [['sampling-rate', 'sampling rate 1']]),
  ].filter(([flag]) => !args.has(flag) && (args.text('for') ?? 'noise-multiplier') !== flag);
  if (assumed.length === 0) return undefined;
  const flags = assumed.map(([flag]) => `--${flag}`).join(' and ');
  const name = knob.name === 'steps' ? 'number of steps' : knob.name;
  return `this ${name} is for ${assumed.map(([, text]) => text).join(', ')}: give ${flags} for another run`;
}

/** The groups of options that make a target, and what the library calls them. */
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

/** Losses whose safe end or digits are not those of others. */
const SAFE: Readonly<Record<string, Safe>> = { mu: FORMATS.mu, bayesError: FORMATS.missRate };

function targetOf(args: Args): Target {
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
    target[name] = args.required(numberOf(args, flag), flag, 'the target is not complete');
  }
  const alphaMin = numberOf(args, 'alpha-min');
  // no mu without its window
  if (args.has('mu')) target['alphaMin'] = alphaMin ?? 1e-10;
  else args.without(['alpha-min'], 'needs --mu');
  return target as unknown as Target;
}

function shown(
  args: Args,
  knob: Pick<Knob, 'name' | 'larger' | 'whole'>,
  answer: Calibration,
  beside = '',
): Output {
  const text = () => {
    const style = shownOf(args);
    if (!answer.reached) return `out of reach: ${answer.reason}\n`;
    const window = 'alphaMin' in answer.target ? ` (rates >= ${shortDecimal(answer.target.alphaMin!)})` : '';
    const losses = Object.entries(answer.achieved).map(([name, value]: [string, Bracket]) =>
      line(`${name}${window}`, value, style, SAFE[name] ?? {}),
    );
    // rounded to the private side
    const side = knob.larger === 'more-private' ? 'up' : 'down';
    const { digits = FORMATS.solved.digits! } = style;
    const value = knob.whole ? shortDecimal(answer.value) : roundDecimal(answer.value, side, { digits });
    const solved = row(knob.name, `${value}${answer.atLimit ? ' (the end of its range)' : ''}`);
    return [solved, ...losses, beside].join('');
  };
  return printed(args, answer, text, answer.reached ? 0 : 1);
}
