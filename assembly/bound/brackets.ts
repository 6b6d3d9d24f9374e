/** Brackets of log δ. */
export abstract class Brackets {
  /** Bracket at the last x asked for. */
  lower: f64 = -Infinity;
  upper: f64 = Infinity;
  /** About log of the false positive rate of the best test there. */
  logFpr: f64 = -Infinity;
  /** Ensures: log δ at x ≥ 0 lies between `lower` and `upper`. */
  abstract answer(x: f64): void;
}
