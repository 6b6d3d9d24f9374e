import { allow, apart, attempt, noteLimited, noteShort, remaining } from '../numeric/meter.js';

/**
 * Fraction of the remaining allowance for one rung, that is, one tolerance. It does not depend on the tolerance that is wanted: the rungs of a
 * tolerance include those of ten times it. So a tighter tolerance never gives a wider bracket.
 */
const SHARE = 0.9;
/** The first tolerance of a ladder. */
const COARSEST = 0.1;
/** A rung is idle if it neither reaches its own width nor shrinks the bracket to this fraction. */
const NARROWED = 0.9;
/** Default of `patience`: an idle rung ends the climb if the bracket is over 1000 times as wide as its tolerance. */
const PATIENCE = 1000;

/**
 * The tolerances asked one after another: .1, .01, …, and last the one wanted. With `share`, the wanted one comes first; alone if its share is
 * everything. Heuristic.
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

/** A rung: a tolerance to be asked for, and the share of the allowance. */
interface Asked {
  readonly tolerance: number;
  /** Fraction of the remaining allowance, if it is asked before coarser ones because it is expected to succeed. */
  readonly share?: number | undefined;
}

/** How an answer is refined from tolerance to tolerance. */
interface Climb<R, T> {
  /** What is known before anything is asked. */
  readonly known: T;
  /** Asks a rung and intersects all brackets. Throws only what the meter throws. */
  readonly ask: (rung: R, known: T) => T;
  /** Intersects with the bounds of `candidates.ts`, once, if the first rung does not reach the tolerance. */
  readonly candidates?: ((known: T) => T) | undefined;
  /** Width of what is known. */
  readonly open: (known: T) => number;
  /**
   * An idle rung is the last if the width is more than this multiple of its own. That holds even if it did not run out of effort. 1 where theorems
   * leave a gap, which no digits close.
   */
  readonly patience?: number | undefined;
  /** Whether nothing more is wanted. */
  readonly enough?: (known: T) => boolean;
}

/**
 * Asks rung after rung, the coarsest first unless one is expected to reach the tolerance, and keeps what each finds. It ends where the tolerance is
 * reached. It ends too where a coarse rung is idle: then effort ended it, or more digits would not help. Where theorems leave a gap, the finest rung
 * is the last unless effort ended it. If effort ended it short of the tolerance, that is recorded for the question.
 *
 * *Ensures* what `ask` and `candidates` do: it only chooses which of them are asked.
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
    // behind a rung at the wanted tolerance, the last one is the first that ten times the tolerance asks
    const isFirst = i > 0 && i === rungs.length - 1 && rungs[0].share !== undefined;
    if (before <= rung.tolerance && !isFirst) continue;
    // every ladder, however short, leaves something for candidates
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
    // if even the coarsest rung ran out of its share, it is asked once more, with all that is left
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

/** How an answer is asked at its tolerance, and at coarser ones if that fails. */
interface Descent<R, T> {
  /** Throws only what the meter throws. */
  readonly ask: (rung: R) => T;
  /** Combines what two rungs know. */
  readonly join: (a: T, b: T) => T;
  /** Width of an answer. */
  readonly open: (found: T) => number;
  /** Called if the first rung is wider than its tolerance. */
  readonly told: () => void;
}

/**
 * Asks at the tolerance wanted, which is the first rung's, and then at wider ones until one reaches its own width. All results are combined. The
 * answer is at least as narrow as at ten times the tolerance, which asks the same rungs but the first. What that one spends the others may spend
 * again.
 *
 * *Ensures* what `ask` and `join` do.
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
