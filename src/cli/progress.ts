/** What progress is written to. */
export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Milliseconds between two lines of a log. */
const LOG_EVERY = 60_000;

/**
 * Tells how far rows are, `total` where that is known: on a terminal one line that changes, in a log a line a minute.
 *
 * @param now Milliseconds of a clock.
 */
export function progressLine(
  total?: number,
  to: Terminal = process.stderr,
  now: () => number = () => performance.now(),
): (fraction: number) => void {
  let shown = '';
  let last = now();
  return (fraction) => {
    const percent = `${(100 * fraction).toFixed(1)} %`;
    if (to.isTTY) {
      if (percent !== shown) to.write(`\r${percent}${fraction === 1 ? '\n' : ''}`);
      shown = percent;
    } else if (now() - last >= LOG_EVERY) {
      last = now();
      const rows = total === undefined ? '' : ` (${Math.round(fraction * total)} of ${total} rows)`;
      to.write(`gdp: ${percent}${rows}\n`);
    }
  };
}
