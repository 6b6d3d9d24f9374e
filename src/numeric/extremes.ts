/**
 * The largest of any number of values, and not below `from`. `Math.max(...values)` takes a place of the stack for each, and ends beyond 65,536 in some
 * engines.
 */
export function greatest(values: readonly number[], from: number = -Infinity): number {
  return values.reduce((most, each) => Math.max(most, each), from);
}

/** The smallest of any number of values, and not above `from`. */
export function least(values: readonly number[], from: number = Infinity): number {
  return values.reduce((most, each) => Math.min(most, each), from);
}
