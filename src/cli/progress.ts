/** What progress is written to. */
export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Milliseconds between two lines of a log. */
export const LOG_EVERY = 60_000;

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
  const start = now();
  let shown = '';
  let last = start;
  return (fraction) => {
    const percent = `${(100 * fraction).toFixed(1)} %`;
    const left = leftText(((now() - start) * (1 - fraction)) / fraction, now() - start);
    if (to.isTTY) {
      const line = percent + left;
      if (line !== shown) to.write(`\r${line.padEnd(shown.length)}${fraction === 1 ? '\n' : ''}`);
      shown = line;
    } else if (now() - last >= LOG_EVERY) {
      last = now();
      const rows = total === undefined ? '' : ` (${Math.round(fraction * total)} of ${total} rows)`;
      to.write(`gdp: ${percent}${rows}${left}\n`);
    }
  };
}

/** Milliseconds that are left if work goes on as it did, once there is something to go by. */
export function leftText(left: number, elapsed: number): string {
  if (elapsed < 2000 || !(left >= 1000) || left === Infinity) return '';
  const seconds = Math.round(left / 1000);
  if (seconds < 100) return `, about ${seconds} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `, about ${minutes} min left` : `, about ${Math.round(minutes / 60)} h left`;
}
