/**
 * Root finding on functions that are monotone but for round-off, keeping certified ends: nothing is
 * assumed about a function beyond its values at the points where it was evaluated.
 */

/**
 * Ends low < high with holds(low) false and holds(high) true (a predicate that turns true as x grows),
 * as close as `relative`·|x| + `absolute` allow. The search starts around `guess` and opens outwards.
 *
 * @returns `low` = −∞ or `high` = +∞ if the predicate does not turn within [floor, ceiling].
 */
export function turningPoint(
  holds: (x: number) => boolean,
  options: {
    guess: number;
    reach: number;
    floor: number;
    ceiling: number;
    relative: number;
    absolute: number;
  },
): { low: number; high: number } {
  const { floor, ceiling, relative, absolute } = options;
  const guess = Math.min(Math.max(options.guess, floor), ceiling);
  let low = guess;
  let high = guess;
  let reach = options.reach;
  if (holds(guess)) {
    do {
      if (low <= floor) return { low: -Infinity, high: low };
      high = low;
      low = Math.max(floor, guess - reach);
      reach *= 4;
    } while (holds(low));
  } else {
    do {
      if (high >= ceiling) return { low: high, high: Infinity };
      low = high;
      high = Math.min(ceiling, guess + reach);
      reach *= 4;
    } while (!holds(high));
  }
  for (let i = 0; i < 200; i++) {
    const middle = low + (high - low) / 2;
    if (high - low <= absolute + relative * Math.max(Math.abs(low), Math.abs(high))) break;
    if (middle <= low || middle >= high) break;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return { low, high };
}
