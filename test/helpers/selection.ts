import { selectionCost } from '../../src/account/selection-cost.js';
import { SelectionOrders } from '../../src/account/selection-orders.js';
import { selectionRun, type Try } from '../../src/account/selection-run.js';
import { triesLaw } from '../../src/account/tries-law.js';
import {
  gaussian,
  gdp,
  laplace,
  type Mechanism,
  pureDp,
  randomizedResponse,
  type Tries,
} from '../../src/index.js';
import { atomicPair } from '../../src/law/atomic-pair.js';
import type { DirectedRun } from '../../src/run/directed-run.js';

/** φ(s) = E s^K, by its definition. */
export function generating(tries: Tries): (s: number) => number {
  switch (tries.kind) {
    case 'negative-binomial': {
      const { eta } = tries;
      const gamma = tries.gamma ?? gammaOf(eta, tries.mean!);
      if (gamma === 1) return (s) => s;
      const rest = 1 - gamma;
      if (eta === 0) return (s) => Math.log(1 - rest * s) / Math.log(gamma);
      return (s) => ((1 - rest * s) ** -eta - 1) / (gamma ** -eta - 1);
    }
    case 'poisson':
      return (s) => Math.exp(tries.mean * (s - 1));
    case 'binomial':
      return (s) => (1 - tries.probability * (1 - s)) ** tries.trials;
    case 'fixed':
      return (s) => s ** tries.count;
    case 'table':
      return (s) => tries.probabilities.reduce((sum, p, k) => sum + p * s ** k, 0);
  }
}

/** γ of a truncated negative binomial by its mean: η(1 − γ)/(γ(1 − γ^η)). */
function gammaOf(eta: number, mean: number): number {
  const meanAt = (gamma: number): number =>
    eta === 0 ? (1 / gamma - 1) / Math.log(1 / gamma) : (eta * (1 - gamma)) / (gamma * (1 - gamma ** eta));
  let [low, high] = [1e-12, 1];
  for (let i = 0; i < 200; i++) {
    const middle = Math.sqrt(low * high);
    if (meanAt(middle) > mean) low = middle;
    else high = middle;
  }
  return high;
}

/** A finite pair: the masses of each output in the two worlds. */
export type Worlds = readonly [p: readonly number[], q: readonly number[]];

/** The law of the published output where outputs score in this order, worst first; a list of several is a tie. */
export function published(
  tries: Tries,
  masses: readonly number[],
  order: readonly (readonly number[])[],
): number[] {
  const phi = generating(tries);
  const out = masses.map(() => 0);
  let below = 0;
  for (const tied of order) {
    const mass = tied.reduce((sum, i) => sum + masses[i], 0);
    const won = phi(Math.min(1, below + mass)) - phi(below);
    for (const i of tied) out[i] = mass > 0 ? (won * masses[i]) / mass : 0;
    below = Math.min(1, below + mass);
  }
  return out;
}

export function hockeyStick(q: readonly number[], p: readonly number[], epsilon: number): number {
  return q.reduce((sum, mass, i) => sum + Math.max(0, mass - Math.exp(epsilon) * p[i]), 0);
}

/** Every order of n outputs with ties: the ordered partitions. */
export function orders(n: number): number[][][] {
  if (n === 0) return [[]];
  const all: number[][][] = [];
  const items = Array.from({ length: n }, (_, i) => i);
  const visit = (left: readonly number[], made: number[][]): void => {
    if (left.length === 0) all.push(made);
    for (let set = 1; set < 1 << left.length; set++)
      visit(
        left.filter((_, i) => !((set >> i) & 1)),
        [...made, left.filter((_, i) => (set >> i) & 1)],
      );
  };
  visit(items, []);
  return all;
}

/** Both directions of the best of several tries of a finite pair, as the account makes them. */
export function selectionOf(tries: Tries, [p, q]: Worlds): { runs: DirectedRun[]; costs: number[] } {
  const law = triesLaw(tries);
  const finite = p.map((mass, i) => [Math.log(q[i] / mass), mass, q[i]] as const).sort(([a], [b]) => a - b);
  const pair = atomicPair({
    loss: Float64Array.from(finite, ([loss]) => loss),
    p: Float64Array.from(finite, ([, mass]) => mass),
    q: Float64Array.from(finite, ([, , mass]) => mass),
    infinity: 0,
    minusInfinity: 0,
    relative: 1e-14,
    gdpMu: Infinity,
    tailMu: 0,
  });
  const sides = [pair.forward, pair.backward];
  const costs = sides.map((_, i) => selectionCost(law, sides[1 - i], 1e-9));
  const runs: DirectedRun[] = sides.map((run, i) => {
    const one: Try = {
      run,
      cost: costs[i],
      most: Infinity,
      all: undefined,
      orders: new SelectionOrders(law, run, sides[1 - i], 1e-9),
    };
    const certain: DirectedRun = { ...run, logDelta: () => ({ lower: -Infinity, upper: 0 }) };
    return selectionRun(
      law,
      one,
      () => runs[1 - i],
      () => certain,
    );
  });
  return { runs, costs };
}

const between = (random: () => number, a: number, b: number): number => a * (b / a) ** random();

/** Tries of every kind, the mean or the number of them free: `more(s)` has s times as many, s ≥ 1. */
export function randomTries(random: () => number): (scale: number) => Tries {
  const mean = between(random, 1.01, 100);
  switch (Math.floor(random() * 4)) {
    case 0:
      return (s) => ({ kind: 'poisson', mean: (s * mean) / 5 });
    case 1: {
      const trials = Math.ceil(mean);
      const probability = between(random, 0.01, 0.9);
      return (s) => ({ kind: 'binomial', trials: Math.ceil(s * trials), probability });
    }
    default: {
      const eta = random() < 0.3 ? 0 : random() < 0.5 ? 1 : between(random, 0.1, 4) - 0.9;
      return (s) => ({ kind: 'negative-binomial', eta, mean: s * mean });
    }
  }
}

export function randomBase(random: () => number): Mechanism {
  const size = between(random, 0.02, 2);
  const all: readonly (() => Mechanism)[] = [
    () => gdp({ mu: size }),
    () => gaussian({ noiseMultiplier: 1 / size }),
    () => pureDp({ epsilon: size }),
    () => laplace({ scale: 1 / size, sensitivity: 1 }),
    () => randomizedResponse({ epsilon: size, categories: 2 + Math.floor(random() * 3) }),
  ];
  return all[Math.floor(random() * all.length)]();
}

/**
 * By how much the lower end may fall as tries grow. More Poisson tries are fewer, each of the others a dud by a coin of
 * its own, so there only the search for the order shows. A truncated negative binomial is not made of a larger one like that: its
 * best orders reach a little less (Laplace, scale 32.3, eta 0.974, delta 4e-4: 0.05995, 0.05955, 0.05941 at means 19, 57, 191, by
 * brute force too).
 */
export const slackOf = (tries: Tries): number => (tries.kind === 'poisson' ? 2e-3 : 0.03);
