import {
  requireCount,
  requireFields,
  requireList,
  requireNumber,
  requireOptions,
  requireProbability,
  wrongValue,
} from '../errors.js';
import { gaussian, laplace } from '../mechanism/kinds/index.js';
import { dpSgd, type Mechanism, poissonSubsampled, repeat } from '../mechanism/mechanism.js';
import { parseMechanism } from '../mechanism/parse.js';
import { exp, expm1, log, log1p, logDeltaGdp, muGdpLog } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';

/** One number of a mechanism that may be turned until a target is met. */
export interface Knob {
  /** What the value is called in answers and messages. */
  readonly name: string;
  /** The values allowed, 0 < least ≤ most. */
  readonly least: number;
  /** Largest value allowed. */
  readonly most: number;
  /** Only whole numbers. */
  readonly whole?: boolean;
  /** Whether a larger value loses less privacy or more. */
  readonly larger: 'more-private' | 'less-private';
  /** The mechanism at a value of the knob. Its loss must be monotone in the value. */
  mechanismAt(value: number): Mechanism;
  /** A value at which the run is roughly μ-GDP, or has roughly the (ε, δ) that is asked for, where it is one; only speed depends on it. */
  guess?(mu: number, asked?: { readonly epsilon?: number; readonly delta?: number }): number;
}

/** What a run of DP-SGD, or a plain Gaussian mechanism (sampling rate 1, one step), is made of. */
export interface DpSgdSettings {
  /** σ: standard deviation of the noise over the clipping norm. */
  readonly noiseMultiplier: number;
  /** Poisson sampling rate, in [0, 1]; for a knob 1 unless given: no sampling. */
  readonly samplingRate?: number;
  /** Number of steps, for a knob 1 unless given; of queries where the scale of Laplace noise is solved for. */
  readonly steps?: number;
}

/** μ of the limit of many steps, per √step and per unit of rate: √(e^{1/σ²} − 1) (Bu, Dong, Long, Su 2020). */
function limitMu(noiseMultiplier: number): number {
  return Math.sqrt(Math.min(expm1(1 / noiseMultiplier ** 2), 1e100));
}

/** The (ε, δ) of one release without sampling, δ₁, where rare large losses rule, as the limit of many steps has none: δ(ε) is about T q δ₁(log(1 + (e^ε − 1)/q)). */
function rareOf(
  samplingRate: number,
  steps: number,
  asked: { readonly epsilon?: number; readonly delta?: number } | undefined,
): { readonly epsilon: number; readonly logDelta: number } | undefined {
  const { epsilon = 0, delta = 0 } = asked ?? {};
  if (!(epsilon > 0 && delta > 0 && samplingRate > 0 && samplingRate < 1)) return undefined;
  const own = epsilon > 30 ? epsilon - log(samplingRate) : log1p(expm1(epsilon) / samplingRate);
  return { epsilon: own, logDelta: log(delta) - log(samplingRate * Math.max(1, steps)) };
}

/**
 * The noise multiplier σ of a run, 1e-9 … 1e9.
 *
 * @throws TypeError | RangeError if `samplingRate` is not in [0, 1] or `steps` not a whole number.
 * @example
 * calibrate(engine, noiseMultiplierKnob(), { mu: 1 }, { adjacency: 'add-remove' }).value; // 1
 */
export function noiseMultiplierKnob(settings: Omit<DpSgdSettings, 'noiseMultiplier'> = {}): Knob {
  requireOptions('noiseMultiplierKnob', settings, ['samplingRate', 'steps']);
  const samplingRate = requireProbability('samplingRate', settings.samplingRate ?? 1);
  const steps = requireCount('steps', settings.steps ?? 1);
  return {
    name: 'noise multiplier',
    least: 1e-9,
    most: 1e9,
    larger: 'more-private',
    mechanismAt: (noiseMultiplier) => dpSgd({ noiseMultiplier, samplingRate, steps }),
    guess: (mu, asked) => {
      if (samplingRate === 1) return Math.sqrt(steps) / mu;
      const many = 1 / Math.sqrt(log1p((mu / samplingRate) ** 2 / Math.max(1, steps)));
      const rare = rareOf(samplingRate, steps, asked);
      return rare && rare.logDelta < 0 ? Math.max(many, 1 / muGdpLog(rare.epsilon, rare.logDelta)) : many;
    },
  };
}

/**
 * The Poisson sampling rate q of a run, 1e-12 … 1.
 *
 * @throws TypeError | RangeError for a wrong setting.
 * @example
 * samplingRateKnob({ noiseMultiplier: 1, steps: 1000 }).mechanismAt(0.01);
 */
export function samplingRateKnob(settings: Omit<DpSgdSettings, 'samplingRate'>): Knob {
  requireOptions('samplingRateKnob', settings, ['noiseMultiplier', 'steps']);
  const inner = gaussian({ noiseMultiplier: settings?.noiseMultiplier });
  const steps = requireCount('steps', settings.steps ?? 1);
  return {
    name: 'sampling rate',
    least: 1e-12,
    most: 1,
    larger: 'less-private',
    mechanismAt: (rate) => repeat(poissonSubsampled(inner, { rate }), steps),
    guess: (mu, asked) => {
      const many = mu / (Math.sqrt(Math.max(1, steps)) * limitMu(inner.noiseMultiplier));
      const tooMuch = (u: number): number => {
        const rare = rareOf(exp(u), steps, asked);
        return rare ? rare.logDelta - logDeltaGdp(1 / inner.noiseMultiplier, rare.epsilon) : 1;
      };
      const { high } = crossing(tooMuch, {
        guess: log(Math.min(many, 0.5)),
        floor: log(1e-12),
        ceiling: -1e-3,
        relative: 1e-6,
        absolute: 1e-9,
      });
      return high < Infinity ? Math.min(many, exp(high)) : many;
    },
  };
}

/**
 * The number of steps T of a run, 1 … 2⁵³ − 1.
 *
 * @throws TypeError | RangeError for a wrong setting.
 * @example
 * stepsKnob({ noiseMultiplier: 1, samplingRate: 0.01 }).mechanismAt(500).count; // 500
 */
export function stepsKnob(settings: Omit<DpSgdSettings, 'steps'>): Knob {
  requireOptions('stepsKnob', settings, ['noiseMultiplier', 'samplingRate']);
  const { noiseMultiplier } = gaussian({ noiseMultiplier: settings?.noiseMultiplier });
  const samplingRate = requireProbability('samplingRate', settings.samplingRate ?? 1);
  return {
    name: 'steps',
    least: 1,
    most: Number.MAX_SAFE_INTEGER,
    whole: true,
    larger: 'less-private',
    mechanismAt: (steps) => dpSgd({ noiseMultiplier, samplingRate, steps }),
    guess: (mu, asked) => {
      if (samplingRate === 1) return (mu * noiseMultiplier) ** 2;
      const many = (mu / (samplingRate * limitMu(noiseMultiplier))) ** 2;
      const rare = rareOf(samplingRate, 1, asked);
      return rare
        ? Math.min(many, exp(rare.logDelta - logDeltaGdp(1 / noiseMultiplier, rare.epsilon)))
        : many;
    },
  };
}

/**
 * The scale b of Laplace noise on `count` queries (default 1), each of L1 sensitivity `sensitivity`:
 * sensitivity/300 … sensitivity·1e9.
 *
 * @throws TypeError | RangeError for a wrong setting.
 * @example
 * calibrate(engine, laplaceScaleKnob({ sensitivity: 1 }), { epsilon: 0.5, delta: 0 }, { adjacency: 'add-remove' }).value; // 2
 */
export function laplaceScaleKnob(settings: { sensitivity: number; count?: number }): Knob {
  requireOptions('laplaceScaleKnob', settings, ['sensitivity', 'count']);
  const sensitivity = requireNumber('sensitivity', settings?.sensitivity, 'a number in [1e-200, 1e200]');
  const count = requireCount('count', settings.count ?? 1);
  return {
    name: 'scale',
    least: (sensitivity / 300) * (1 + 1e-15),
    most: sensitivity * 1e9 * (1 - 1e-15),
    larger: 'more-private',
    mechanismAt: (scale) => repeat(laplace({ scale, sensitivity }), count),
    guess: (mu) => (sensitivity * Math.sqrt(Math.max(1, count))) / mu,
  };
}

/** The unknown itself, and a multiple of it, in place of a number of a mechanism. */
const UNKNOWN = '?';
/** Values of the unknown that are tried: these of each decade from 10^−9 to 10^9. */
const STEPS = [1, 1.3, 1.8, 2.4, 3.2, 4.2, 5.6, 7.5] as const;
const DECADES = 9;

/**
 * A mechanism as JSON in which numbers are missing: `"?"` is the unknown, `{ "times": 2 }` twice the unknown. The larger the unknown, the
 * more private the mechanism must be, as where it stands for noise alone.
 *
 * @throws TypeError | RangeError for what is no such mechanism, naming the place.
 * @example
 * const parts = [{ kind: 'gaussian', noiseMultiplier: '?' }, { kind: 'laplace', scale: { times: 2 }, sensitivity: 1 }];
 * calibrate(engine, scaleKnob({ kind: 'compose', parts }), { epsilon: 1, delta: 1e-5 }).value; // 4.03715
 */
export function scaleKnob(template: unknown): Knob {
  const mechanismAt = (value: number): Mechanism => parseMechanism(filled(template, value).made);
  if (!filled(template, 1).found)
    throw wrongValue('mechanism', 'one with "?" for its unknown number', template);
  const { least, most } = rangeOf(mechanismAt);
  return { name: 'noise', least, most, larger: 'more-private', mechanismAt, guess: (mu) => 1 / mu };
}

/** Nesting deeper than this is no mechanism. */
const MOST_NESTED = 1000;

/** The template with a value for its unknown. */
function filled(template: unknown, value: number, depth = 0): { made: unknown; found: boolean } {
  if (depth > MOST_NESTED) throw wrongValue('mechanism', `nested at most ${MOST_NESTED} deep`, template);
  if (template === UNKNOWN) return { made: value, found: true };
  if (typeof template !== 'object' || template === null) return { made: template, found: false };
  if (Object.hasOwn(template, 'times')) {
    requireFields('the unknown', template, ['times']);
    const times = requireNumber('times', (template as { times?: unknown }).times, 'a number in [1e-9, 1e9]');
    return { made: times * value, found: true };
  }
  const parts = Object.entries(template).map(
    ([name, part]) => [name, filled(part, value, depth + 1)] as const,
  );
  const found = parts.some(([, part]) => part.found);
  const made = parts.map(([name, part]) => [name, part.made] as const);
  return { made: Array.isArray(template) ? made.map(([, part]) => part) : Object.fromEntries(made), found };
}

/** The values, next to each other, that the mechanism takes. @throws what it throws for 1 where it takes none. */
function rangeOf(mechanismAt: (value: number) => Mechanism): { least: number; most: number } {
  const takes = (value: number): boolean => {
    try {
      mechanismAt(value);
      return true;
    } catch {
      return false;
    }
  };
  const values = Array.from({ length: 2 * DECADES * STEPS.length + 1 }, (_, i) =>
    Number(`${STEPS[i % STEPS.length]}e${Math.floor(i / STEPS.length) - DECADES}`),
  );
  const first = values.findIndex(takes);
  if (first < 0) mechanismAt(1);
  let last = first;
  while (last + 1 < values.length && takes(values[last + 1])) last++;
  return { least: values[first], most: values[last] };
}

/** A part of a budget, and the mechanism that is to spend it. */
export interface Share {
  /** Above 0; all together at most 1. */
  readonly share: number;
  /** A mechanism as JSON with `"?"` in place of its unknown number (`scaleKnob`). */
  readonly mechanism: unknown;
}

/** @throws TypeError | RangeError unless there are 1 to 100 shares, above 0, of at most 1 together. */
export function requireShares(given: unknown): readonly Share[] {
  const shares = requireList('shares', given, '{ share, mechanism }', 1, 100) as readonly Share[];
  let sum = 0;
  for (const [i, each] of shares.entries()) {
    requireFields(`shares[${i}]`, each, ['share', 'mechanism']);
    sum += requireNumber(`shares[${i}].share`, each.share, 'a number in (0, 1]');
  }
  if (sum > 1 + 1e-12) throw wrongValue('shares', 'at most 1 together', sum);
  return shares;
}
