import { atomicPair } from '../../src/law/atomic-pair.js';
import { withoutReplacementLaw } from '../../src/law/joined-laws.js';
import { cellLaw } from '../../src/law/lattice/cell-law.js';
import type { LatticeMeasure, LossLaw } from '../../src/law/loss-law.js';
import type { Pair } from '../../src/law/pair.js';
import * as basic from '../../src/mechanism/kinds/index.js';
import { joint } from '../../src/mechanism/kinds/joint.js';
import { randomAllocation } from '../../src/mechanism/kinds/random-allocation.js';
import { type Basic, pairOf } from '../../src/mechanism/pairs.js';
import { reference } from './runs.js';

type Random = () => number;

const between = (random: Random, a: number, b: number) => a * (b / a) ** random();
const whole = (random: Random, a: number, b: number) => Math.floor(between(random, a, b + 1));

/** Every kind of mechanism with a pair of its own, at parameters from mild to extreme. */
export const RANDOM_MECHANISMS: Readonly<
  Record<Exclude<Basic['kind'], 'select' | 'parallel'>, (random: Random) => Basic>
> = {
  'adaptive-clipping': (r) =>
    basic.adaptiveClipping({
      noiseMultiplier: between(r, 0.1, 50),
      countNoise: between(r, 0.1, 50),
      count: r() < 0.5 ? 'raw' : 'centred',
    }),
  'divided-sgd': (r) =>
    basic.dividedSgd({
      noiseMultiplier: between(r, 1, 20),
      samplingRate: between(r, 0.01, 0.2),
      steps: whole(r, 10, 200),
      divisor: r() < 0.5 ? 'expected' : 'expected-whole',
      parameters: whole(r, 100, 10000),
      datasetSize: whole(r, 10000, 100000),
    }),
  gaussian: (r) => basic.gaussian({ noiseMultiplier: between(r, 0.1, 50) }),
  gdp: (r) => basic.gdp({ mu: between(r, 0.01, 10) }),
  joint: (r) =>
    joint({
      parts: [
        basic.laplace({ scale: 1, sensitivity: between(r, 0.1, 3) }),
        r() < 0.5
          ? basic.gaussian({ noiseMultiplier: between(r, 0.5, 10) })
          : basic.discreteLaplace({ scale: between(r, 0.3, 10), sensitivity: whole(r, 1, 6) }),
      ],
    }),
  'random-allocation': (r) =>
    randomAllocation({
      inner: basic.laplace({ scale: between(r, 0.4, 8), sensitivity: 1 }),
      bins: whole(r, 2, 30),
    }),
  laplace: (r) =>
    basic.laplace({ scale: 1, sensitivity: r() < 0.3 ? between(r, 1e-9, 300) : between(r, 0.1, 5) }),
  'discrete-gaussian': (r) =>
    r() < 0.3
      ? basic.discreteGaussian({ sigma: between(r, 0.05, 2), sensitivity: 1 })
      : basic.discreteGaussian({ sigma: between(r, 0.5, 20), sensitivity: whole(r, 1, 4) }),
  binomial: (r) =>
    basic.binomial({ trials: whole(r, 1, r() < 0.3 ? 20 : 4000), sensitivity: whole(r, 1, 4) }),
  skellam: (r) =>
    r() < 0.3
      ? basic.skellam({ variance: between(r, 0.01, 2), sensitivity: 1 })
      : basic.skellam({
          variance: between(r, 0.5, 400),
          sensitivity: whole(r, 1, 4),
          ...(r() < 0.2 && {
            dimension: whole(r, 1, 40),
            ...(r() < 0.5 && { sensitivityL2: between(r, 1, 9) }),
          }),
        }),
  'binned-matrix': (r) =>
    basic.binnedMatrix({
      noiseMultiplier: between(r, 0.5, 20),
      column: Array.from({ length: whole(r, 1, 6) }, () => r()),
      steps: whole(r, 12, 60),
      bins: whole(r, 1, 12),
    }),
  'last-iterate': (r) =>
    basic.lastIterate({
      noiseMultiplier: between(r, 0.5, 20),
      batches: whole(r, 1, 50),
      epochs: whole(r, 1, 20),
      contraction: r() < 0.3 ? 1 : between(r, 0.5, 1),
      ...(r() < 0.3 && { order: 'shuffled' as const }),
    }),
  'discrete-gaussian-vector': (r) =>
    basic.discreteGaussianVector({
      sigma: between(r, 0.5, 6),
      sensitivity: between(r, 1, 3),
      ...(r() < 0.5 && { dimension: whole(r, 1, 6) }),
      ...(r() < 0.5 && { sensitivityL1: whole(r, 1, 6) }),
    }),
  'discrete-laplace': (r) =>
    r() < 0.3
      ? basic.discreteLaplace({ scale: between(r, 0.01, 100), sensitivity: whole(r, 1, 3) })
      : basic.discreteLaplace({ scale: between(r, 0.3, 10), sensitivity: whole(r, 1, 6) }),
  'randomized-response': (r) =>
    basic.randomizedResponse({
      epsilon: between(r, 1e-6, 50),
      categories: r() < 0.5 ? 2 : Math.floor(between(r, 3, 2 ** 53)),
    }),
  'pure-dp': (r) => basic.pureDp({ epsilon: between(r, 1e-3, 300) }),
  'approximate-dp': (r) =>
    basic.approximateDp({
      epsilon: between(r, 1e-3, 20),
      delta: between(r, r() < 0.3 ? 1e-300 : 1e-12, 0.9),
    }),
  'bounded-range': (r) => basic.boundedRange({ epsilon: between(r, 1e-3, 100) }),
  'gaussian-mixture': (r) => {
    const sensitivities = Array.from({ length: whole(r, 2, 6) }, (_, i) =>
      i > 0 || r() < 0.3 ? between(r, 0.1, 3) : 0,
    );
    const odds = sensitivities.map(() => between(r, 1e-6, 1));
    const sum = odds.reduce((total, odd) => total + odd, 0);
    const probabilities = odds.map((odd) => odd / sum);
    return basic.gaussianMixture({ noiseMultiplier: between(r, 0.3, 20), sensitivities, probabilities });
  },
  'replaced-gaussian': (r) =>
    basic.replacedGaussian({ noiseMultiplier: between(r, 0.3, 20), rate: between(r, 1e-6, 1) }),
  'balls-and-bins': (r) =>
    basic.ballsAndBins({ noiseMultiplier: between(r, 0.5, 10), bins: whole(r, 1, 1000) }),
  tcdp: (r) => basic.tcdp({ rho: between(r, 1e-4, 5), omega: 1 + between(r, 0.1, 1e3) }),
  mcdp: (r) => basic.mcdp({ mean: between(r, 1e-4, 5), tau: between(r, 0.03, 3) }),
  'capped-poisson': (r) => {
    const datasetSize = whole(r, 2, 1000);
    const rate = between(r, 0.01, 1);
    const batchCap = Math.max(1, Math.ceil(datasetSize * rate * between(r, 0.5, 2)));
    const noiseMultiplier = between(r, 0.3, 20);
    return basic.cappedPoisson({ noiseMultiplier, rate, datasetSize, batchCap });
  },
  'noisy-max': (r) => basic.noisyMax({ epsilon: between(r, 1e-3, 50) }),
  'matrix-mechanism': (r) => {
    const column = Array.from({ length: whole(r, 1, 20) }, () => between(r, 0.01, 1));
    const participations = whole(r, 1, 5);
    return basic.matrixMechanism({ noiseMultiplier: between(r, 0.5, 20), column, participations });
  },
  shuffled: (r) =>
    basic.shuffled({
      noiseMultiplier: between(r, 0.5, 10),
      bins: whole(r, 1, 1000),
      leftOut: r() < 0.5 ? 0 : r(),
    }),
  'shuffle-model': (r) =>
    basic.shuffleModel({ epsilon: between(r, 1e-3, 10), users: Math.round(between(r, 1, 1e4)) }),
  'with-replacement': (r) =>
    basic.withReplacement({
      noiseMultiplier: between(r, 0.5, 20),
      sampleSize: whole(r, 1, 100),
      datasetSize: whole(r, 2, 10000),
    }),
  zcdp: (r) => basic.zcdp({ rho: between(r, 1e-6, 20) }),
  rdp: (r) =>
    basic.rdp({
      points: [
        { order: 1 + between(r, 0.01, 3), epsilon: between(r, 0.01, 3) },
        { order: 8, epsilon: 5 },
      ],
    }),
  tabulated: (r) =>
    basic.tabulated({
      points: Array.from({ length: whole(r, 1, 7) }, () => {
        const epsilon = (r() - 0.2) * between(r, 0.1, 20);
        return { epsilon, delta: epsilon < 0 ? Math.max(r(), -Math.expm1(epsilon)) : r() ** 8 };
      }),
    }),
  'trade-off': (r) => {
    // points of a convex curve that bends, thinned, with or without their chords
    const power = between(r, 1, 12);
    const alphas = Array.from({ length: whole(r, 1, 9) }, () => r() ** between(r, 1, 20)).sort(
      (a, b) => a - b,
    );
    const points = [...new Set(alphas)].map((alpha) => ({ alpha, beta: (1 - alpha) ** power * 0.999 }));
    return basic.tradeoffPoints({ points, linear: r() < 0.7 });
  },
};

/** Losses of balls-and-bins epochs are known by their transform alone: contours answer for them, no lattice. */
export const ON_LATTICES = (Object.keys(RANDOM_MECHANISMS) as (keyof typeof RANDOM_MECHANISMS)[]).filter(
  (kind) => kind !== 'balls-and-bins',
);

/** What is composed of Rényi guarantees is a table, above the exact curve: a tenth of a second each. */
export const isTable = (kind: keyof typeof RANDOM_MECHANISMS): boolean =>
  kind === 'zcdp' || kind === 'rdp' || kind === 'tcdp' || kind === 'mcdp';

/** δ(ε) of a lattice measure, summed term by term with the rounding carried along. */
export function curveOf({ step, first, mass, infinity }: LatticeMeasure, epsilon: number): number {
  let sum = infinity;
  let rest = 0;
  for (let i = mass.length - 1; i >= 0; i--) {
    const x = step * (first + i);
    if (x <= epsilon) break;
    const term = mass[i] * -Math.expm1(epsilon - x);
    const next = sum + term;
    rest += Math.abs(sum) >= term ? sum - next + term : term - next + sum;
    sum = next;
  }
  return sum + rest;
}

export interface Crossing {
  readonly what: string;
  /** By how much the curve of a discretisation lies on the wrong side of the exact one, relative to it. */
  readonly by: number;
}

/** The discretisation of one random law on one random mesh against the law's own δ: how far it is on the wrong side. */
export function worstCrossing(kind: keyof typeof RANDOM_MECHANISMS, random: Random): Crossing {
  const mechanism = RANDOM_MECHANISMS[kind](random);
  const stated = pairOf(mechanism);
  const inner = isTable(kind) && stated.family === 'atoms' ? atomicPair(stated.atoms) : stated;
  const dice = random();
  const rate = dice < 0.2 ? 1 : dice < 0.35 ? 1 - between(random, 1e-12, 0.1) : between(random, 1e-6, 1);
  const sampling = random() < 0.25 && rate < 1 ? 'without-replacement' : random() < 0.5 ? 'remove' : 'add';
  const lawFrom = (of: Pair): LossLaw =>
    of.family === 'branched'
      ? of.law(sampling === 'add' ? 'add' : 'remove')
      : sampling === 'without-replacement'
        ? withoutReplacementLaw(of, rate)
        : cellLaw(of, rate, sampling);
  const law = lawFrom(inner);
  const statedRun = lawFrom(stated).single;
  const logTail = -16 * Math.ceil(random() * 12);
  let step = 2 ** -Math.floor(random() * 12);
  // 0 is a lattice where all losses are, and no step
  if ((law.lattice ?? 0) > 0 && random() < 0.5) step = law.lattice! * 2 ** Math.floor(random() * 3);
  while (!(law.cells(step, logTail) < 1000)) step *= 2;
  const { upper, lower, displacement } = law.discretise(reference.kernel, step, logTail);
  const span = Math.max(upper.mass.length, lower.mass.length);
  const first = Math.min(upper.first, lower.first);
  const at = [-1000, -50];
  for (let k = 0; k < 20; k++) {
    at.push(step * (first + Math.floor(random() * span)), step * (first + random() * span));
    at.push((random() - 0.5) * between(random, 1e-12, 50));
  }
  for (const k of [-3, -2, -1, 0, 1, 2, 3]) at.push(k * step, k * step * (1 + 1e-9), (k + 0.5) * step);
  for (let k = 0; k < 5; k++) {
    const end = Math.log1p(-rate) * (1 - between(random, 1e-12, 1));
    if (Number.isFinite(end)) at.push(end, -end);
  }
  if (inner.family === 'atoms') {
    const { loss } = inner.atoms;
    for (let k = 0; k < 10; k++) {
      const y = Math.log1p(rate * Math.expm1(Math.min(700, loss[Math.floor(random() * loss.length)])));
      if (Number.isFinite(y)) at.push(y, -y, y * (1 + 1e-10), y * (1 - 1e-10));
    }
  }
  let worst: Crossing = { what: '', by: 0 };
  for (const epsilon of at) {
    const exact = law.single.logDelta(epsilon);
    const [least, most] = [Math.exp(exact.lower), Math.exp(exact.upper)];
    const above = curveOf(upper, epsilon - displacement);
    const below = curveOf(lower, epsilon + displacement);
    // the table is above the curve that is stated, as far as rounding tells
    const under = isTable(kind) ? Math.exp(statedRun.logDelta(epsilon).lower) * (1 - 1e-11) : 0;
    const by = Math.max(
      least > 0 ? 1 - above / least : 0,
      under > 0 ? 1 - above / under : 0,
      below > 0 ? 1 - most / below : 0,
    );
    if (by <= worst.by) continue;
    const what = {
      mechanism,
      sampling,
      rate,
      step,
      logTail,
      epsilon,
      exact,
      above: Math.log(above),
      below: Math.log(below),
    };
    worst = { by, what: JSON.stringify(what) };
  }
  return worst;
}
