import type { ComposedRun } from '../account/composed-run.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { log } from '../numeric/scalar.js';

/** A target as it is given: names are checked, and no numbers. */
export type Given = Readonly<Record<string, unknown>>;

/** A mechanism with its account, made when first asked for. */
export interface Trial {
  readonly mechanism: Mechanism;
  readonly adjacency: Adjacency;
  run(): ComposedRun;
}

/** A target as something to be measured. */
export interface Goal {
  /**
   * log(loss/target), the loss being the better resolved of the target's two coordinates; `upper` ≤ 0 certifies
   * that the target is met. `scale` is what the account's own log-loss was divided by.
   *
   * @param zone How far below 0 `upper` is near enough: there the loss itself is no farther from the target, as far as the account tells.
   */
  excess(subject: Trial, zone?: number): Bracket & { scale: number };
  /** The loss in the target's own terms. */
  achieved(subject: Trial): Readonly<Record<string, Bracket>>;
  /** What the target allows, or if its loss may be this many times as large: what guesses lean on. */
  allowed(times: number): Allowed;
}

/** What a target allows. */
export interface Allowed {
  /** Roughly this μ. */
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
  /** A value at which the run roughly has what is allowed: only speed depends on it. */
  guess?(allowed: Allowed): number | undefined;
}

/** A loss that was divided by nothing. */
export function unscaled({ lower, upper }: Bracket): Bracket & { scale: number } {
  return { lower, upper, scale: 1 };
}

/** A share that is so many times as large, short of 1. */
export function shareAt(share: number, times: number): number {
  return Math.min(share * times, (1 + share) / 2);
}

/** log(b/most), at most 0 where b.upper is at most `most`. */
export function logRatio(b: Bracket, most: number): Bracket {
  return bracket(log(b.lower / most), log(b.upper / most));
}

/** Asked of a trial once: what decided is what is said of it, for a later answer may be wider where effort ran out. */
export function once(loss: (subject: Trial) => Bracket): (subject: Trial) => Bracket {
  const known = new WeakMap<Trial, Bracket>();
  return (subject) => {
    const met = known.get(subject) ?? loss(subject);
    known.set(subject, met);
    return met;
  };
}

/** The goal of a loss of its own name. */
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
      return unscaled(met.upper > most ? bracket(ratio.lower, Math.max(ratio.upper, 1e-16)) : ratio);
    },
    achieved: (subject) => ({ [name]: loss(subject) }),
  };
}
