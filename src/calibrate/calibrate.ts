import { ACCOUNT_OPTIONS } from '../account/options.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireOneOf, requireOptions, wrongType } from '../errors.js';
import { laplace } from '../mechanism/kinds/laplace.js';
import { dpSgd, repeat } from '../mechanism/mechanism.js';
import type { Unknown } from './goal.js';
import { type CalibrateOptions, type Calibration, solved } from './solved.js';
import { goalOf, TARGET_NAMES, type Target } from './target.js';
import { unknownOf } from './unknown.js';

export type { Calibrated, CalibrateOptions, Calibration, OutOfReach } from './solved.js';
export type { Target } from './target.js';

/** A target, the run but for its one unknown, and options of the account, in one object. */
export type CalibrationRequest = Target & RunToSolve & CalibrateOptions;

/**
 * The least private value of an unknown that meets a target: the smallest noise, or the largest sampling rate or number of steps.
 * The account's upper bound has been seen to meet the target at the value returned, within `tolerance`. The tolerance is relative
 * to δ or to ε, whichever is resolved more finely, and to log-scale losses otherwise. Only where the account itself cannot be
 * that sharp, or whole steps cannot, it stays farther below.
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
  const parts = apart
    ? { unknown: unknown as Unknown, target: target as Target, options }
    : partsOf(unknown as unknown as Record<string, unknown>);
  return solved(engine, parts.unknown, { target: parts.target, goal: goalOf(parts.target) }, parts.options);
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

/** Fields that a request needs to solve for each unknown. */
const NEEDED: Readonly<Record<Solvable, readonly (keyof RunToSolve)[]>> = {
  noiseMultiplier: ['samplingRate', 'steps'],
  samplingRate: ['noiseMultiplier', 'steps'],
  steps: ['noiseMultiplier', 'samplingRate'],
  laplaceScale: ['sensitivity', 'steps'],
};

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
