import { ACCOUNT_OPTIONS, type AccountOptions } from '../account/options.js';
import { requireOneOf, requireOptions, wrongType } from '../errors.js';
import {
  type DpSgdSettings,
  type Knob,
  laplaceScaleKnob,
  noiseMultiplierKnob,
  samplingRateKnob,
  stepsKnob,
} from './knob.js';
import { TARGET_NAMES, type Target } from './target.js';

/** What `calibrate` can solve for. */
export type Unknown = 'noiseMultiplier' | 'samplingRate' | 'steps' | 'laplaceScale';

const UNKNOWNS: readonly Unknown[] = ['noiseMultiplier', 'samplingRate', 'steps', 'laplaceScale'];

/** The run whose one number is looked for: all but that number is stated, and nothing is assumed. */
export interface RunToSolve extends Partial<DpSgdSettings> {
  /** What to solve for; default `'noiseMultiplier'`. */
  readonly for?: Unknown;
  /** L1 sensitivity of each query, for the scale of Laplace noise. */
  readonly sensitivity?: number;
}

const RUN: readonly (keyof RunToSolve)[] = ['for', 'noiseMultiplier', 'samplingRate', 'steps', 'sensitivity'];

/** What each unknown needs to be told. */
const NEEDS: Readonly<Record<Unknown, readonly (keyof RunToSolve)[]>> = {
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

/** What is solved: the knob, the target and the options of the account. */
export interface Parts {
  readonly knob: Knob;
  readonly target: Target;
  readonly options: CalibrateOptions | undefined;
}

/** The three parts of a request. */
export function partsOf(request: Readonly<Record<string, unknown>>): Parts {
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
  const unknown = requireOneOf('for', run.for ?? 'noiseMultiplier', UNKNOWNS);
  const needed = NEEDS[unknown];
  for (const name of needed)
    if (run[name] === undefined) throw wrongType(name, `given to solve for ${unknown}`, undefined);
  const extra = RUN.find((name) => name !== 'for' && run[name] !== undefined && !needed.includes(name));
  if (extra !== undefined) throw wrongType(extra, `left out to solve for ${unknown}`, run[extra]);
  const { noiseMultiplier = 0, samplingRate = 0, steps = 0, sensitivity = 0 } = run;
  if (unknown === 'noiseMultiplier') return noiseMultiplierKnob({ samplingRate, steps });
  if (unknown === 'samplingRate') return samplingRateKnob({ noiseMultiplier, steps });
  if (unknown === 'steps') return stepsKnob({ noiseMultiplier, samplingRate });
  return laplaceScaleKnob({ sensitivity, count: steps });
}
