/**
 * `x` ≥ 0 raised by a relative error.
 *
 * Ensures: at least the exact value, where `x` is off by at most half of `relative`.
 */
export function up(x: number, relative: number): number {
  return x * (1 + relative);
}

/**
 * `x` ≥ 0 lowered by a relative error.
 *
 * Ensures: at most the exact value, where `x` is off by at most half of `relative`.
 */
export function down(x: number, relative: number): number {
  return x * (1 - relative);
}
