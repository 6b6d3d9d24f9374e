import { type Bracket, bracket, maxBracket, ordered, overlap, relativeWidth } from '../numeric/bracket.js';
import { judged } from '../numeric/judged.js';
import { epsilonAt } from './at-one-rung.js';
import { climb } from './climb.js';
import type { Ladder, Rung } from './climbing-run.js';

/** Relative width of a bracket of ε that serves as a guess for the next search. Only speed depends on it. */
const NEAR = 0.5;

/** Brackets of ε in each direction, and a lower bound of the largest ε. */
interface Found {
  readonly least: number;
  readonly each: readonly Bracket[];
}

/** A question about ε, the same at every tolerance. */
interface Asked {
  readonly logDelta: number;
  readonly delta: number | undefined;
  readonly guess: number | undefined;
  readonly tolerance: number;
  /** The tolerance that the caller stated: see `RunSettings.finer`. */
  readonly asked: number;
}

/** The largest ε of the directions, by brackets of each and a lower bound. Ensures: the largest ε lies in the bracket. */
function largest({ least, each }: Found): Bracket {
  const { lower, upper } = each.reduce(maxBracket);
  return ordered(Math.max(least, lower), upper);
}

/**
 * Asks the directions for their ε at one tolerance, in the order of their upper bounds. A direction whose upper bound is not above another's
 * lower bound is not asked. Ensures: brackets hold if the known ones do.
 */
function askedAt(
  { directions, tolerance: width }: Rung,
  { least, each }: Found,
  { logDelta, delta, guess }: Asked,
): Found {
  const found = [...each];
  const order = each.map((_, i) => i).sort((a, b) => each[b].upper - each[a].upper || a - b);
  for (const i of order) {
    const others = found.filter(({ upper }, j) => j !== i && upper < Infinity);
    const reached = Math.max(least, ...others.map(({ lower }) => lower));
    if (others.length > 0 && found[i].upper <= reached) continue;
    const near = relativeWidth(found[i]) < NEAR ? found[i].upper : guess;
    const asked = { logDelta, delta, reached: others.length > 0 ? reached : undefined, near, width };
    found[i] = overlap(found[i], epsilonAt(directions[i], asked));
  }
  return { least, each: found };
}

/**
 * The largest, over the directions, of the smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}. `climb` asks one tolerance after another, and the bounds by
 * theorems narrow each bracket.
 *
 * @param within A bracket of the answer known before.
 *
 * Ensures: the largest ε lies in the bracket, if it lies in `within`.
 */
export function largestEpsilon(
  { rungs, candidates, patience }: Ladder,
  within: Bracket,
  asked: Asked,
): Bracket {
  const { logDelta, tolerance } = asked;
  const all = (known: Found): Bracket => overlap(within, largest(known));
  const ask = (): Found =>
    climb<Rung, Found>(rungs, tolerance, {
      known: { least: 0, each: rungs[0].directions.map(() => bracket(0, Infinity)) },
      ask: (rung, known) => askedAt(rung, known, asked),
      candidates: ({ least, each }) => {
        const most = bracket(0, candidates.epsilonAbove(logDelta));
        return {
          least: Math.max(least, candidates.epsilonBelow(logDelta)),
          each: each.map((known) => overlap(known, most)),
        };
      },
      open: (known) => relativeWidth(largest(known)),
      patience,
    });
  return all(judged(ask, asked.asked, (known) => relativeWidth(all(known))).found);
}
