import { InputRangeError, requireCount, requireOneOf, requireProbability, wrongValue } from '../../errors.js';
import { approximateDpAtoms, atomicPair } from '../../law/atomic-pair.js';
import type { AtomicPair } from '../../law/pair.js';
import { scaleCells } from '../../law/scale-pair.js';
import { logUpperTail, MOST_TRIALS } from '../../numeric/binomial.js';
import { U } from '../../numeric/constants.js';
import { FEW_ROUNDINGS, LONG_SUM, up } from '../../numeric/rounding.js';
import { exp, log, log1p } from '../../numeric/scalar.js';
import { firstWhere } from '../../numeric/solve.js';
import { shortDecimal } from '../../text/decimal.js';
import type { Adjacency } from '../adjacency.js';
import { requireTotal } from '../checks.js';
import { between, built, type Closeness, type Kind, made, type Part, whole } from '../kind.js';
import { APPROXIMATE_DP_KIND, type ApproximateDp, TABULATED_KIND } from './epsilon-delta.js';
import { GAUSSIAN_KIND } from './gaussian.js';
import { GAUSSIAN_MIXTURE_KIND } from './gaussian-mixture.js';

/**
 * Poisson-subsampled Gaussian steps whose noisy sum is divided by a number that depends on the size of the data set. A record that is added or
 * removed changes the divisor. With it change the scale of the noise in every coordinate, and what all other records contribute. Only a divisor that
 * is a public constant reveals nothing.
 */
export interface DividedSgd {
  readonly kind: 'divided-sgd';
  /** Noise standard deviation over the clipping norm: 1e-3 … 1e6. */
  readonly noiseMultiplier: number;
  /** Sampling rate q, (0, 1]. */
  readonly samplingRate: number;
  /** Number of steps, at least 0. */
  readonly steps: number;
  /** 'expected': q·n, n the number of records. 'expected-whole': ⌊q·n⌋. */
  readonly divisor: 'expected' | 'expected-whole';
  /** Number of coordinates of a gradient, 1 … 1e12. */
  readonly parameters: number;
  /** Number n of records, the one in question included: 2 … 1e9. */
  readonly datasetSize: number;
  /** Set by the account for lower bounds: an attack where all other gradients are 0. It looks at the scale of the noise, at the record's own steps, or at both. */
  readonly attack?: 'both' | 'own' | 'scale';
}

/** Least number of coordinates over all steps: with fewer, their squared norm is too far from normal, and the run is refused. */
const LEAST_COORDINATES = 400;
/** Least number of coordinates for which the closeness of two noise scales is computed: with fewer, the squared norm has too heavy tails. */
const LEAST_NEAR = 20;
/** log of a probability: that some batch is larger than assumed, and also of the outputs that the closeness of two noise scales neglects. */
const LOG_LOST = -75;
/** The attack by the scale uses at most so many coordinates that its μ is about this. Only width depends on it. */
const LARGEST_MU = 10;
/** If scale and shifted means together have about this μ or more, no upper bound but 1 is computed. Only width depends on it. */
const LARGEST_SUM = 6;

/**
 * Steps of DP-SGD on Poisson samples, divided by the expected size of a batch of the secret data set.
 *
 * @throws TypeError | RangeError if a number is outside the range its field states, or `parameters` times `steps` is below 400 or above 1e13.
 * @example
 * const phase = { noiseMultiplier: 1, samplingRate: 0.01, steps: 1000, divisor: 'expected', parameters: 1e6, datasetSize: 50000 };
 * account(engine, dividedSgd(phase), { adjacency: 'add-remove' }).delta(1).upper; // 0.221866
 */
export function dividedSgd(options: Omit<DividedSgd, 'kind' | 'attack'>): DividedSgd {
  const mechanism = built(DIVIDED_SGD_KIND, options);
  const { samplingRate, steps, parameters } = mechanism;
  if (samplingRate === 0) throw wrongValue('samplingRate', 'a number in (0, 1]', samplingRate);
  const coordinates = parameters * steps;
  if (steps > 0 && !(coordinates >= LEAST_COORDINATES && coordinates <= 1e13))
    throw wrongValue(
      'parameters',
      `such that parameters times steps (${steps}) is in [400, 1e13]`,
      parameters,
    );
  return mechanism;
}

/** Why sums divided by the size of the drawn batch have no answer. */
export const DIVIDED_BY_DRAWN: string =
  'no theorem here covers it. The size drawn is secret and random, and a record that is drawn changes it, so each step tells of the record by the scale of its noise too. Divide by a public constant';

/** Returns a valid divisor. @throws TypeError | RangeError, with the reason if it is the size of the drawn batch. */
function requireDivisor(name: string, value: unknown): string {
  if (value === 'drawn') throw new InputRangeError(`"divisor" must not be "drawn": ${DIVIDED_BY_DRAWN}`);
  return requireOneOf(name, value, ['expected', 'expected-whole']);
}

/** ⌊q·n⌋ for n − 1, n and n + 1 records, where q·n is rounded to a double as Opacus does. */
export function wholeDivisors(samplingRate: number, datasetSize: number): [number, number, number] {
  return [datasetSize - 1, datasetSize, datasetSize + 1].map((size) => Math.floor(samplingRate * size)) as [
    number,
    number,
    number,
  ];
}

/** r − 1 for the larger ratio r of two divisors: n over n − 1 records, or n + 1 over n. Exact up to a rounding; 0 if they are equal. */
function excessOf({ divisor, samplingRate: q, datasetSize: n }: DividedSgd): number {
  if (divisor === 'expected') return 1 / (n - 1);
  const [less, own, more] = wholeDivisors(q, n);
  if (own === less && own === more) return 0;
  return less === 0 ? Infinity : Math.max((own - less) / less, (more - own) / own);
}

/**
 * A batch size that no step exceeds except with probability e^{LOG_LOST} in all, by an upper bound of the binomial tail.
 *
 * Ensures: no step has a larger batch, except with probability e^{LOG_LOST} over all steps.
 */
function largestBatch({ samplingRate: q, datasetSize: n, steps }: DividedSgd): number {
  if (q === 1) return n;
  const near = log(q) - log1p(-q);
  // the tail increases with the logit, so this is rounded up
  const logit = near + FEW_ROUNDINGS * (1 + Math.abs(near));
  const least = Math.min(n, Math.floor(q * n) + 1);
  const exceeded = (size: number): number => logUpperTail(n, size + 1, logit).upper + log(steps);
  return least + firstWhere(n - least, (i) => exceeded(least + i) <= LOG_LOST - LONG_SUM);
}

/**
 * The pair of two noise scales, over as many coordinates as keep its μ below about `LARGEST_MU`; fewer coordinates are post-processing. Ensures: its
 * lower ends of δ hold for the run.
 */
function attackPair(m: DividedSgd): AtomicPair {
  const excess = Math.min(excessOf(m), 1);
  const within = Math.floor((LARGEST_MU / excess) ** 2 / 2);
  return scaleCells(Math.min(m.parameters * m.steps, Math.max(LEAST_COORDINATES, within)), excess).pair();
}

/**
 * Whether the scale of the noise and the shifted means tell almost certainly whether the record is there. Then no upper bound but 1 is computed.
 * Heuristic: any choice is valid.
 */
function isHopeless(m: DividedSgd): boolean {
  const excess = excessOf(m);
  const scale = excess * Math.sqrt(2 * m.parameters * m.steps);
  const means = (excess * m.samplingRate * m.datasetSize * Math.sqrt(m.steps)) / m.noiseMultiplier;
  return !(scale + means <= LARGEST_SUM);
}

/**
 * Releases that dominate the run under an adjacency, or make up an attack (docs/proofs/sampling.md, 12). For add-remove these are: the change of the
 * noise's scale; in each step a mixture of Gaussians, whose means move with the divisor; and an event of probability e^{LOG_LOST}. Rounded up.
 */
function partsOf(m: DividedSgd, adjacency: Adjacency): Part[] {
  const { noiseMultiplier, samplingRate: rate, steps } = m;
  if (steps === 0) return [];
  const excess = adjacency === 'add-remove' ? excessOf(m) : 0;
  const plain = made(GAUSSIAN_KIND, { noiseMultiplier });
  if (excess === 0) return [{ mechanism: plain, rate, count: steps }];
  const lost = (delta: number): ApproximateDp => made(APPROXIMATE_DP_KIND, { epsilon: 0, delta });
  const own = { mechanism: plain, rate, count: steps };
  if (m.attack === 'own') return [own];
  if (m.attack === 'both') {
    // one coordinate is that of the record's own gradient
    const rest: DividedSgd = { ...m, parameters: m.parameters - 1, attack: 'scale' };
    return rest.parameters * steps >= LEAST_COORDINATES ? [{ mechanism: rest, count: 1 }, own] : [own];
  }
  if (isHopeless(m)) return [{ mechanism: lost(1), count: 1 }];
  const moved = up(excess * largestBatch(m), 8 * U);
  const drawn = (moved + 1) * (1 + U);
  const mean = made(GAUSSIAN_MIXTURE_KIND, {
    noiseMultiplier,
    sensitivities: rate === 1 ? [drawn] : [moved, drawn],
    probabilities: rate === 1 ? [1] : [1 - rate, rate],
  });
  const scale = made(TABULATED_KIND, {
    points: scaleCells(m.parameters * steps, excess).profile.value,
  });
  return [
    { mechanism: scale, count: 1 },
    { mechanism: mean, count: steps },
    { mechanism: lost(exp(LOG_LOST)), count: 1 },
  ];
}

/**
 * The (ε, δ)-closeness of a run whose noise has the other scale in two coordinates of each step. In these the record and the others move the mean
 * (docs/proofs/sampling.md, 12). Undefined if the divisor does not change, or if no upper bound is computed.
 *
 * Ensures: the laws with and without the change of scale are (ε, δ)-close in both directions.
 */
function closenessOfDivisor(m: DividedSgd, adjacency: Adjacency, logLost = LOG_LOST): Closeness | undefined {
  const excess = adjacency === 'add-remove' && m.steps > 0 ? excessOf(m) : 0;
  if (excess === 0 || isHopeless(m)) return undefined;
  const dimensions = Math.max(LEAST_NEAR, 2 * m.steps);
  return { epsilon: scaleCells(dimensions, excess).epsilonAbove(exp(logLost)), logDelta: logLost };
}

export const DIVIDED_SGD_KIND: Kind<DividedSgd> = {
  name: 'divided-sgd',
  families: ['atoms'],
  title: 'DP-SGD divided by an expected size',
  standing: 'bound',
  adjacency: 'add-remove; zero-out and replace-one leave the divisor as it is',
  tail: 'not known: mu_t is between 0 and infinity',
  source: 'docs/proofs/sampling.md, 12',
  wide: 'from below the scale of the noise alone, from above that and the means that move: far apart where the run itself weighs as much',
  drawing: 'divided',
  fields: {
    noiseMultiplier: between(1e-3, 1e6),
    samplingRate: requireProbability,
    steps: requireCount,
    divisor: requireDivisor,
    parameters: whole(1, 1e12),
    datasetSize: whole(2, MOST_TRIALS - 1),
  },
  build: dividedSgd,
  describe: ({ noiseMultiplier, samplingRate, steps, divisor, parameters, datasetSize }) =>
    `DP-SGD of ${steps} steps, rate ${shortDecimal(samplingRate)}, noise multiplier ${shortDecimal(noiseMultiplier)}, ${parameters} parameters divided by ${divisor === 'expected' ? 'q n' : 'q n cut to a whole number'}, n = ${datasetSize}`,
  pair: (m) => (m.attack === undefined ? atomicPair(approximateDpAtoms(0, 1)) : attackPair(m)),
  revealsNothing: ({ steps }) => steps === 0,
  parts: (m, adjacency) => (m.attack === 'scale' ? undefined : partsOf(m, adjacency)),
  closeness: closenessOfDivisor,
  attacks: (m, adjacency) => {
    const excess = adjacency === 'add-remove' ? excessOf(m) : 0;
    if (excess === 0) return [];
    return isHopeless(m)
      ? [{ ...m, attack: 'scale' }]
      : [
          { ...m, attack: 'own' },
          { ...m, attack: 'both' },
        ];
  },
  unchained: (m) => ({ ...m, attack: 'scale' }),
  sum: {
    times: (m, count) => ({ ...m, steps: requireTotal(m.steps * count) }),
    plus: (a, b) => {
      const [one, other] = [a, b].map((m) => JSON.stringify({ ...m, steps: 0 }));
      return one === other ? { ...a, steps: requireTotal(a.steps + b.steps) } : undefined;
    },
  },
};
