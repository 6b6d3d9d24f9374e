import { expect } from 'vitest';
import {
  account,
  gaussian,
  gdp,
  laplace,
  type Mechanism,
  pureDp,
  randomizedResponse,
  select,
  type Tries,
} from '../../src/index.js';
import { atomicPair } from '../../src/law/atomic-pair.js';
import { PublishedCells } from '../../src/mechanism/search/published-cells.js';
import { SelectionOrders } from '../../src/mechanism/search/selection-orders.js';
import { selectionRun, type Try } from '../../src/mechanism/search/selection-run.js';
import { selectionCost, triesLaw } from '../../src/mechanism/search/tries-law.js';
import type { DirectedRun } from '../../src/run/directed-run.js';
import { wasm } from './runs.js';

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
      cells: new PublishedCells(law, run, sides[1 - i]),
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

/** Tries of every kind that grow. */
export interface GrowingTries {
  /** `scale` times as many, scale ≥ 1. */
  at(scale: number): Tries;
  /**
   * The chance that some try is left where each of the tries at the larger scale is made a dud by a coin of its own, and those left are
   * tries at the smaller scale: 1 where none may be left there too. Undefined where fewer tries are not made of more like that.
   */
  left(fewer: number, more: number): number | undefined;
}

/** Tries of every kind, the mean, the chance or the number of them free. */
export function randomTries(random: () => number): GrowingTries {
  const mean = between(random, 1.01, 100);
  switch (Math.floor(random() * 5)) {
    case 0:
      return { at: (s) => ({ kind: 'poisson', mean: (s * mean) / 5 }), left: () => 1 };
    case 1: {
      const trials = Math.ceil(mean);
      const probability = between(random, 0.01, 0.9);
      return {
        at: (s) => ({ kind: 'binomial', trials: Math.ceil(s * trials), probability }),
        left: () => undefined,
      };
    }
    case 2: {
      const probability = between(random, 0.001, 0.09);
      return {
        at: (s) => ({ kind: 'binomial', trials: Math.ceil(mean), probability: s * probability }),
        left: () => 1,
      };
    }
    default: {
      const eta = random() < 0.3 ? 0 : random() < 0.5 ? 1 : between(random, 0.1, 4) - 0.9;
      // below 0 large means need a γ below what is allowed
      const least = mean ** Math.min(1, 1 + eta);
      const at = (s: number) => ({ kind: 'negative-binomial', eta, mean: s * least }) as const;
      return {
        at,
        left: (fewer, more) => {
          const [few, many] = [fewer, more].map((s) => gammaOf(eta, s * least));
          const odds = (1 / few - 1) / (1 / many - 1);
          return 1 - generating(at(more))(1 - odds);
        },
      };
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

/** By how much a lower end may be off for the search for the order. */
const SEARCHED = 1e-5;

/** ε of the best of more and more tries: lower ends below upper ends, both growing, as docs/proofs/select.md, 8 has it. */
export function expectGrowing(
  inner: Mechanism,
  tries: GrowingTries,
  scales: readonly number[],
  delta: number,
): void {
  const what = JSON.stringify([inner, tries.at(1), delta]);
  const runs = scales.map((scale) =>
    account(wasm, select({ runs: tries.at(scale), inner }), { adjacency: 'add-remove' }),
  );
  for (const [k, more] of runs.entries()) {
    const { lower, upper } = more.epsilon(delta);
    expect(lower, what).toBeLessThanOrEqual(upper);
    if (k === 0) continue;
    const fewer = runs[k - 1].epsilon(delta);
    expect(upper, what).toBeGreaterThanOrEqual(fewer.upper * (1 - 1e-7));
    const left = tries.left(scales[k - 1], scales[k]);
    if (left === undefined) continue;
    expect(more.epsilon(left * delta).lower, what).toBeGreaterThanOrEqual(fewer.lower * (1 - SEARCHED));
  }
}

/**
 * log δ(ε) of the best order of the two outputs of ε₀-randomised response, each cut into `shares` by a coin, at the better set of
 * what is published: by dynamic programming over how many shares of each have gone.
 */
export function bestOrder(tries: Tries, epsilon0: number, epsilon: number, shares: number): number {
  const phi = generating(tries);
  const likely = 1 / (1 + Math.exp(-epsilon0));
  /** P[published is none of the first i and j shares] in a world where the first output has the mass `mass`. */
  const rest = (mass: number): Float64Array[] =>
    Array.from({ length: shares + 1 }, (_, i) =>
      Float64Array.from({ length: shares + 1 }, (_, j) =>
        phi(Math.max(0, 1 - (i * mass + j * (1 - mass)) / shares)),
      ),
    );
  const [here, there] = [rest(likely), rest(1 - likely)];
  const gain = (i: number, j: number, k: number, l: number): number =>
    Math.max(0, here[i][j] - here[k][l] - Math.exp(epsilon) * (there[i][j] - there[k][l]));
  const best = here.map(() => new Float64Array(shares + 1));
  for (let i = 0; i <= shares; i++)
    for (let j = 0; j <= shares; j++)
      best[i][j] = Math.max(
        i > 0 ? best[i - 1][j] + gain(i - 1, j, i, j) : 0,
        j > 0 ? best[i][j - 1] + gain(i, j - 1, i, j) : 0,
      );
  return Math.log(best[shares][shares]);
}
