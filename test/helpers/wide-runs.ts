/** Runs of which all is known, behind brackets as wide as they may be. */
import { exp, expm1, log, log1p, normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import type { DirectedRun } from '../../src/run/directed-run.js';

/** Exact δ(ε), the rates of the test at loss ω, and f(α), of one direction of a pair. */
export interface Exact {
  readonly delta: (epsilon: number) => number;
  readonly rates: (omega: number) => readonly [fpr: number, tpr: number];
  readonly fnr: (alpha: number) => number;
  /** 1 − f(α). */
  readonly power: (alpha: number) => number;
}

export const gaussian = (mu: number): Exact => ({
  delta: (e) => normalCdf(mu / 2 - e / mu) - exp(e) * normalCdf(-mu / 2 - e / mu),
  rates: (w) => [normalCdf(-mu / 2 - w / mu), normalCdf(mu / 2 - w / mu)],
  fnr: (alpha) => normalCdf(-normalQuantile(alpha) - mu),
  power: (alpha) => normalCdf(normalQuantile(alpha) + mu),
});

/** One step of DP-SGD with σ = 1: N(0, 1) against (1 − q)N(0, 1) + qN(1, 1), or exchanged. */
export function sampled(q: number, direction: 'remove' | 'add'): Exact {
  const output = (loss: number) => 0.5 + log((exp(loss) - 1 + q) / q);
  const beyond = (x: number): [number, number] => [
    normalCdf(-x),
    (1 - q) * normalCdf(-x) + q * normalCdf(1 - x),
  ];
  const before = (x: number): [number, number] => [
    (1 - q) * normalCdf(x) + q * normalCdf(x - 1),
    normalCdf(x),
  ];
  /** Where the test of FPR α begins, downwards for the exchanged pair. */
  const threshold = (alpha: number): number => {
    let [low, high] = [-40, 40];
    for (let i = 0; i < 200; i++) {
      const x = (low + high) / 2;
      if ((direction === 'remove' ? beyond(x)[0] : before(-x)[0]) > alpha) low = x;
      else high = x;
    }
    return low;
  };
  const least = log1p(-q);
  const rates = (w: number): readonly [number, number] =>
    direction === 'remove'
      ? w > least
        ? beyond(output(w))
        : [1, 1]
      : w < -least
        ? before(output(-w))
        : [0, 0];
  return {
    rates,
    delta: (e) => {
      const [fpr, tpr] = rates(e);
      return tpr - exp(e) * fpr;
    },
    fnr: (alpha) => {
      const x = threshold(alpha);
      return direction === 'remove' ? before(x)[0] : beyond(-x)[0];
    },
    power: (alpha) => {
      const x = threshold(alpha);
      return direction === 'remove' ? beyond(x)[1] : before(-x)[1];
    },
  };
}

/** Laplace noise: δ(ε) = 1 − e^{(ε − ε₀)/2}. */
export function laplace(epsilon0: number): Exact {
  const least = exp(-epsilon0) / 2;
  // steep up to its first corner, then αβ = e^{−ε₀}/4 up to the mirrored corner
  const fnr = (alpha: number): number =>
    alpha < least
      ? 1 - exp(epsilon0) * alpha
      : alpha < 0.5
        ? exp(-epsilon0) / (4 * alpha)
        : (1 - alpha) * exp(-epsilon0);
  return {
    delta: (e) => (e < epsilon0 ? -expm1((e - epsilon0) / 2) : 0),
    rates: (w) => {
      if (w >= epsilon0) return [0, 0];
      const alpha = exp(-(w + epsilon0) / 2) / 2;
      return [alpha, 1 - fnr(alpha)];
    },
    fnr,
    power: (alpha) => (alpha < least ? exp(epsilon0) * alpha : 1 - fnr(alpha)),
  };
}

/** With probability p a response of loss ±ε, for each of the pairs, else nothing. */
export function responses(...shares: readonly (readonly [p: number, epsilon: number])[]): Exact {
  const nothing = 1 - shares.reduce((sum, [p]) => sum + p, 0);
  const outputs = shares
    .flatMap(([p, epsilon]) =>
      [epsilon, -epsilon].map((loss) => ({ loss, p: p / (1 + exp(loss)), q: p / (1 + exp(-loss)) })),
    )
    .concat({ loss: 0, p: nothing, q: nothing })
    .sort((a, b) => b.loss - a.loss);
  const power = (alpha: number): number => {
    let [left, reached] = [alpha, 0];
    for (const { p, q } of outputs) {
      if (left <= p) return reached + (q * left) / p;
      left -= p;
      reached += q;
    }
    return 1;
  };
  const missed = (alpha: number): number => {
    let [left, missed] = [1 - alpha, 0];
    for (const { p, q } of outputs.toReversed()) {
      if (left <= p) return missed + (q * left) / p;
      left -= p;
      missed += q;
    }
    return 1;
  };
  const beyond = (w: number) => outputs.filter(({ loss }) => loss > w);
  return {
    delta: (e) => beyond(e).reduce((sum, { p, q }) => sum + q - exp(e) * p, 0),
    rates: (w) => [
      beyond(w).reduce((sum, { p }) => sum + p, 0),
      beyond(w).reduce((sum, { q }) => sum + q, 0),
    ],
    fnr: missed,
    power,
  };
}

/** Where in its bracket the exact value lies, 0 at the lower end and 1 at the upper. */
export type Place = (epsilon: number) => number;
export const PLACES: Readonly<Record<string, Place>> = {
  'at the lower end': () => 0,
  'at the upper end': () => 1,
  'now here, now there': (epsilon) => (Math.floor(1e4 * Math.abs(epsilon)) % 7) / 6,
};

/** @param width Of the brackets of log δ, and what tests lack. */
export function wide(exact: Exact, width: number, place: Place): DirectedRun {
  const bracketAt = (epsilon: number) => {
    const value = Math.min(0, log(Math.max(0, exact.delta(epsilon))));
    const share = place(epsilon);
    return { lower: value - share * width, upper: Math.min(0, value + (1 - share) * width) };
  };
  const crossed = (target: number, at: (x: number) => number): number => {
    let [low, high] = [0, 60];
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (log(at(middle)) > target) low = middle;
      else high = middle;
    }
    return low;
  };
  return {
    direction: 'both',
    method: 'grid',
    logInfinity: { lower: -Infinity, upper: -Infinity },
    largestLoss: { lower: Infinity, upper: Infinity },
    logDelta: bracketAt,
    test: (omega) => {
      const [fpr, tpr] = exact.rates(omega).map(log) as [number, number];
      return { logFpr: Math.min(0, fpr + 0.3 * width), logTpr: Math.min(0, tpr - 0.3 * width) };
    },
    guessEpsilon: (target) => crossed(target, exact.delta),
    guessOmega: (target) => crossed(target, (w) => exact.rates(w)[0]),
  };
}
