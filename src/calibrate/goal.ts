import type { ComposedRun } from '../account/composed-run.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { Bracket } from '../numeric/bracket.js';

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
   */
  excess(subject: Trial): Bracket & { scale: number };
  /** The loss in the target's own terms. */
  achieved(subject: Trial): Readonly<Record<string, Bracket>>;
  /** What the target allows, or if its loss may be this many times as large: what guesses lean on. */
  allowed(times: number): Allowed;
}

/** What a target allows: roughly this μ, and these exactly where it is an (ε, δ). */
export interface Allowed {
  readonly mu: number;
  readonly epsilon?: number;
  readonly delta?: number;
}
