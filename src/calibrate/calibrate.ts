import { account } from '../account/account.js';
import type { ComposedRun } from '../account/composed-run.js';
import { ACCOUNT_OPTIONS, type AccountOptions, accountOptions } from '../account/options.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireNumber, requireOneOf, requireOptions, requirePositive, wrongType } from '../errors.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { Bracket } from '../numeric/bracket.js';
import { exp, log } from '../numeric/scalar.js';
import { bracketText } from '../text/decimal.js';
import { approach, type Place, TOO_WIDE } from './approach.js';
import type { Goal, Trial } from './goal.js';
import type { Knob } from './knob.js';
import { goalOf, type Target } from './target.js';

export {
  type DpSgdSettings,
  type Knob,
  laplaceScaleKnob,
  noiseMultiplierKnob,
  samplingRateKnob,
  stepsKnob,
} from './knob.js';
export type { Target } from './target.js';

/** Options of `calibrate`: those of an account, with a tolerance of its own. */
export interface CalibrateOptions extends Omit<AccountOptions, 'tolerance'> {
  /** How far below its target the loss may stay, relative, 1e-9 … 0.1; default 1e-6. */
  readonly tolerance?: number;
}

/** A value of the knob at which the target is certified to be met. */
export interface Calibrated {
  readonly reached: true;
  /** Name of the knob that was turned. */
  readonly knob: string;
  /** What was asked for. */
  readonly target: Target;
  /** The value found, in the knob's own unit. */
  readonly value: number;
  /** The loss at `value`, in the target's own terms; every `upper` is at most what is allowed. */
  readonly achieved: Readonly<Record<string, Bracket>>;
  /** The target is still met at the end of the knob's range: nothing less private can be asked for. */
  readonly atLimit: boolean;
  /** The mechanism at that value. */
  readonly mechanism: Mechanism;
  /** Tolerance of the account that certified it. */
  readonly accountTolerance: number;
}

/** The target is not met, or cannot be certified to be, anywhere in the knob's range. */
export interface OutOfReach {
  readonly reached: false;
  /** Name of the knob that was turned. */
  readonly knob: string;
  /** What was asked for. */
  readonly target: Target;
  /** Why not, in one sentence. */
  readonly reason: string;
  /** The most private value, and the loss there. */
  readonly value: number;
  /** The loss at `value`, in the target's own terms. */
  readonly achieved: Readonly<Record<string, Bracket>>;
}

/** What `calibrate` found; `reached` tells which. */
export type Calibration = Calibrated | OutOfReach;

/** Widths of the accounts that first find the neighbourhood of the root. */
const ROUGH_TOLERANCE = 1e-2;
const ROUGH_ENOUGH = 2e-2;

/**
 * The least private value of a knob that meets a target: the smallest noise, or the largest sampling rate or
 * number of steps. The account's upper bound has been seen to meet the target at the value returned, and to lie
 * within `tolerance` of it: of δ or of ε, whichever is resolved more finely, of log-scale losses otherwise. Only
 * where the account itself cannot be that sharp, or whole steps cannot, it stays farther below.
 *
 * @throws TypeError | RangeError naming the option that is wrong, or the adjacency that has no theorem.
 * @example
 * calibrate(engine, noiseMultiplierKnob({ samplingRate: 0.01, steps: 1000 }), { epsilon: 1, delta: 1e-5 },
 *   { adjacency: 'add-remove' }).value; // 1.41462
 */
export function calibrate(
  engine: Engine,
  knob: Knob,
  target: Target,
  options: CalibrateOptions,
): Calibration {
  requireEngine(engine);
  requireKnob(knob);
  const goal = goalOf(target);
  requireOptions('calibrate', options, ACCOUNT_OPTIONS);
  const { tolerance: given, ...others } = options ?? {};
  const tolerance = requireNumber(
    'tolerance',
    given ?? 1e-6,
    'a number in [1e-9, 0.1]',
    (x) => x >= 1e-9 && x <= 0.1,
  );
  const accounting = accountOptions(others);
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
  const search = new Search(knob, goal, subjectAt);
  const { safe, atLimit, accountTolerance } = search.run(tolerance);
  const shared = { knob: knob.name, target };
  if (safe === undefined) {
    const end = knob.larger === 'more-private' ? knob.most : knob.least;
    const achieved = goal.achieved(subjectAt(end, accountTolerance));
    const reason = reasonOf(knob, target, end, achieved);
    return { reached: false, ...shared, reason, value: end, achieved };
  }
  const subject = subjectAt(safe.value, accountTolerance);
  return {
    reached: true,
    ...shared,
    value: safe.value,
    achieved: goal.achieved(subject),
    atLimit,
    mechanism: subject.mechanism,
    accountTolerance,
  };
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
  requireNumber(
    'knob.most',
    knob.most,
    `a number from ${knob.least} up`,
    (x) => x >= knob.least && x < Infinity,
  );
  requireOneOf('knob.larger', knob.larger, ['more-private', 'less-private'] as const);
}

/** The search for one root, first with rough accounts, then with sharp ones from where those led. */
class Search {
  private readonly range: readonly [number, number];
  private readonly towards: 1 | -1;
  /** log-loss per unit of excess, as last seen. */
  private scale = 1;

  constructor(
    private readonly knob: Knob,
    private readonly goal: Goal,
    private readonly subjectAt: (value: number, accountTolerance: number) => Trial,
  ) {
    this.range = [log(knob.least), log(knob.most)];
    this.towards = knob.larger === 'more-private' ? 1 : -1;
  }

  run(tolerance: number): { safe?: Place; atLimit: boolean; accountTolerance: number } {
    const guess = this.knob.guess?.(this.goal.mu);
    const start = guess !== undefined && guess > 0 && guess < Infinity ? log(guess) : 0;
    const common = { range: this.range, towards: this.towards, whole: this.knob.whole === true };
    const rough = approach(
      this.evaluator(() => ROUGH_TOLERANCE),
      {
        ...common,
        start,
        zone: 0,
        step: 0.25,
        slope: Number.NaN,
        rough: ROUGH_ENOUGH,
      },
    );
    const near = rough.last;
    const end = this.range[this.towards > 0 ? 1 : 0];
    // a bracket a quarter of the zone wide, in units of the account's log-loss
    const sharp = (): number => Math.min(ROUGH_TOLERANCE, Math.max(1e-12, 0.25 * tolerance * this.scale));
    const sharply = this.evaluator(sharp);
    // met nowhere as far as rough accounts can tell: the most private value decides, by a sharper one if that may help
    if (rough.safe === undefined && near.u === end) {
      const lost = near.lower > 0 || near.upper - near.lower > TOO_WIDE;
      if (lost || sharply(end).upper > 0) return { atLimit: false, accountTolerance: ROUGH_TOLERANCE };
    }
    const { safe } = approach(sharply, {
      ...common,
      start: near.u,
      zone: tolerance,
      step: 1e-3,
      slope: rough.slope,
    });
    const least = this.towards > 0 ? this.range[0] : this.range[1];
    return {
      ...(safe ? { safe } : {}),
      atLimit: safe?.u === least && safe.upper < -tolerance,
      accountTolerance: safe?.accountTolerance ?? sharp(),
    };
  }

  /** Evaluates the excess at the knob's value nearest to e^u, once for each value. */
  private evaluator(toleranceNow: () => number): (u: number) => Place {
    const seen = new Map<number, Place>();
    return (u) => {
      const value = this.valueAt(u);
      const known = seen.get(value);
      if (known) return known;
      const accountTolerance = toleranceNow();
      const { lower, upper, scale } = this.goal.excess(this.subjectAt(value, accountTolerance));
      this.scale = scale;
      const end = value === this.knob.least ? 0 : value === this.knob.most ? 1 : undefined;
      const place = {
        u: end === undefined ? this.uOf(value, u) : this.range[end],
        value,
        lower,
        upper,
        accountTolerance,
      };
      seen.set(value, place);
      return place;
    };
  }

  private uOf(value: number, u: number): number {
    return this.knob.whole ? log(value) : u;
  }

  private valueAt(u: number): number {
    const { least, most, whole } = this.knob;
    if (u <= this.range[0]) return least;
    if (u >= this.range[1]) return most;
    const value = exp(u);
    return Math.min(Math.max(whole ? Math.round(value) : value, least), most);
  }
}
