import { account } from '../account/account.js';
import type { ComposedRun } from '../account/composed-run.js';
import { ACCOUNT_OPTIONS, type AccountOptions, accountOptions } from '../account/options.js';
import type { Engine } from '../engine.js';
import { requireNumber, requireOneOf, requireOptions, requirePositive, wrongType } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { gaussianMuOf } from '../mechanism/pairs.js';
import { stepsOf } from '../mechanism/steps.js';
import type { Bracket } from '../numeric/bracket.js';
import type { LimitedBy } from '../numeric/limited-by.js';
import { Allowance, isLimited } from '../numeric/meter.js';
import { ALLOWANCE } from '../numeric/prices.js';
import { bracketText } from '../text/decimal.js';
import type { Goal, Trial, Unknown } from './goal.js';
import { ROUGH_TOLERANCE, search } from './search.js';
import type { Target } from './target.js';

/** What every answer of `calibrate` states. */
interface Answered {
  /** Name of the number that was solved for. */
  readonly unknown: string;
  /** The target that was asked for. */
  readonly target: Target;
  /** Which data sets count as neighbours, as asked for or by default. */
  readonly adjacency: Adjacency;
  /** The value found; or the most private one, if the target is out of reach. */
  readonly value: number;
  /** Brackets of the loss at `value`, in the target's own terms; if the target is reached, every `upper` is at most what is allowed. */
  readonly achieved: Readonly<Record<string, Bracket>>;
  /** Why no less private value was found: 'tolerance', the search ended at its tolerance; 'effort', the allowed work was spent; 'theory', the loss is only known between bounds. */
  readonly limitedBy: LimitedBy;
}

/** A value of the unknown at which the target is certified to be met. */
export interface Calibrated extends Answered {
  readonly reached: true;
  /** Set if the target is met even at the least private value allowed. */
  readonly atLimit: boolean;
  /** The mechanism with that value. */
  readonly mechanism: Mechanism;
  /** Tolerance of the account that certified the value. */
  readonly accountTolerance: number;
}

/** The answer if no value in the range is certified to meet the target. */
export interface OutOfReach extends Answered {
  readonly reached: false;
  /** Why no value was found, in one sentence. */
  readonly reason: string;
}

/** The answer of `calibrate`; `reached` tells which kind it is. */
export type Calibration = Calibrated | OutOfReach;

/** Options of `calibrate`: those of an account, with a tolerance of its own. */
export interface CalibrateOptions extends Omit<AccountOptions, 'tolerance'> {
  /** How far the loss may stay below its target, relatively: 1e-9 … 0.1; default 1e-6. */
  readonly tolerance?: number;
}

/** Solves for an unknown so that a run meets a target, which `goal` measures. */
export function solved(
  engine: Engine,
  unknown: Unknown,
  { target, goal }: { readonly target: Target; readonly goal: Goal },
  options?: CalibrateOptions,
): Calibration {
  requireUnknown(unknown);
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
  const allowance = new Allowance(ALLOWANCE * accounting.effort);
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
    const noise = stepsOf(unknown.mechanismAt(end)).some(
      (each) => gaussianMuOf(each.mechanism) !== undefined,
    );
    const what = noise ? 'Gaussian noise' : 'such a mechanism';
    const way = 'delta' in target ? `: ${what} never gives delta 0, so ask for a delta above 0` : '';
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

/** @throws TypeError | RangeError unless `unknown` is an unknown. */
function requireUnknown(unknown: Unknown): void {
  // only plain objects have their field names checked
  if (Object.getPrototypeOf(unknown ?? 0) === Object.prototype)
    requireOptions('an unknown', unknown, UNKNOWN_FIELDS);
  if (typeof unknown?.mechanismAt !== 'function')
    throw wrongType('unknown', 'an unknown with mechanismAt(value)', unknown);
  requirePositive('unknown.least', unknown.least);
  requireNumber('unknown.most', unknown.most, `a finite number >= ${unknown.least}`);
  requireOneOf('unknown.larger', unknown.larger, ['more-private', 'less-private'] as const);
}
