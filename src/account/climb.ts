import { allow, apart, attempt, noteLimited, noteShort, remaining } from '../numeric/meter.js';

/**
 * Fraction of the remaining allowance that a question may spend at one of the tolerances asked one after another (the "rungs"). It does not depend on
 * the tolerance wanted, and all that is asked for ten times that tolerance is asked for it too. So a tighter tolerance never gives a wider bracket.
 */
const SHARE = 0.9;
/** The coarsest tolerance at which a question is asked. */
const COARSEST = 0.1;
/** A tolerance is asked in vain if its bracket is wider than the tolerance and wider than this fraction of the bracket before. */
const NARROWED = 0.9;
/** Default of `patience`: after a tolerance asked in vain no finer one is asked if the bracket is over 1000 times as wide. */
const PATIENCE = 1000;

/**
 * The tolerances asked one after another: 0.1, 0.01, … down to `tolerance`. With `share` the wanted tolerance comes first, and with a share of 1
 * alone. Heuristic: only chooses what is asked; it enters no bound.
 */
export function rungWidths(tolerance: number, share?: number): { tolerance: number; share?: number }[] {
  if (share === 1) return [{ tolerance }];
  const coarser: { tolerance: number }[] = [];
  for (let k = 1; ; k++) {
    const width = Number(`1e-${k}`);
    if (width <= tolerance)
      return share === undefined ? [...coarser, { tolerance }] : [{ tolerance, share }, ...coarser];
    coarser.push({ tolerance: width });
  }
}

/** A tolerance at which a question is asked, and a share of the allowance of work. */
interface Asked {
  readonly tolerance: number;
  /** Fraction of the remaining allowance for this tolerance; set if it is asked before coarser ones, because a method is expected to reach it. */
  readonly share?: number | undefined;
}

/** An answer `T`, such as a bracket, that is refined from tolerance to tolerance; `R` is what is asked at one tolerance. */
interface Climb<R, T> {
  /** The answer that is known before any tolerance is asked. */
  readonly known: T;
  /** Asks at one tolerance and intersects the answer with the known one. It throws only what the meter of work throws. */
  readonly ask: (rung: R, known: T) => T;
  /** Intersects with the bounds by theorems of `candidates.ts`: called once, if the first tolerance asked does not give the width wanted. */
  readonly candidates?: ((known: T) => T) | undefined;
  /** Width of an answer. */
  readonly open: (known: T) => number;
  /** A tolerance asked in vain is the last if the width of the answer exceeds this multiple of it. Set to 1 where theorems leave a gap that no tolerance closes. */
  readonly patience?: number | undefined;
  /** Whether the answer suffices although it is wide. */
  readonly enough?: (known: T) => boolean;
}

/**
 * Asks a question at one tolerance after another and keeps the intersection of the answers. It stops once the width is at most `target`. It also stops at a
 * tolerance asked in vain, if its allowance was spent or the answer is over `patience` times as wide. A first tolerance with a share is the one wanted; with a
 * patience of 1 no other is asked, unless its allowance was spent. If the allowance ended an answer short of the target, the meter is told.
 *
 * Ensures: the answer is an intersection of what `ask` and `candidates` return: the rest only chooses which are asked.
 */
export function climb<R extends Asked, T>(
  rungs: readonly R[],
  target: number,
  { known, ask, candidates, open, enough = () => false, patience = PATIENCE }: Climb<R, T>,
): T {
  const coarsest = rungs.find(({ share }) => share === undefined) ?? rungs[0];
  let [limited, short, capped] = [false, false, 0];
  let left = candidates;
  const done = (): boolean => open(known) <= target || enough(known);
  for (const [i, rung] of rungs.entries()) {
    const before = open(known);
    // if the tolerance wanted came first, the last one is ten times it. A run of that tolerance asks it first, so it is never skipped
    const isFirst = i > 0 && i === rungs.length - 1 && rungs[0].share !== undefined;
    if (before <= rung.tolerance && !isFirst) continue;
    // a part of the allowance remains for later tolerances, or for the bounds by theorems
    const share = rungs.length > 1 || (left !== undefined && target >= COARSEST) ? (rung.share ?? SHARE) : 1;
    const asked = (): T => ask(rung, known);
    const found = apart(() => (share < 1 ? attempt<T | undefined>(share, asked, () => undefined) : asked()));
    limited = found.limited || found.value === undefined;
    capped = found.short;
    known = found.value ?? known;
    if (done()) return known;
    if (left !== undefined) {
      const [more, before] = [left, known];
      known = attempt(
        1,
        () => more(before),
        () => before,
      );
      left = undefined;
    }
    // if the coarsest tolerance ran out of its share, it is asked once more with all that remains
    if (found.value === undefined && rung === coarsest) known = apart(asked).value;
    if (rung.share !== undefined) {
      if (patience === 1 && !limited) break;
      short = limited;
    }
    const after = open(known);
    const idle =
      rung.share === undefined && after < Infinity && after > rung.tolerance && !(after < NARROWED * before);
    if (after <= target || (idle && (limited || after > patience * rung.tolerance))) break;
  }
  if ((limited || short) && !done()) noteLimited();
  if (!done()) noteShort(capped);
  return known;
}

/** How an answer `T` is asked at the tolerance wanted, and at coarser ones if that fails; `R` is what is asked at one tolerance. */
interface Descent<R, T> {
  /** The answer at one tolerance. It throws only what the meter of work throws. */
  readonly ask: (rung: R) => T;
  /** Combines the answers at two tolerances. */
  readonly join: (a: T, b: T) => T;
  /** Width of an answer. */
  readonly open: (found: T) => number;
  /** Called if the answer at the tolerance wanted is wider than that; `open` may be smaller afterwards. */
  readonly told: () => void;
}

/**
 * Asks at the tolerance wanted, which is that of `rungs[0]`. If the answer is wider, the coarser tolerances of `rungs` are asked until an answer is as
 * narrow as its tolerance. They may spend again what the first one spent. A run of ten times the tolerance asks the same without the first, so its
 * result is no narrower.
 *
 * Ensures: the answer combines, by `join`, what `ask` returns.
 */
export function descend<R extends Asked, T>(
  rungs: readonly R[],
  { ask, join, open, told }: Descent<R, T>,
): T {
  const [first, ...coarser] = rungs;
  const all = remaining();
  const { value, limited, short } = apart(() => ask(first));
  let [known, most] = [value, short];
  if (open(known) <= first.tolerance) return known;
  told();
  if (open(known) <= first.tolerance) return known;
  allow(all - remaining());
  for (const rung of coarser) {
    const own = apart(() =>
      attempt<T | undefined>(
        SHARE,
        () => ask(rung),
        () => undefined,
      ),
    );
    most = Math.max(most, own.short);
    if (own.value === undefined) continue;
    known = join(known, own.value);
    if (open(own.value) <= rung.tolerance) break;
  }
  if (open(known) <= first.tolerance) return known;
  if (limited) noteLimited();
  noteShort(most);
  return known;
}
