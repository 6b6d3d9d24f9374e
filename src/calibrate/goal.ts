import type { ComposedRun } from '../account/composed-run.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { BARELY } from '../numeric/rounding.js';
import { log } from '../numeric/scalar.js';

/** A target as given: its names are checked, its numbers are not. */
export type Given = Readonly<Record<string, unknown>>;

/** A mechanism with its account, made on first use. */
export interface Trial {
  readonly mechanism: Mechanism;
  readonly adjacency: Adjacency;
  run(): ComposedRun;
}

/** A target in measurable form. */
export interface Goal {
  /**
   * log(loss/target), by that coordinate of the target which is better resolved; `upper` ≤ 0 certifies that the target is met. `scale` is the divisor
   * of the account's own log-loss.
   *
   * @param zone Tolerance of the search. Where `upper` is in [−zone, 0], the loss is that near to its target, as far as the account tells.
   */
  excess(subject: Trial, zone?: number): Bracket & { scale: number };
  /** The loss in the target's own terms. */
  achieved(subject: Trial): Readonly<Record<string, Bracket>>;
  /** What the target allows if its loss is multiplied by `times`: for guesses. */
  allowed(times: number): Allowed;
}

/** What a target allows. */
export interface Allowed {
  /** Approximate μ. */
  readonly mu: number;
  /** Exactly this ε, where the target is an (ε, δ). */
  readonly epsilon?: number;
  /** Its δ. */
  readonly delta?: number;
}

/** One number of a mechanism that is solved for. */
export interface Unknown {
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
  /** The mechanism at a value. Its loss must be monotone in the value. */
  mechanismAt(value: number): Mechanism;
  /** An approximate solution: only speed depends on it. */
  guess?(allowed: Allowed): number | undefined;
}

/** A loss with scale 1, as its goal does not divide it. */
export function unscaled({ lower, upper }: Bracket): Bracket & { scale: number } {
  return { lower, upper, scale: 1 };
}

/** A probability multiplied by `times`; at most halfway from it to 1, so that it stays below 1. */
export function shareAt(share: number, times: number): number {
  return Math.min(share * times, (1 + share) / 2);
}

/** log(b/most), each end within one ulp. The upper end is at most 0 exactly where b.upper is at most `most`. */
export function logRatio(b: Bracket, most: number): Bracket {
  return bracket(log(b.lower / most), log(b.upper / most));
}

/** A loss computed once per trial: a later answer may be wider if effort runs out, and the decision stands. */
export function once(loss: (subject: Trial) => Bracket): (subject: Trial) => Bracket {
  const known = new WeakMap<Trial, Bracket>();
  return (subject) => {
    const met = known.get(subject) ?? loss(subject);
    known.set(subject, met);
    return met;
  };
}

/** The goal of a loss with a name of its own. */
export function logarithmic(
  name: string,
  most: number,
  asked: (subject: Trial) => Bracket,
  allowed: Goal['allowed'],
): Goal {
  const loss = once(asked);
  return {
    allowed,
    excess: (subject) => {
      const met = loss(subject);
      const ratio = logRatio(met, most);
      return unscaled(met.upper > most ? bracket(ratio.lower, Math.max(ratio.upper, BARELY)) : ratio);
    },
    achieved: (subject) => ({ [name]: loss(subject) }),
  };
}
