import { type Bracket, bracket, maxBracket, ordered, overlap, relativeWidth } from '../numeric/bracket.js';
import { judged } from '../numeric/judged.js';
import { epsilonAt } from './at-one-rung.js';
import { climb } from './climb.js';
import type { Ladder, Rung } from './climbing-run.js';

/** A bracket of ε this narrow serves as a guess for the next search. Only speed depends on it. */
const NEAR = 0.5;

/** Brackets of ε of each direction, and a lower bound of the largest. */
interface Found {
  readonly least: number;
  readonly each: readonly Bracket[];
}

interface Asked {
  readonly logDelta: number;
  readonly delta: number | undefined;
  readonly guess: number | undefined;
  readonly tolerance: number;
  /** The tolerance asked for: see `RunSettings`. */
  readonly asked: number;
}

/** The largest ε of the directions, known to be `least` at least. Ensures: holds the largest of them. */
function largest({ least, each }: Found): Bracket {
  const { lower, upper } = each.reduce(maxBracket);
  return ordered(Math.max(least, lower), upper);
}

/**
 * Asks each direction for its ε at one rung, the one that may be the largest first. One known to be below another is asked no further. Ensures:
 * brackets hold if the known ones do.
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
 * The largest, over the directions, of the smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}. The rungs of the ladder are asked by `climb`, and bounds of
 * `candidates` narrow each direction's bracket. `within` is a bracket known before.
 *
 * Ensures: holds the largest ε, if `within` does.
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
