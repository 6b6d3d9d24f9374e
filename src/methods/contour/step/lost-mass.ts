import { logNormalTail } from '../../../numeric/log-normal-tail.js';
import { exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import { firstBetween } from '../../../numeric/solve.js';

/** Losses below this (a logarithm) count as this in what is left: smaller ones have too few digits, or none. */
const LEAST_LOST = -690;

/** What a cut takes from P and from Q: upper bounds of logarithms. */
export interface LostMass {
  readonly logLostP: number;
  readonly logLostQ: number;
}

/** log of Φ̄(X) and of (1 − q) Φ̄(X) + q Φ̄(X − μ), rounded up. */
export function lostMass(mu: number, q: number, cut: number): LostMass {
  const base = logNormalTail(cut);
  const shifted = logNormalTail(cut - mu);
  const mixed = shifted - base > 600 ? log(q) + shifted : base + log1p(q * expm1(shifted - base));
  const padded = (value: number): number => Math.min(0, value + 1e-12 * (1 - value));
  return { logLostP: padded(base), logLostQ: padded(mixed) };
}

/** log of the mass that is left where at most e^{logLost} is lost, rounded down. */
export function logMassLeft(logLost: number): number {
  return log1p(-exp(Math.max(logLost, LEAST_LOST)));
}

/** The least multiple of ¼ that outputs exceed with at most e^{logMass} of P and of Q. */
export function cutFor(mu: number, q: number, logMass: number): number {
  const enough = (quarters: number): boolean => lostMass(mu, q, quarters / 4).logLostQ <= logMass;
  // where most lie
  let [low, high] = [0, 32];
  while (!enough(high)) [low, high] = [high, 2 * high];
  return firstBetween(low, high, enough) / 4;
}
