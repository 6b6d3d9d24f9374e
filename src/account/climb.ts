import { allow, apart, attempt, noteLimited, noteShort, remaining } from '../numeric/meter.js';

/**
 * Fraction of the remaining allowance that a question may spend at one tolerance (a rung). It is independent of the tolerance wanted, and a ladder
 * contains the ladder of ten times its tolerance. So a tighter tolerance never gives a wider bracket.
 */
const SHARE = 0.9;
/** The coarsest tolerance at which a question is asked. */
const COARSEST = 0.1;
/** A rung is idle if its bracket is wider than its own tolerance and wider than this fraction of the bracket before. */
const NARROWED = 0.9;
/** Default of `patience`: an idle rung is the last if the bracket is over 1000 times as wide as the rung's tolerance. */
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

/** A rung: a tolerance at which a question is asked, and a share of the allowance. */
interface Asked {
  readonly tolerance: number;
  /** Fraction of the remaining allowance for this tolerance; set if it is asked before coarser ones, because a method is expected to reach it. */
  readonly share?: number | undefined;
}

/** An answer `T`, such as a bracket, that is refined from tolerance to tolerance (rung to rung). */
interface Climb<R, T> {
  /** The answer before any rung is asked. */
  readonly known: T;
  /** Asks at a rung and intersects the answer with the known one. It throws only what the meter of work throws. */
  readonly ask: (rung: R, known: T) => T;
  /** Intersects with the bounds by theorems of `candidates.ts`: called once, if the first rung does not reach the tolerance. */
  readonly candidates?: ((known: T) => T) | undefined;
  /** Width of an answer. */
  readonly open: (known: T) => number;
  /** An idle rung is the last if the width of the answer exceeds this multiple of its tolerance. Set to 1 where theorems leave a gap that no tolerance closes. */
  readonly patience?: number | undefined;
  /** Whether the answer suffices although it is wide. */
  readonly enough?: (known: T) => boolean;
}

/**
 * Asks a question at one tolerance after another and keeps the intersection of the answers. It stops once the width is at most `target`. It stops too
 * at an idle rung that ran out of its allowance, or that left the answer `patience` times as wide as its tolerance. A first rung with a share is the
 * tolerance wanted; with a patience of 1 no other is asked, unless its allowance ended it. If the allowance ended an answer short of the target, the
 * meter is told.
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
    // if the wanted tolerance is asked first, a run of ten times this tolerance asks the last rung first: it is never skipped
    const isFirst = i > 0 && i === rungs.length - 1 && rungs[0].share !== undefined;
    if (before <= rung.tolerance && !isFirst) continue;
    // a part of the allowance remains for later rungs, or for the candidates
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
    // if the coarsest rung ran out of its share, it is asked once more with all that remains
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

/** How an answer `T` is asked at its own tolerance, and at coarser ones (further rungs) if that fails. */
interface Descent<R, T> {
  /** The answer at one rung. It throws only what the meter of work throws. */
  readonly ask: (rung: R) => T;
  /** Combines the answers of two rungs. */
  readonly join: (a: T, b: T) => T;
  /** Width of an answer. */
  readonly open: (found: T) => number;
  /** Called if the first answer is wider than its tolerance. */
  readonly told: () => void;
}

/**
 * Asks at the tolerance wanted, which is the first rung's. If the answer is wider, coarser rungs are asked until one reaches its own tolerance; they
 * may spend again what the first one spent. The result is at least as narrow as at ten times the tolerance, whose rungs are these without the first.
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
