/** What a thread is started with that is to read and write no file. It stands apart from what names the script of a thread by its own place. */
export const WITHOUT_FILES = 'without files';
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
function leftText(left: number, elapsed: number): string {
  if (elapsed < 2000 || !(left >= 1000) || left === Infinity) return '';
  const seconds = Math.round(left / 1000);
  if (seconds < 100) return `, about ${seconds} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `, about ${minutes} min left` : `, about ${Math.round(minutes / 60)} h left`;
}

/** Work that takes longer than this is long, in milliseconds. */
const LONG = 2000;

/** Milliseconds between two signs on a terminal. */
const SHOWN_EVERY = 1000;

/**
 * Says that work goes on, how far it is, and the time left where that is known. It begins after two seconds. On a terminal one
 * line changes every second; a log gets one line a minute. What is computed elsewhere leaves this thread the time for it.
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
    /** How far the work is, in [0, 1], where it can tell. */
    progress: (known: number) => {
      fraction = known;
      whole = (now() - start) / known;
    },
    /** Makes room for something else to be written. */
    wipe,
    /** Wipes what was shown; nothing comes after it. */
    end: () => {
      ended = true;
      clearInterval(timer);
      wipe();
    },
  };
}

const WIPE = '\r\u001b[K';

/** Exit code of a command that SIGINT ended, as shells give it. */
export const INTERRUPTED = 130;
