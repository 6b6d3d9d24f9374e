import { calibrate, type Target } from '../calibrate/calibrate.js';
import type { Unknown as Solved } from '../calibrate/goal.js';
import type { Engine } from '../engine.js';
import { roundDecimal } from '../text/decimal.js';
import { hasWholeEpochs } from './loaders.js';
import type { Part, Question } from './messages.js';
import { type Aim, at, FIELDS, phaseOf, type Setting, type Unknown } from './state.js';
import { asking, COARSE_TOLERANCE, linesOf, reachOf, subjectOf } from './subject.js';

/** Digits of a solved value: it is rounded to the safe side, and the claim is that of the rounded value. */
const DIGITS = 4;
const ROUNDS = 48;
const STEPS_BACK = 8;
/** Lines of the bounds of groups. */
const SOLVE_LINES = 56;
const NO_LINES = { epsilon: [], delta: [] };

type Asked = Question & { task: 'solve' };

/** The value of the unknown field that meets the target, or why there is none. */
export function solved(engine: Engine, asked: Asked): Part {
  const { unknown } = asked;
  const range = rangeOf(asked);
  const plain = subjectOf(engine, asked.setting, COARSE_TOLERANCE).links === 1;
  const found = plain ? calibrated(engine, asked, range) : bisected(engine, asked, range);
  if (found === undefined) return { kind: 'unreached', reason: unreached(asked, range) };
  // a batch also changes the whole number of steps, over which the loss is not quite monotone
  const whole = unknown === 'batch' || (unknown === 'epochs' && hasWholeEpochs(asked.setting));
  let value = whole
    ? Math.max(1, Math.floor(found))
    : Number(roundDecimal(found, unknown === 'sigma' ? 'up' : 'down', { digits: DIGITS }));
  for (let i = 0; i < STEPS_BACK && excess(engine, asked, value) > 0; i++)
    value = whole ? Math.max(1, value - Math.max(1, Math.floor(value * 1e-3))) : safer(unknown, value);
  return excess(engine, asked, value) > 0
    ? { kind: 'unreached', reason: unreached(asked, range) }
    : { kind: 'solved', solved: { unknown, value } };
}

type Range = Pick<Solved, 'least' | 'most'>;

function rangeOf({ unknown, setting }: Asked): Range {
  if (unknown === 'batch') return { least: 1, most: setting.size };
  if (unknown === 'sigma') return { least: 1e-3, most: 1e6 };
  return { least: phaseOf(setting).rate, most: 1e7 };
}

function targetOf({ aim, target, setting, alpha }: Asked): Target {
  return {
    epsilon: { epsilon: target, delta: setting.delta },
    mu: { mu: target, alphaMin: 1e-10 },
    advantage: { advantage: target },
    found: { truePositiveRate: target, falsePositiveRate: alpha },
  }[aim];
}

function calibrated(engine: Engine, asked: Asked, { least, most }: Range): number | undefined {
  const { setting, unknown } = asked;
  const solving: Solved = {
    name: FIELDS[unknown].label.toLowerCase(),
    least,
    most,
    larger: unknown === 'sigma' ? 'more-private' : 'less-private',
    mechanismAt: (value) =>
      subjectOf(engine, at(setting, unknown, value), COARSE_TOLERANCE).run.settings.mechanism,
    guess: ({ mu }) => guessed(setting, unknown, mu),
    ...(unknown === 'batch' && { whole: true }),
  };
  const { adjacency } = subjectOf(engine, setting, COARSE_TOLERANCE).run.settings;
  const answer = calibrate(engine, solving, targetOf(asked), { adjacency, tolerance: 1e-4 });
  return answer.reached ? answer.value : undefined;
}

/** Where the limit of many steps, μ = q√(T (e^{1/σ²} − 1)), puts the unknown. */
function guessed(setting: Setting, unknown: Unknown, mu: number): number {
  const { sigma, ...phase } = phaseOf(setting);
  const shuffled = setting.loader === 'shuffled';
  const all = setting.loader === 'all' || shuffled;
  const [rate, steps] = shuffled ? [1, setting.epochs] : [phase.rate, phase.steps];
  const each = all ? 1 / sigma ** 2 : Math.expm1(Math.min(100, 1 / sigma ** 2));
  const used = all ? 1 : rate;
  if (unknown === 'sigma') {
    const spent = (mu / used) ** 2 / steps;
    return 1 / Math.sqrt(all ? spent : Math.log1p(spent));
  }
  const passes = mu ** 2 / each;
  // T = epochs/q: μ² is q·epochs times what one step costs
  return unknown === 'epochs' ? (passes / used ** 2) * rate : (passes / setting.epochs) * setting.size;
}

/** Loss over target less one at a value: positive where the target is not met. */
function excess(engine: Engine, asked: Asked, value: number): number {
  const setting = at(asked.setting, asked.unknown, value);
  const subject = subjectOf(engine, setting, COARSE_TOLERANCE);
  const { links } = subject;
  // exact answers need no lines
  const lines = links === 1 ? NO_LINES : linesOf(subject, reachOf(subject, setting.delta), SOLVE_LINES);
  const ask = asking(subject, lines);
  const loss: Readonly<Record<Aim, () => number>> = {
    epsilon: () => ask.epsilon(setting.delta).upper,
    advantage: () => ask.advantage().upper,
    found: () => ask.found(asked.alpha).upper,
    // of one link it was calibrated, and is not cheap to ask again; of a chain nothing is known
    mu: () => (links === 1 ? asked.target : Infinity),
  };
  return loss[asked.aim]() / asked.target - 1 - (links === 1 ? 1e-12 : 0);
}

/** Halving of the logarithm between a value that meets the target and one that does not. */
function bisected(engine: Engine, asked: Asked, { least, most }: Range): number | undefined {
  const rising = asked.unknown === 'sigma';
  let [met, missed] = rising ? [most, least] : [least, most];
  if (excess(engine, asked, met) > 0) return undefined;
  if (excess(engine, asked, missed) <= 0) return missed;
  for (let i = 0; i < ROUNDS && Math.abs(met / missed - 1) > 1e-5; i++) {
    const middle = Math.sqrt(met * missed);
    if (excess(engine, asked, middle) > 0) missed = middle;
    else met = middle;
  }
  return met;
}

/** One unit of the last digit further to the safe side. */
function safer(unknown: Unknown, value: number): number {
  const unit = Number(`1e${value.toExponential().split('e')[1]}`) / 1000;
  return Number((unknown === 'sigma' ? value + unit : Math.max(unit, value - unit)).toPrecision(DIGITS));
}

function unreached({ aim, target, setting, unknown }: Asked, { least, most }: Range): string {
  const wanted = { epsilon: `ε ≤ ${target} at δ ${setting.delta}`, mu: `μ ≤ ${target}` };
  const what = aim === 'epsilon' || aim === 'mu' ? wanted[aim] : `${aim} ≤ ${target}`;
  const end = unknown === 'sigma' ? `No noise up to ${most}` : `No value of this field from ${least} on`;
  return `${end} reaches ${what}.`;
}
