import type { Given, Goal, Unknown as Solved } from '../calibrate/goal.js';
import { advantage, attack, epsilonDelta, gaussianMu } from '../calibrate/goals.js';
import { guessed } from '../calibrate/guess.js';
import { solved as calibrate } from '../calibrate/solved.js';
import type { Target } from '../calibrate/target.js';
import type { Engine } from '../engine.js';
import { LONG_SUM } from '../numeric/rounding.js';
import { crossing } from '../numeric/solve.js';
import { USUAL_ALPHA_MIN } from '../run/window.js';
import { roundDecimal } from '../text/decimal.js';
import { hasWholeEpochs } from './loaders.js';
import type { AnswerPart, Question } from './messages.js';
import { type Aim, at, FIELDS, phaseOf, type SettingUnknown } from './state.js';
import { asking, COARSE_TOLERANCE, linesOf, reachOf, subjectOf } from './subject.js';

/** Number of digits of a solved value. It is rounded to the more private side, and the claim is that of the rounded value. */
const DIGITS = 4;
/** Greatest number of times that a solved value which misses the target is moved to the more private side. */
const STEPS_BACK = 8;
/** Number of supporting lines from which bounds for several records of a person are computed. */
const SOLVE_LINES = 56;
const NO_LINES = { epsilon: [], delta: [] };

type Asked = Question & { task: 'solve' };

/** The value of the unknown field at which the target is met, or the reason why there is none. */
export function solved(engine: Engine, asked: Asked): AnswerPart {
  const { unknown } = asked;
  const range = rangeOf(asked);
  const plain = subjectOf(engine, asked.setting, COARSE_TOLERANCE).links === 1;
  const found = plain ? calibrated(engine, asked, range) : crossed(engine, asked, range);
  if (found === undefined) return { kind: 'unreached', reason: unreached(asked, range) };
  // the batch also changes the number of steps, a whole number, so the loss is only nearly monotone in the batch
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

/** The target as `calibrate` states it, and the privacy loss that it limits. */
function aimOf({ aim, target, setting, alpha }: Asked): { readonly target: Target; readonly goal: Goal } {
  const of = <T extends Target>(stated: T, goal: (given: Given) => Goal) => ({
    target: stated,
    goal: goal({ ...stated }),
  });
  return {
    epsilon: () => of({ epsilon: target, delta: setting.delta }, epsilonDelta),
    mu: () => of({ mu: target, alphaMin: USUAL_ALPHA_MIN }, gaussianMu),
    advantage: () => of({ advantage: target }, advantage),
    found: () => of({ truePositiveRate: target, falsePositiveRate: alpha }, attack),
  }[aim]();
}

function calibrated(engine: Engine, asked: Asked, { least, most }: Range): number | undefined {
  const { setting, unknown } = asked;
  const sought: Solved = {
    name: FIELDS[unknown].label.toLowerCase(),
    least,
    most,
    larger: unknown === 'sigma' ? 'more-private' : 'less-private',
    mechanismAt: (value) =>
      subjectOf(engine, at(setting, unknown, value), COARSE_TOLERANCE).run.settings.mechanism,
    ...(unknown === 'batch' && { whole: true }),
  };
  const { adjacency } = subjectOf(engine, setting, COARSE_TOLERANCE).run.settings;
  const answer = calibrate(
    engine,
    { ...sought, guess: (allowed) => guessed(sought, allowed) },
    aimOf(asked),
    { adjacency, tolerance: 1e-4 },
  );
  return answer.reached ? answer.value : undefined;
}

/** The privacy loss divided by the target, less 1: positive where the target is exceeded. */
function excess(engine: Engine, asked: Asked, value: number): number {
  const setting = at(asked.setting, asked.unknown, value);
  const subject = subjectOf(engine, setting, COARSE_TOLERANCE);
  const { links } = subject;
  // answers for a pair of neighbours itself need no supporting lines
  const lines = links === 1 ? NO_LINES : linesOf(subject, reachOf(subject, setting.delta), SOLVE_LINES);
  const ask = asking(subject, lines);
  const loss: Readonly<Record<Aim, () => number>> = {
    epsilon: () => ask.epsilon(setting.delta).upper,
    advantage: () => ask.advantage().upper,
    found: () => ask.found(asked.alpha).upper,
    // for one record the value was calibrated to this μ, and asking again is slow; for a group of `links` records no μ is known, and ∞ exceeds any target
    mu: () => (links === 1 ? asked.target : Infinity),
  };
  return loss[asked.aim]() / asked.target - 1 - (links === 1 ? LONG_SUM : 0);
}

/** The value at which loss and target agree, by bisection in the logarithm of the value, to five digits. */
function crossed(engine: Engine, asked: Asked, { least, most }: Range): number | undefined {
  const side = asked.unknown === 'sigma' ? 1 : -1;
  const [floor, ceiling] = [side * Math.log(least), side * Math.log(most)].sort((a, b) => a - b);
  const valueAt = (x: number): number => Math.min(Math.max(Math.exp(side * x), least), most);
  const search = { guess: 0, floor, ceiling, absolute: 1e-5 };
  const { high } = crossing((x) => excess(engine, asked, valueAt(x)), search);
  return high < Infinity ? valueAt(high) : undefined;
}

/** The value moved by one unit of its last digit to the side that is more private. */
function safer(unknown: SettingUnknown, value: number): number {
  const unit = Number(`1e${value.toExponential().split('e')[1]}`) / 1000;
  return Number((unknown === 'sigma' ? value + unit : Math.max(unit, value - unit)).toPrecision(DIGITS));
}

function unreached({ aim, target, setting, unknown }: Asked, { least, most }: Range): string {
  const wanted = { epsilon: `ε ≤ ${target} at δ ${setting.delta}`, mu: `μ ≤ ${target}` };
  const what = aim === 'epsilon' || aim === 'mu' ? wanted[aim] : `${aim} ≤ ${target}`;
  const end = unknown === 'sigma' ? `No noise up to ${most}` : `No value of this field from ${least} on`;
  return `${end} reaches ${what}.`;
}
