/** A method that answers log δ(x), x an ε, by a bracket. */
export abstract class Brackets {
  /** Bracket of log δ at the last x asked for. */
  lower: f64 = -Infinity;
  upper: f64 = Infinity;
  /** Approximate log of the false positive rate of the likelihood-ratio test at that x. */
  logFpr: f64 = -Infinity;
  /** Ensures: log δ at x ≥ 0 lies between `lower` and `upper`. */
  abstract answer(x: f64): void;
}
