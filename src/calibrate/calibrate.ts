import { account } from '../account/account.js';
import type { ComposedRun } from '../account/composed-run.js';
import { ACCOUNT_OPTIONS, type AccountOptions, accountOptions } from '../account/options.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireNumber, requireOneOf, requireOptions, requirePositive, wrongType } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { Bracket } from '../numeric/bracket.js';
import { Allowance, attempt, isLimited, type LimitedBy } from '../numeric/meter.js';
import { ALLOWANCE } from '../numeric/prices.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import { bracketText } from '../text/decimal.js';
import { approach, type Place } from './approach.js';
import type { Goal, Trial } from './goal.js';
import {
  type DpSgdSettings,
  type Knob,
  laplaceScaleKnob,
  noiseMultiplierKnob,
  samplingRateKnob,
  stepsKnob,
} from './knob.js';
import { goalOf, TARGET_NAMES, type Target } from './target.js';

export {
  type DpSgdSettings,
  type Knob,
  laplaceScaleKnob,
  noiseMultiplierKnob,
  samplingRateKnob,
  stepsKnob,
} from './knob.js';
export type { Target } from './target.js';

/** A target, the run but for its one unknown, and options of the account, in one object. */
export type CalibrationRequest = Target & RunToSolve & CalibrateOptions;

interface Answered {
  /** Name of the knob that was turned. */
  readonly knob: string;
  /** What was asked for. */
  readonly target: Target;
  /** Which data sets count as neighbours, as asked for or by default. */
  readonly adjacency: Adjacency;
  /** The value found, in the knob's own unit; the most private one where the target is out of reach. */
  readonly value: number;
  /** The loss at `value`, in the target's own terms; every `upper` is at most what is allowed where the target is reached. */
  readonly achieved: Readonly<Record<string, Bracket>>;
  /** What keeps the search from a less private value: its tolerance, the effort, or theory, as the loss there is known between bounds alone. */
  readonly limitedBy: LimitedBy;
}

/** A value of the knob at which the target is certified to be met. */
export interface Calibrated extends Answered {
  readonly reached: true;
  /** The target is still met at the end of the knob's range: nothing less private can be asked for. */
  readonly atLimit: boolean;
  /** The mechanism at that value. */
  readonly mechanism: Mechanism;
  /** Tolerance of the account that certified it. */
  readonly accountTolerance: number;
}

/** The target is not met, or cannot be certified to be, anywhere in the knob's range. */
export interface OutOfReach extends Answered {
  readonly reached: false;
  /** Why not, in one sentence. */
  readonly reason: string;
}

/** What `calibrate` found; `reached` tells which. */
export type Calibration = Calibrated | OutOfReach;

/** Width of the accounts that first find the neighbourhood of the root. Contours are narrower than asked for by far, and at this width no dearer than at a wider one. */
const ROUGH_TOLERANCE = 1e-3;
/** Of what is left of the whole search's allowance, for one place. */
const TRIAL = 0.2;
/** Relative change of the loss that slopes are guessed by. */
const NEARBY = 1e-3;

/**
 * The least private value of a knob that meets a target: the smallest noise, or the largest sampling rate or
 * number of steps. The account's upper bound has been seen to meet the target at the value returned, and to lie
 * within `tolerance` of it: of δ or of ε, whichever is resolved more finely, of log-scale losses otherwise. Only
 * where the account itself cannot be that sharp, or whole steps cannot, it stays farther below.
 *
 * A knob of your own may take the place of `samplingRate`, `steps` and the rest: then the target and the options follow it.
 *
 * @throws TypeError | RangeError naming the option that is wrong, or the adjacency that has no theorem.
 * @example
 * calibrate(engine, { epsilon: 1, delta: 1e-5, samplingRate: 0.01, steps: 1000 }).value; // 1.41462
 */
export function calibrate(engine: Engine, request: CalibrationRequest): Calibration;
export function calibrate(
  engine: Engine,
  knob: Knob,
  target: Target,
  options?: CalibrateOptions,
): Calibration;
export function calibrate(
  engine: Engine,
  knob: Knob | CalibrationRequest,
  target?: Target,
  options?: CalibrateOptions,
): Calibration {
  requireEngine(engine);
  const apart = target !== undefined || 'mechanismAt' in Object(knob);
  return apart
    ? solved(engine, { knob: knob as Knob, target: target as Target, options })
    : solved(engine, partsOf(knob as unknown as Record<string, unknown>));
}

function solved(engine: Engine, { knob, target, options }: Parts): Calibration {
  requireKnob(knob);
  const goal = goalOf(target);
  requireOptions('calibrate', options, ACCOUNT_OPTIONS);
  const { tolerance: given, ...others } = options ?? {};
  const tolerance = requireNumber('tolerance', given ?? 1e-6, 'a number in [1e-9, 0.1]');
  const [leastPrivate, mostPrivate] =
    knob.larger === 'more-private' ? [knob.least, knob.most] : [knob.most, knob.least];
  const accounting = accountOptions(others, knob.mechanismAt(mostPrivate));
  const { adjacency } = accounting;
  const subjectAt = (value: number, accountTolerance: number): Trial => {
    const mechanism = knob.mechanismAt(value);
    let made: ComposedRun | undefined;
    return {
      mechanism,
      adjacency,
      run: () => {
        made ??= account(engine, mechanism, { ...accounting, tolerance: accountTolerance });
        return made;
      },
    };
  };
  const allowance = new Allowance(ALLOWANCE * accounting.effort, undefined, engine.kernel.scalars);
  return allowance.askAll(() => {
    const { safe, last } = search(knob, goal, subjectAt, tolerance);
    const { value, trial } = safe ?? last;
    const achieved = goal.achieved(trial);
    const sharp = safe?.sharp ?? last.sharp;
    const limitedBy = isLimited() ? 'effort' : sharp ? 'tolerance' : 'theory';
    const shared = { knob: knob.name, target, adjacency, limitedBy } as const;
    if (safe === undefined) {
      const reason = reasonOf(knob, target, value, achieved);
      return { reached: false, ...shared, reason, value, achieved };
    }
    const { mechanism } = trial;
    const { accountTolerance } = safe;
    const atLimit = value === leastPrivate && safe.upper < -tolerance;
    return { reached: true, ...shared, value, achieved, atLimit, mechanism, accountTolerance };
  });
}

/** Why no value of a knob is certified, in a sentence. */
function reasonOf(
  knob: Knob,
  target: Target,
  end: number,
  achieved: Readonly<Record<string, Bracket>>,
): string {
  if (Object.values(achieved).every(({ lower }) => lower === Infinity)) {
    const name = Object.keys(achieved)[0];
    const way = 'delta' in target ? ': Gaussian noise never gives delta 0, so ask for a delta above 0' : '';
    return `${name} is infinite whatever the ${knob.name}${way}`;
  }
  const losses = Object.entries(achieved).map(([name, loss]) => `${name} in ${bracketText(loss)}`);
  const within = Object.entries(achieved).every(
    ([name, { lower }]) => lower <= (target as unknown as Record<string, number>)[name],
  );
  const why = within ? ': the target may be met there, but the account is not sharp enough to say so' : '';
  return `no ${knob.name} from ${knob.least} to ${knob.most} is certified to meet the target; at ${end} the account gives ${losses.join(', ')}${why}`;
}

const KNOB_FIELDS = ['name', 'least', 'most', 'whole', 'larger', 'mechanismAt', 'guess'] as const;

function requireKnob(knob: Knob): void {
  // a class of its own may keep what it likes
  if (Object.getPrototypeOf(knob ?? 0) === Object.prototype) requireOptions('a knob', knob, KNOB_FIELDS);
  if (typeof knob?.mechanismAt !== 'function')
    throw wrongType('knob', 'a knob with mechanismAt(value)', knob);
  requirePositive('knob.least', knob.least);
  requireNumber('knob.most', knob.most, `a finite number >= ${knob.least}`);
  requireOneOf('knob.larger', knob.larger, ['more-private', 'less-private'] as const);
}

/** A place with its account. */
interface Tried extends Place {
  readonly trial: Trial;
  readonly accountTolerance: number;
}

/** Looks for the root, with rough accounts and then with sharp ones; each value is evaluated once with each. */
function search(
  knob: Knob,
  goal: Goal,
  subjectAt: (value: number, accountTolerance: number) => Trial,
  tolerance: number,
): { safe?: Tried; last: Tried } {
  const { least, most, whole = false } = knob;
  const range = [log(least), log(most)] as const;
  const seen = new Map<number, Tried>();
  // a bracket a quarter of the zone wide, in units of the account's log-loss
  let scale = 1;
  const sharpest = (): number => Math.min(ROUGH_TOLERANCE, Math.max(1e-12, 0.25 * tolerance * scale));
  const valueAt = (u: number): number => {
    if (u <= range[0] || u >= range[1]) return u <= range[0] ? least : most;
    const value = exp(u);
    return Math.min(Math.max(whole ? Math.round(value) : value, least), most);
  };
  const unknown = (): ReturnType<Goal['excess']> => ({ lower: -Infinity, upper: Infinity, scale });
  /** Whether rough accounts are sharp enough, as far as is known. */
  let roughDo = true;
  const tried = (near: number, value: number, accountTolerance: number): Tried => {
    const trial = subjectAt(value, accountTolerance);
    const excess = attempt(TRIAL, () => goal.excess(trial), unknown);
    ({ scale } = excess);
    const { lower, upper } = excess;
    const end = value === least ? range[0] : value === most ? range[1] : undefined;
    const sharp = upper - lower <= 0.25 * tolerance || accountTolerance <= sharpest();
    const u = end ?? (whole ? log(value) : near);
    return { u, value, lower, upper, sharp, trial, accountTolerance };
  };
  const at = (near: number, sharp: boolean): Tried => {
    const value = valueAt(near);
    let place = seen.get(value);
    if (place === undefined && (roughDo || !sharp)) {
      place = tried(near, value, ROUGH_TOLERANCE);
      roughDo = place.sharp;
    }
    if (place === undefined || (sharp && !place.sharp)) place = tried(near, value, sharpest());
    seen.set(value, place);
    return place;
  };
  const guessed = (times: number): number => {
    const allowed = goal.allowed(times);
    const guess = knob.guess?.(allowed.mu, allowed);
    return guess !== undefined && guess > 0 && guess < Infinity ? log(guess) : Number.NaN;
  };
  const start = guessed(1);
  return approach(at, {
    range,
    towards: knob.larger === 'more-private' ? 1 : -1,
    whole,
    start: Number.isNaN(start) ? 0 : start,
    zone: tolerance,
    step: 0.25,
    slope: log1p(NEARBY) / (guessed(1 + NEARBY) - start),
  });
}

/** What `calibrate` can solve for. */
export type Unknown = 'noiseMultiplier' | 'samplingRate' | 'steps' | 'laplaceScale';

/** The run whose one number is looked for: all but that number is stated, and nothing is assumed. */
export interface RunToSolve extends Partial<DpSgdSettings> {
  /** What to solve for; default `'noiseMultiplier'`. */
  readonly for?: Unknown;
  /** L1 sensitivity of each query, for the scale of Laplace noise. */
  readonly sensitivity?: number;
}

const RUN: readonly (keyof RunToSolve)[] = ['for', 'noiseMultiplier', 'samplingRate', 'steps', 'sensitivity'];

/** The knob of each unknown, and what it needs to be told. */
const KNOBS: Readonly<
  Record<Unknown, readonly [knob: (run: never) => Knob, ...needed: (keyof RunToSolve)[]]>
> = {
  noiseMultiplier: [noiseMultiplierKnob, 'samplingRate', 'steps'],
  samplingRate: [samplingRateKnob, 'noiseMultiplier', 'steps'],
  steps: [stepsKnob, 'noiseMultiplier', 'samplingRate'],
  laplaceScale: [laplaceKnob, 'sensitivity', 'steps'],
};

function laplaceKnob({ sensitivity, steps }: { sensitivity: number; steps: number }): Knob {
  return laplaceScaleKnob({ sensitivity, count: steps });
}

/** Options of `calibrate`: those of an account, with a tolerance of its own. */
export interface CalibrateOptions extends Omit<AccountOptions, 'tolerance'> {
  /** How far below its target the loss may stay, relative, 1e-9 … 0.1; default 1e-6. */
  readonly tolerance?: number;
}

interface Parts {
  readonly knob: Knob;
  readonly target: Target;
  readonly options: CalibrateOptions | undefined;
}

function partsOf(request: Readonly<Record<string, unknown>>): Parts {
  const accounting: readonly string[] = ACCOUNT_OPTIONS;
  const known: readonly string[] = [...TARGET_NAMES, ...RUN, ...accounting];
  requireOptions('calibrate', request, known as readonly never[]);
  const given = Object.entries(request ?? {}).filter(([, value]) => value !== undefined);
  const taken = (names: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(given.filter(([name]) => names.includes(name)));
  return {
    knob: knobOf(taken(RUN)),
    target: taken(TARGET_NAMES) as unknown as Target,
    options: taken(accounting),
  };
}

function knobOf(run: RunToSolve): Knob {
  const unknown = requireOneOf('for', run.for ?? 'noiseMultiplier', Object.keys(KNOBS) as Unknown[]);
  const [knob, ...needed] = KNOBS[unknown];
  for (const name of needed)
    if (run[name] === undefined) throw wrongType(name, `given to solve for ${unknown}`, undefined);
  const extra = RUN.find((name) => name !== 'for' && run[name] !== undefined && !needed.includes(name));
  if (extra !== undefined) throw wrongType(extra, `left out to solve for ${unknown}`, run[extra]);
  return knob(Object.fromEntries(needed.map((name) => [name, run[name]])) as never);
}
