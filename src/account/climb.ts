import { allow, apart, attempt, noteLimited, noteShort, remaining } from '../numeric/meter.js';

/**
 * Of what is left of the allowance, for one rung. It does not depend on the tolerance that is wanted. So the rungs of a tolerance are those of ten times it
 * and more: a tighter tolerance never gives a wider bracket.
 */
const SHARE = 0.9;
/** The first width of a ladder. */
const COARSEST = 0.1;
/** A rung that neither reaches its own width nor leaves less than this part of what was open narrows nothing. */
const NARROWED = 0.9;
/** See `patience`: of methods that know no gap of their own. */
const PATIENCE = 1000;

/** The widths that are asked for one after another: .1, .01, …, and last the tolerance itself; or that first with a `share` of its own, and alone where it may take all. */
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

/** What is asked for one width. */
interface Asked {
  readonly tolerance: number;
  /** Of what is left of the allowance, where it is asked before coarser ones, as it is expected to reach the tolerance by itself. */
  readonly share?: number | undefined;
}

/** How an answer is found at one width after another. */
interface Climb<R, T> {
  /** What is known before anything is asked. */
  readonly known: T;
  /** What is known with the answer of a rung: all brackets intersected. Throws nothing but what the meter does. */
  readonly ask: (rung: R, known: T) => T;
  /** What is known with the bounds of `candidates.ts`, asked once, where the first rung does not reach the tolerance. */
  readonly candidates?: ((known: T) => T) | undefined;
  /** How wide what is known is. */
  readonly open: (known: T) => number;
  /**
   * A rung that narrows nothing is the last where what is open is more than so many times its own width. That holds even where it did not run out of effort. 1 where
   * theorems leave a gap, which no digits close.
   */
  readonly patience?: number | undefined;
  /** Whether nothing more is wanted. */
  readonly enough?: (known: T) => boolean;
}

/**
 * An answer asked at one rung after another, the coarsest first unless one is expected to reach the tolerance; whatever a rung finds is kept. The climb ends where the
 * tolerance is reached. It ends too where a coarse rung neither reaches its own width nor narrows what is known by a tenth; then effort ended it, or finer digits
 * would show nothing. Where theorems leave a gap, the finest rung is the last unless effort ended it. Where effort ended it short of the tolerance, that is noted for
 * the question.
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
    // behind one at the tolerance the last is what ten times that asks first
    const isFirst = i > 0 && i === rungs.length - 1 && rungs[0].share !== undefined;
    if (before <= rung.tolerance && !isFirst) continue;
    // of a ladder, however short, something is left for candidates
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
    // what is left when nothing may be spent any more costs little
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

/** How an answer is found at its tolerance, and at coarser ones where that falls short. */
interface Descent<R, T> {
  /** Throws nothing but what the meter does. */
  readonly ask: (rung: R) => T;
  /** What two rungs know together. */
  readonly join: (a: T, b: T) => T;
  /** How wide an answer is. */
  readonly open: (found: T) => number;
  /** Told where the first rung is wider than its tolerance. */
  readonly told: () => void;
}

/**
 * An answer asked at its tolerance, which is the first rung's, and while none has reached its own width at the next wider one. All that is found is kept. So it is at least what one at ten
 * times the tolerance is, which asks the same but for the first. What that spends the others may spend again.
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
