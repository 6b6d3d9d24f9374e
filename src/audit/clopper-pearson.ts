import { LARGEST_LOGIT, logistic, logLowerTail } from '../numeric/binomial.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { log } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';

/** A bound of a rate: of the rate, and of its logit log(rate/(1 − rate)), which has digits for rates near 0 and near 1. */
export interface RateBound {
  readonly rate: Bracket;
  readonly logit: Bracket;
}

/** Bracket of the rate of a logit: e^t/(1 + e^t). */
export function rateOf({ lower, upper }: Bracket): Bracket {
  return bracket(logistic(lower) * (1 - 2e-15), Math.min(1, logistic(upper) * (1 + 2e-15)));
}

/**
 * The one-sided upper confidence limit of Clopper and Pearson: the least rate x with
 * P[Bin(trials, x) ≤ successes] ≤ e^{logLevel}. The true rate is above it with probability at most e^{logLevel}.
 */
export function clopperPearson(successes: number, trials: number, logLevel: number): RateBound {
  if (successes >= trials) return { rate: bracket(1, 1), logit: bracket(Infinity, Infinity) };
  const guess = log((successes + 0.5) / (trials - successes));
  const options = {
    reach: 0.5,
    floor: -LARGEST_LOGIT,
    ceiling: LARGEST_LOGIT,
    relative: 4e-16,
    absolute: 1e-15,
  };
  const tail = (t: number): Bracket => logLowerTail(trials, successes, t);
  const { high } = crossing((t) => tail(t).upper - logLevel, { ...options, guess });
  const { low } = crossing((t) => tail(t).lower - logLevel, {
    ...options,
    guess: Math.min(high, LARGEST_LOGIT),
    reach: 1e-13,
  });
  const logit = bracket(Math.min(low, high), high);
  return { rate: rateOf(logit), logit };
}
