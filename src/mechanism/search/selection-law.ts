import { atomicPair } from '../../law/atomic-pair.js';
import type { LossLaw } from '../../law/loss-law.js';
import { ALL_FINITE, type Atoms, type Pair } from '../../law/pair.js';
import { tabulatedAtoms } from '../../law/tabulated-atoms.js';
import { bracket } from '../../numeric/bracket.js';
import { exp, log } from '../../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';

/** Depths of log δ at which points of a curve lie: its chords are above it. */
const DEEPEST = 225;
/** No point lies beyond. */
const LAST = 1e4;

/** The pair whose δ is the lower convex hull of points of a curve that bounds both directions from above. */
export function pairAbove(run: DirectedRun, logDelta: (epsilon: number) => number): Pair {
  const epsilons: number[] = [0];
  const put = (epsilon: number): void => {
    if (epsilon > epsilons[epsilons.length - 1] && epsilon < LAST) epsilons.push(epsilon);
  };
  const start = run.guessEpsilon(-0.05);
  for (let i = 1; i < 60; i++) put((start * i) / 60);
  for (let root = 0.23; root * root <= DEEPEST; root += root < 6 ? 0.01 : 0.05)
    put(run.guessEpsilon(-root * root));
  put(run.largestLoss?.upper ?? LAST);
  return atomicPair(
    tabulatedAtoms(
      epsilons.map((epsilon) => ({
        epsilon,
        delta: Math.min(1, exp(logDelta(epsilon)) * (1 + 1e-14)),
      })),
    ),
  );
}

/** The pair whose trade-off curve is the hull of certified tests, all of one pair: that pair dominates it. */
export function pairBelow(tests: readonly CertifiedTest[]): Pair {
  const points = tests
    .filter(({ logFpr, logTpr }) => logTpr > -700 && logTpr > logFpr && logFpr < 0)
    .map(({ logFpr, logTpr }) => ({
      fpr: Math.min(1, exp(logFpr) * (1 + 1e-13)),
      tpr: exp(logTpr) * (1 - 1e-13),
    }))
    .sort((a, b) => a.fpr - b.fpr || b.tpr - a.tpr);
  const hull = [{ fpr: 0, tpr: 0 }];
  for (const point of [...points, { fpr: 1, tpr: 1 }]) {
    const last = hull[hull.length - 1];
    if (point.fpr <= last.fpr || point.tpr <= last.tpr) continue;
    while (
      hull.length > 1 &&
      rise(hull[hull.length - 2], hull[hull.length - 1]) <= rise(hull[hull.length - 1], point)
    )
      hull.pop();
    hull.push(point);
  }
  const n = hull.length - 1;
  // losses ascend as tests get looser
  const [p, q] = (['fpr', 'tpr'] as const).map((rate) =>
    Float64Array.from({ length: n }, (_, i) => hull[n - i][rate] - hull[n - i - 1][rate]),
  );
  const atoms: Atoms = {
    loss: q.map((mass, i) => log(mass) - log(p[i])),
    p,
    q,
    relative: 2e-15,
    ...ALL_FINITE,
    gdpMu: Infinity,
    tailMu: 0,
  };
  return atomicPair(atoms);
}

function rise(a: { fpr: number; tpr: number }, b: { fpr: number; tpr: number }): number {
  return (b.tpr - a.tpr) / (b.fpr - a.fpr);
}

/**
 * A step known from two sides: `above` dominates it and it dominates `below`. `single` is the step itself; its bracket of the
 * largest loss stands for theirs.
 */
export function lawBetween(above: LossLaw, below: LossLaw, single: DirectedRun): LossLaw {
  return {
    direction: single.direction,
    single,
    gdpMu: above.gdpMu,
    largest: single.largestLoss ?? bracket(-Infinity, Infinity),
    nodes: () => above.nodes(),
    cells: (step, logTail) => above.cells(step, logTail),
    discretise: (kernel, step, logTail) => {
      const [high, low] = [above, below].map((law) => law.discretise(kernel, step, logTail));
      const displacement = Math.max(high.displacement, low.displacement);
      return { upper: high.upper, lower: low.lower, displacement };
    },
  };
}
