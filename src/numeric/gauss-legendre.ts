import { free } from './meter.js';
import { sinPi } from './scalar.js';

/** A quadrature rule on [0, 1]: weights, nodes t and their complements 1 − t, each with a relative error of a few roundings. */
export interface Rule {
  readonly node: Float64Array;
  readonly complement: Float64Array;
  readonly weight: Float64Array;
}

/** Rules by their number of nodes, cached. */
const rules = new Map<number, Rule>();
/** Largest number of nodes of a rule that is cached. */
const LARGEST_KEPT = 64;

/** The Gauss–Legendre rule of n nodes on [0, 1], exact for polynomials of degree up to 2n − 1. It is cached: callers must not write to it. */
export function gaussLegendre(n: number): Rule {
  const known = rules.get(n);
  if (known !== undefined) return known;
  if (n > LARGEST_KEPT) return newRule(n);
  const made = free(() => newRule(n));
  rules.set(n, made);
  return made;
}

/** Newton's method ends where a node moves by less than this fraction. */
const SETTLED = 1e-16;

/**
 * The rule of n nodes, the zeros t of the Legendre polynomial P_n(1 − 2t). Newton's method starts from sin²(θ/2), θ = π(i + ¾)/(n + ½). Ensures: relative
 * errors of nodes, complements and weights of a few roundings.
 */
function newRule(n: number): Rule {
  const node = new Float64Array(n);
  const complement = new Float64Array(n);
  const weight = new Float64Array(n);
  for (let i = 0; i < n - i; i++) {
    const guess = sinPi((i + 0.75) / (2 * n + 1));
    let t = guess * guess;
    for (let step = 0; step < 12; step++) {
      const { value, slope } = legendre(n, t);
      const move = value / slope;
      t -= move;
      if (Math.abs(move) <= SETTLED * t) break;
    }
    const { slope } = legendre(n, t);
    node[i] = t;
    complement[i] = 1 - t;
    weight[i] = 1 / (t * (1 - t) * slope * slope);
    node[n - 1 - i] = complement[i];
    complement[n - 1 - i] = t;
    weight[n - 1 - i] = weight[i];
  }
  return { node, complement, weight };
}

/**
 * p_n = P_n(1 − 2t) and its derivative in t. The recurrence is of the differences d_k = p_k − p_{k−1}, which do not cancel near t = 0.
 * It is d_{k+1} = (k d_k − (2k + 1) 2t p_k)/(k + 1).
 */
function legendre(n: number, t: number): { value: number; slope: number } {
  let value = 1;
  let difference = 0;
  for (let k = 0; k < n; k++) {
    difference = (k * difference - (2 * k + 1) * 2 * t * value) / (k + 1);
    value += difference;
  }
  const before = value - difference;
  return { value, slope: (-n * (before - (1 - 2 * t) * value)) / (2 * t * (1 - t)) };
}
