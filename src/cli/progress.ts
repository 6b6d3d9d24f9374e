/** The `workerData` of a thread that must not read or write files. */
export const WITHOUT_FILES = 'without files';

/** The part of standard error that is used to print progress. */
export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Milliseconds between two lines in a log file. */
const LOG_EVERY = 60_000;

/**
 * Prints the finished share in per cent and the time left. On a terminal one line is updated; a log file gets a line per minute, with numbers of rows where
 * `total` is known.
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

/** The time left, in words; empty in the first two seconds, and if less than a second is left. */
function leftText(left: number, elapsed: number): string {
  if (elapsed < 2000 || !(left >= 1000) || left === Infinity) return '';
  const seconds = Math.round(left / 1000);
  if (seconds < 100) return `, about ${seconds} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `, about ${minutes} min left` : `, about ${Math.round(minutes / 60)} h left`;
}

/** Milliseconds after which progress is shown. */
const LONG = 2000;

/** Milliseconds between two updates on a terminal. */
const SHOWN_EVERY = 1000;

/**
 * Prints that work goes on, how far it is, and the time left if that is known. It begins after two seconds. On a terminal one
 * line changes every second; a log gets one line a minute. The work must run in another thread, so that the timer fires.
 *
 * @param now Milliseconds of a clock.
 */
export function signOfLife(to: Terminal, now: () => number = () => performance.now()) {
  const start = now();
  let [fraction, whole, shown, ended] = [0, 0, false, false];
  const say = (): void => {
    const elapsed = now() - start;
    if (ended || elapsed < LONG) return;
    const far = fraction > 0 ? `, ${Math.floor(100 * fraction)} %${leftText(whole - elapsed, elapsed)}` : '';
    const text = `gdp: still working, ${Math.round(elapsed / 1000)} s${far}`;
    to.write(to.isTTY ? `${WIPE}${text}` : `${text}\n`);
    shown = true;
  };
  const wipe = (): void => {
    if (shown && to.isTTY) to.write(WIPE);
    shown = false;
  };
  const timer = setInterval(say, to.isTTY ? SHOWN_EVERY : LOG_EVERY);
  timer.unref();
  return {
    /** Called with the progress of the work, in [0, 1]. */
    progress: (known: number) => {
      fraction = known;
      whole = (now() - start) / known;
    },
    /** Clears the line before something else is printed. */
    wipe,
    /** Clears the line for the last time. */
    end: () => {
      ended = true;
      clearInterval(timer);
      wipe();
    },
  };
}

const WIPE = '\r\u001b[K';

/** The exit code of shells for a command ended by SIGINT. */
export const INTERRUPTED = 130;
