import { account } from '../account/account.js';
import type { ComposedRun } from '../account/composed-run.js';
import { ACCOUNT_OPTIONS, type AccountOptions, accountOptions } from '../account/options.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireNumber, requireOneOf, requireOptions, requirePositive, wrongType } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { laplace } from '../mechanism/kinds/laplace.js';
import { dpSgd, type Mechanism, repeat } from '../mechanism/mechanism.js';
import type { Bracket } from '../numeric/bracket.js';
import { Allowance, isLimited, type LimitedBy } from '../numeric/meter.js';
import { ALLOWANCE } from '../numeric/prices.js';
import { bracketText } from '../text/decimal.js';
import type { Trial, Unknown } from './goal.js';
import { ROUGH_TOLERANCE, search } from './search.js';
import { goalOf, TARGET_NAMES, type Target } from './target.js';
import { unknownOf } from './unknown.js';

export type { Target } from './target.js';

/** A target, the run but for its one unknown, and options of the account, in one object. */
export type CalibrationRequest = Target & RunToSolve & CalibrateOptions;

interface Answered {
  /** Name of what was solved for. */
  readonly unknown: string;
  /** What was asked for. */
  readonly target: Target;
  /** Which data sets count as neighbours, as asked for or by default. */
  readonly adjacency: Adjacency;
  /** The value found, in its own unit; the most private one where the target is out of reach. */
  readonly value: number;
  /** The loss at `value`, in the target's own terms; every `upper` is at most what is allowed where the target is reached. */
  readonly achieved: Readonly<Record<string, Bracket>>;
  /** What keeps the search from a less private value: its tolerance, the effort, or theory, as the loss there is known between bounds alone. */
  readonly limitedBy: LimitedBy;
}

/** A value of the unknown at which the target is certified to be met. */
export interface Calibrated extends Answered {
  readonly reached: true;
  /** The target is still met at the end of its range: nothing less private can be asked for. */
  readonly atLimit: boolean;
  /** The mechanism at that value. */
  readonly mechanism: Mechanism;
  /** Tolerance of the account that certified it. */
  readonly accountTolerance: number;
}

/** The target is not met, or cannot be certified to be, anywhere in its range. */
export interface OutOfReach extends Answered {
  readonly reached: false;
  /** Why not, in one sentence. */
  readonly reason: string;
}

/** What `calibrate` found; `reached` tells which. */
export type Calibration = Calibrated | OutOfReach;

/**
 * The least private value of an unknown that meets a target: the smallest noise, or the largest sampling rate or
 * number of steps. The account's upper bound has been seen to meet the target at the value returned, and to lie
 * within `tolerance` of it: of δ or of ε, whichever is resolved more finely, of log-scale losses otherwise. Only
 * where the account itself cannot be that sharp, or whole steps cannot, it stays farther below.
 *
 * An unknown of your own may take the place of `samplingRate`, `steps` and the rest: then the target and the options follow it.
 *
 * @throws TypeError | RangeError naming the option that is wrong, or the adjacency that has no theorem.
 * @example
 * calibrate(engine, { epsilon: 1, delta: 1e-5, samplingRate: 0.01, steps: 1000 }).value; // 1.41462
 */
export function calibrate(engine: Engine, request: CalibrationRequest): Calibration;
export function calibrate(
  engine: Engine,
  unknown: Unknown,
  target: Target,
  options?: CalibrateOptions,
): Calibration;
export function calibrate(
  engine: Engine,
  unknown: Unknown | CalibrationRequest,
  target?: Target,
  options?: CalibrateOptions,
): Calibration {
  requireEngine(engine);
  const apart = target !== undefined || 'mechanismAt' in Object(unknown);
  return apart
    ? solved(engine, { unknown: unknown as Unknown, target: target as Target, options })
    : solved(engine, partsOf(unknown as unknown as Record<string, unknown>));
}

function solved(engine: Engine, { unknown, target, options }: Parts): Calibration {
  requireUnknown(unknown);
  const goal = goalOf(target);
  requireOptions('calibrate', options, ACCOUNT_OPTIONS);
  const { tolerance: given, ...others } = options ?? {};
  const tolerance = requireNumber('tolerance', given ?? 1e-6, 'a number in [1e-9, 0.1]');
  const [leastPrivate, mostPrivate] =
    unknown.larger === 'more-private' ? [unknown.least, unknown.most] : [unknown.most, unknown.least];
  const accounting = accountOptions(others, unknown.mechanismAt(mostPrivate));
  const { adjacency } = accounting;
  const subjectAt = (value: number, accountTolerance: number): Trial => {
    const mechanism = unknown.mechanismAt(value);
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
    const { safe, last } = search(unknown, goal, subjectAt, tolerance);
    const { value, trial, lower, upper } = safe ?? last;
    const achieved = goal.achieved(trial);
    const known = lower > 0 || upper - lower <= ROUGH_TOLERANCE;
    const limitedBy = isLimited() ? 'effort' : known ? 'tolerance' : 'theory';
    const shared = { unknown: unknown.name, target, adjacency, limitedBy } as const;
    if (safe === undefined) {
      const reason = reasonOf(unknown, target, value, achieved);
      return { reached: false, ...shared, reason, value, achieved };
    }
    const { mechanism } = trial;
    const { accountTolerance } = safe;
    const atLimit = value === leastPrivate && safe.upper < -tolerance;
    return { reached: true, ...shared, value, achieved, atLimit, mechanism, accountTolerance };
  });
}

/** Why no value of an unknown is certified, in a sentence. */
function reasonOf(
  unknown: Unknown,
  target: Target,
  end: number,
  achieved: Readonly<Record<string, Bracket>>,
): string {
  if (Object.values(achieved).every(({ lower }) => lower === Infinity)) {
    const name = Object.keys(achieved)[0];
    const way = 'delta' in target ? ': Gaussian noise never gives delta 0, so ask for a delta above 0' : '';
    return `${name} is infinite whatever the ${unknown.name}${way}`;
  }
  const losses = Object.entries(achieved).map(([name, loss]) => `${name} in ${bracketText(loss)}`);
  const within = Object.entries(achieved).every(
    ([name, { lower }]) => lower <= (target as unknown as Record<string, number>)[name],
  );
  const why = within ? ': the target may be met there, but the account is not sharp enough to say so' : '';
  return `no ${unknown.name} from ${unknown.least} to ${unknown.most} is certified to meet the target; at ${end} the account gives ${losses.join(', ')}${why}`;
}

const UNKNOWN_FIELDS = ['name', 'least', 'most', 'whole', 'larger', 'mechanismAt', 'guess'] as const;

function requireUnknown(unknown: Unknown): void {
  // a class of its own may keep what it likes
  if (Object.getPrototypeOf(unknown ?? 0) === Object.prototype)
    requireOptions('an unknown', unknown, UNKNOWN_FIELDS);
  if (typeof unknown?.mechanismAt !== 'function')
    throw wrongType('unknown', 'an unknown with mechanismAt(value)', unknown);
  requirePositive('unknown.least', unknown.least);
  requireNumber('unknown.most', unknown.most, `a finite number >= ${unknown.least}`);
  requireOneOf('unknown.larger', unknown.larger, ['more-private', 'less-private'] as const);
}

/** The run whose one number is looked for: all but that number is stated, and nothing is assumed. */
export interface RunToSolve {
  /** What to solve for; default `'noiseMultiplier'`. */
  readonly for?: Solvable;
  /** σ: standard deviation of the noise over the clipping norm. */
  readonly noiseMultiplier?: number;
  /** Poisson sampling rate, in [0, 1]. */
  readonly samplingRate?: number;
  /** Number of steps; of queries where the scale of Laplace noise is solved for. */
  readonly steps?: number;
  /** L1 sensitivity of each query, for the scale of Laplace noise. */
  readonly sensitivity?: number;
}

type Solvable = 'noiseMultiplier' | 'samplingRate' | 'steps' | 'laplaceScale';

const RUN: readonly (keyof RunToSolve)[] = ['for', 'noiseMultiplier', 'samplingRate', 'steps', 'sensitivity'];

/** What a request needs to be told to solve for each. */
const NEEDED: Readonly<Record<Solvable, readonly (keyof RunToSolve)[]>> = {
  noiseMultiplier: ['samplingRate', 'steps'],
  samplingRate: ['noiseMultiplier', 'steps'],
  steps: ['noiseMultiplier', 'samplingRate'],
  laplaceScale: ['sensitivity', 'steps'],
};

/** Options of `calibrate`: those of an account, with a tolerance of its own. */
export interface CalibrateOptions extends Omit<AccountOptions, 'tolerance'> {
  /** How far below its target the loss may stay, relative, 1e-9 … 0.1; default 1e-6. */
  readonly tolerance?: number;
}

interface Parts {
  readonly unknown: Unknown;
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
    unknown: unknownIn(taken(RUN)),
    target: taken(TARGET_NAMES) as unknown as Target,
    options: taken(accounting),
  };
}

function unknownIn(run: RunToSolve): Unknown {
  const name = requireOneOf('for', run.for ?? 'noiseMultiplier', Object.keys(NEEDED) as Solvable[]);
  const needed = NEEDED[name];
  for (const each of needed)
    if (run[each] === undefined) throw wrongType(each, `given to solve for ${name}`, undefined);
  const extra = RUN.find((each) => each !== 'for' && run[each] !== undefined && !needed.includes(each));
  if (extra !== undefined) throw wrongType(extra, `left out to solve for ${name}`, run[extra]);
  const { for: _, ...told } = run as Required<RunToSolve>;
  if (name !== 'laplaceScale') return unknownOf(name, (value) => dpSgd({ ...told, [name]: value }));
  const { sensitivity, steps } = told;
  return unknownOf('scale', (scale) => repeat(laplace({ scale, sensitivity }), steps));
}
