import { exp, log } from '../numeric/scalar.js';

/** A place on the logarithmic axis of a knob and how far the loss there is above (> 0) its target. */
export interface Place {
  readonly u: number;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  /** The account there is as sharp as the search is to end with. */
  readonly sharp: boolean;
}

/** The least private place seen that meets the target, and the place seen last. */
interface Approach<P> {
  readonly safe?: P;
  readonly last: P;
}

/** Settings tried at most. Only speed hangs on it. */
const MAX_PLACES = 120;
/** Width of a bracket of the log-loss that slopes cannot be taken from, and no sharper account mends. */
const TOO_WIDE = 3;
/** Heights nearer than this many times the widths of their brackets give no slope. */
const APART = 4;
/** Longest step along the axis that a slope is trusted for. */
const FARTHEST = 8;

interface Search {
  readonly start: number;
  readonly range: readonly [number, number];
  readonly towards: 1 | -1;
  readonly zone: number;
  readonly step: number;
  /** d(upper)/du near the root as far as it is known; NaN if not. */
  readonly slope: number;
  /** Places are at whole values: neighbours end the search. */
  readonly whole: boolean;
}

/**
 * Looks for a sharp place whose `upper` lies in [−zone, 0]: where the inverse parabola or the line through the last places meets what is aimed at, bisection
 * where that gains too little, growing steps until both sides are seen. Accounts are rough ones until the next place is expected to be the last.
 *
 * @param at Evaluates the place nearest to u that the knob can take; sharply if that is asked for.
 * @param towards +1 if larger u is more private, else −1.
 */
export function approach<P extends Place>(
  at: (u: number, sharp: boolean) => P,
  options: Search,
): Approach<P> {
  const { range, towards, zone, whole } = options;
  const [leastPrivate, mostPrivate] = towards > 0 ? range : [range[1], range[0]];
  const seen = new Steering<P>(options, mostPrivate);
  let place: P;
  let u = seen.clamp(options.start);
  for (let i = 0; ; i++) {
    place = at(u, seen.sharp);
    seen.add(place);
    const { upper, lower } = place;
    if (i === MAX_PLACES || (place.sharp && upper <= 0 && upper >= -zone)) break;
    const atEnd = u === (upper > 0 ? mostPrivate : leastPrivate);
    if (atEnd && (place.sharp || lower > 0 || upper - lower > TOO_WIDE)) break;
    const closed = seen.isClosed();
    if (closed && seen.safe?.sharp) break;
    seen.sharpen(closed || atEnd);
    if (closed || atEnd) {
      u = (closed && seen.safe ? seen.safe : place).u;
      continue;
    }
    const next = seen.next();
    if (next === undefined) break;
    u = whole ? seen.anotherThanEnds(next) : next;
    if (u === place.u && (place.sharp || !seen.sharp)) break;
  }
  return { ...(seen.safe && { safe: seen.safe }), last: place };
}

/** What is known of a root, and where to look next. */
class Steering<P extends Place> {
  safe: P | undefined;
  /** Accounts are to be sharp from here on. */
  sharp = false;
  private unsafe: P | undefined;
  /** The last three places, the latest first. */
  private recent: P[] = [];
  /** Places in a row that were not half as far from the aim as the one before. */
  private slow = 0;
  private slope: number;
  private step: number;
  private readonly aim: number;

  constructor(
    private readonly options: Search,
    private readonly mostPrivate: number,
  ) {
    ({ slope: this.slope, step: this.step } = options);
    this.aim = -options.zone / 4;
  }

  clamp(u: number): number {
    const { range } = this.options;
    return Math.min(Math.max(u, range[0]), range[1]);
  }

  add(place: P): void {
    if (place.upper <= 0) this.safe = place;
    else this.unsafe = place;
    const [before] = this.recent;
    const isSlow = before?.sharp === place.sharp && !(this.off(place) <= this.off(before) / 2);
    this.slow = isSlow ? this.slow + 1 : 0;
    this.recent = [place, ...this.recent.filter((one) => one.u !== place.u)].slice(0, 3);
  }

  /** Nothing is left between the two sides: between nearer places the account jumps, from one mesh to another. */
  isClosed(): boolean {
    const { safe, unsafe } = this;
    if (safe === undefined || unsafe === undefined) return false;
    if (this.options.whole && Math.abs(unsafe.value - safe.value) <= 1) return true;
    return Math.abs(unsafe.u - safe.u) <= Math.max(1e-5 * this.options.zone, 1e-15 * (1 + Math.abs(safe.u)));
  }

  /** Turns to sharp accounts where that is needed, or the next place is expected to be the last. */
  sharpen(needed: boolean): void {
    this.sharp ||= needed || this.expected() <= -this.aim;
    // what a rough account could not decide a sharp one may
    if (this.sharp && this.unsafe && !this.unsafe.sharp && this.unsafe.lower <= 0) this.unsafe = undefined;
  }

  /** The next place; undefined where there is no number between the two sides. */
  next(): number | undefined {
    const { safe, unsafe, aim, slow } = this;
    const [now] = this.recent;
    const clear = apart(this.recent);
    if (clear.length > 1) this.slope = (heightOf(clear[0]) - heightOf(clear[1])) / (clear[0].u - clear[1].u);
    const met = crossingOf(clear, aim, this.slope);
    // the last place, if all goes well, wherever it lies
    if (this.sharp && !now.sharp && Math.abs(met - now.u) < this.step) return this.clamp(met);
    if (safe === undefined || unsafe === undefined) return this.outwards(now, met);
    const middle = (safe.u + unsafe.u) / 2;
    if (middle === safe.u || middle === unsafe.u) return undefined;
    if (slow > 1) return middle;
    const chord = crossingOf([safe, unsafe], aim, Number.NaN);
    return [met, chord].find((x) => (x - safe.u) * (x - unsafe.u) < 0) ?? middle;
  }

  /** The whole value nearest to e^u, or the next one towards the other side where it is known already. */
  anotherThanEnds(u: number): number {
    const { towards } = this.options;
    const value = Math.round(exp(u));
    if (value === this.safe?.value) return log(value - towards);
    if (value === this.unsafe?.value) return log(value + towards);
    return u;
  }

  /** Towards the side that is not seen yet. */
  private outwards(now: P, met: number): number {
    const { towards } = this.options;
    const side = now.upper > 0 ? towards : -towards;
    // so wide a bracket says nothing of where the root is: only the most private end can tell whether there is one
    if (now.upper > 0 && widthOf(now) > TOO_WIDE) return this.mostPrivate;
    const move = (met - now.u) * side;
    if (move > 0 && move < FARTHEST) {
      const least = 1e-14 * (1 + Math.abs(now.u));
      return this.clamp(now.u + side * Math.max(least, move * 2 ** this.slow));
    }
    const { step } = this;
    this.step *= 2;
    return this.clamp(now.u + side * step);
  }

  private off(place: Place): number {
    return Math.abs(heightOf(place) - this.aim);
  }

  /** How far from the aim the next place is expected to be: the product of the last distances, as interpolation converges. */
  private expected(): number {
    const [now, before] = this.recent;
    if (before === undefined) return Infinity;
    // nearer than that a rough account cannot tell
    if (this.off(now) <= widthOf(now)) return 0;
    return this.recent.reduce((all, one) => all * this.off(one), 1);
  }
}

/** What steers: the middle of a rough bracket, the upper end of a sharp one. */
function heightOf({ lower, upper, sharp }: Place): number {
  return sharp || !(upper - lower < 1) ? upper : (lower + upper) / 2;
}

function widthOf({ lower, upper }: Place): number {
  return upper - lower;
}

/** Those whose heights differ by more than what is not known of them: lines through others lead anywhere. */
function apart(places: readonly Place[]): Place[] {
  const kept: Place[] = [];
  for (const one of places) {
    const clear = (other: Place): boolean =>
      Math.abs(heightOf(one) - heightOf(other)) > APART * (widthOf(one) + widthOf(other));
    if (kept.every(clear)) kept.push(one);
  }
  return kept;
}

/** Where the inverse parabola through three places meets a height, or the line through the latest two, or that of a slope through one. */
function crossingOf([a, b, c]: readonly Place[], aim: number, slope: number): number {
  const rise = (x: Place, y: Place): number => heightOf(x) - heightOf(y);
  const to = (x: Place): number => aim - heightOf(x);
  if (b === undefined) return a.u + to(a) / slope;
  const line = a.u + (to(a) * (a.u - b.u)) / rise(a, b);
  if (c === undefined) return line;
  const parabola =
    (a.u * to(b) * to(c)) / (rise(a, b) * rise(a, c)) +
    (b.u * to(a) * to(c)) / (rise(b, a) * rise(b, c)) +
    (c.u * to(a) * to(b)) / (rise(c, a) * rise(c, b));
  return Math.abs(parabola - line) <= Math.abs(line - a.u) / 2 ? parabola : line;
}
