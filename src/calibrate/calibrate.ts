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

/** A target, a run of which one number is unknown, and options of the account, in one object. */
export type CalibrationRequest = Target & RunToSolve & CalibrateOptions;

/**
 * The least private value of an unknown that meets a target: the smallest noise, or the largest sampling rate or number of steps. The account's upper
 * bound certifies the target at the value returned, and stays within `tolerance` of it. The tolerance is relative to δ or to ε, whichever is resolved
 * more finely; for other targets it is relative to the loss. Only if the account is not that sharp, or whole numbers do not allow it, the loss stays
 * further below.
 *
 * An unknown of your own may take the place of `samplingRate`, `steps` and the like: then the target and the options follow it.
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

/** A run of which one number is solved for; all others are stated. */
export interface RunToSolve {
  /** Name of the number to solve for; default `'noiseMultiplier'`. */
  readonly for?: Solvable;
  /** Noise multiplier σ: standard deviation of the noise over the clipping norm. */
  readonly noiseMultiplier?: number;
  /** Poisson sampling rate, in [0, 1]. */
  readonly samplingRate?: number;
  /** Number of steps; or of queries, if the scale of Laplace noise is solved for. */
  readonly steps?: number;
  /** L1 sensitivity of each query, if the scale of Laplace noise is solved for. */
  readonly sensitivity?: number;
}

/** Names of the numbers that can be solved for. */
type Solvable = 'noiseMultiplier' | 'samplingRate' | 'steps' | 'laplaceScale';

/** Names of the fields of `RunToSolve`. */
const RUN: readonly (keyof RunToSolve)[] = ['for', 'noiseMultiplier', 'samplingRate', 'steps', 'sensitivity'];

/** Fields that a request needs to solve for each unknown. */
const NEEDED: Readonly<Record<Solvable, readonly (keyof RunToSolve)[]>> = {
  noiseMultiplier: ['samplingRate', 'steps'],
  samplingRate: ['noiseMultiplier', 'steps'],
  steps: ['noiseMultiplier', 'samplingRate'],
  laplaceScale: ['sensitivity', 'steps'],
};

/** A request in its three parts. */
interface Parts {
  readonly unknown: Unknown;
  readonly target: Target;
  readonly options: CalibrateOptions | undefined;
}

/** The three parts of a request. @throws TypeError | RangeError naming the field that is wrong. */
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

/** The unknown of a run. @throws TypeError if a field is missing, or one is stated that is not used. */
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
