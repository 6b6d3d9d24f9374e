import type { ComposedRun } from '../account/composed-run.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { BARELY } from '../numeric/rounding.js';
import { log } from '../numeric/scalar.js';

/** A target as the caller stated it: its names are checked, its numbers are not. */
export type Given = Readonly<Record<string, unknown>>;

/** A mechanism that is tried as a solution, with its run, which is made on first use. */
export interface Trial {
  readonly mechanism: Mechanism;
  readonly adjacency: Adjacency;
  run(): ComposedRun;
}

/** A target as a function of a run. */
export interface Goal {
  /**
   * Bracket of log(loss/target): `upper` ≤ 0 certifies that the target is met. For (ε, δ) it is measured in ε or in log δ, whichever is finer.
   * `scale` is the number by which log(δ/target) was divided to measure it in ε, else 1.
   *
   * @param zone Tolerance of the search: a bracket with `upper` in [−zone, 0] is close enough.
   */
  excess(subject: Trial, zone?: number): Bracket & { scale: number };
  /** Brackets of the loss, in the terms of the target. */
  achieved(subject: Trial): Readonly<Record<string, Bracket>>;
  /** Approximately what the target allows if it is multiplied by `times`. Heuristic: it is for guesses. */
  allowed(times: number): Allowed;
}

/** What a target allows, for guesses. */
export interface Allowed {
  /** About the μ that meets the target. */
  readonly mu: number;
  /** The ε of a target (ε, δ), or one that stands for it. */
  readonly epsilon?: number;
  /** The δ at `epsilon`. */
  readonly delta?: number;
}

/** A number of a mechanism that is solved for. */
export interface Unknown {
  /** The name of the number in answers and messages. */
  readonly name: string;
  /** Smallest value allowed, > 0. */
  readonly least: number;
  /** Largest value allowed. */
  readonly most: number;
  /** Whether only whole numbers are allowed. */
  readonly whole?: boolean;
  /** Whether a larger value loses less privacy or more. */
  readonly larger: 'more-private' | 'less-private';
  /** The mechanism with that value. Its loss must be monotone in it. */
  mechanismAt(value: number): Mechanism;
  /** An approximate solution. Only speed depends on it. */
  guess?(allowed: Allowed): number | undefined;
}

/** Adds the scale 1 to a bracket of log(loss/target) (see `Goal.excess`). */
export function unscaled({ lower, upper }: Bracket): Bracket & { scale: number } {
  return { lower, upper, scale: 1 };
}

/** Heuristic: a probability multiplied by `times`, but at most halfway to 1, so that it stays below 1. */
export function shareAt(share: number, times: number): number {
  return Math.min(share * times, (1 + share) / 2);
}

/** log(b/most), each end to a unit in the last place, not rounded to a side. The upper end is at most 0 exactly if b.upper is at most `most`. */
export function logRatio(b: Bracket, most: number): Bracket {
  return bracket(log(b.lower / most), log(b.upper / most));
}

/** A loss that is computed once for each trial: computed again it might be wider, if effort runs out, and contradict a decision. */
export function once(loss: (subject: Trial) => Bracket): (subject: Trial) => Bracket {
  const known = new WeakMap<Trial, Bracket>();
  return (subject) => {
    const met = known.get(subject) ?? loss(subject);
    known.set(subject, met);
    return met;
  };
}

/** The goal that one loss, computed by `asked`, is at most `most`. Answers state the loss under `name`. */
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
