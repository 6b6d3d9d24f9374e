import { LOG_EVERY, leftText, type Terminal } from './progress.js';

/** Work that takes longer than this is long, in milliseconds. */
const LONG = 2000;

/** Milliseconds between two signs on a terminal. */
const SHOWN_EVERY = 1000;

/**
 * Says that work goes on, how far it is and what is left where it can tell: after two seconds one line that changes every second
 * on a terminal, in a log a line a minute. What is computed elsewhere leaves this thread the time for it.
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
