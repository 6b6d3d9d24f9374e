/** The maximum of the values and `from`. `Math.max(...values)` would need stack space for each value, and fails beyond 65,536 in some engines. */
export function greatest(values: readonly number[], from: number = -Infinity): number {
  return values.reduce((most, each) => Math.max(most, each), from);
}

/** The minimum of the values and `from`. */
export function least(values: readonly number[], from: number = Infinity): number {
  return values.reduce((most, each) => Math.min(most, each), from);
}
