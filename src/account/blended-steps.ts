import { type Atoms, atomsOf } from '../law/pair.js';
import { made } from '../mechanism/kind.js';
import { TABULATED_KIND } from '../mechanism/kinds/epsilon-delta.js';
import { TRADEOFF_KIND } from '../mechanism/kinds/trade-off.js';
import { type Basic, pairOf } from '../mechanism/pairs.js';
import { charge } from '../numeric/meter.js';
import { PRICES } from '../numeric/prices.js';
import { A_ROUNDING, FEW_ROUNDINGS, FUNCTION_ERROR } from '../numeric/rounding.js';
import { exp } from '../numeric/scalar.js';

/** Largest number of points at which the curves of a group are compared. Only tightness and speed depend on it. */
const PLACES = 400;
/** Least δ in a table of the worst curve: its last point stands for all smaller ones. */
const LEAST = 1e-250;
/** Upper bound of the relative rounding error of an interpolation between certified tests. */
const ROUNDINGS = 1e-14;

/** Two symmetric releases for a group of mechanisms: `worse` dominates each of them, and each dominates `better`. */
export interface Blended {
  readonly worse: Basic;
  readonly better: Basic;
}

/**
 * Envelopes of mechanisms that no parameter orders by privacy (docs/proofs/near-phases.md, 5). From above: the largest δ of all at some ε, joined by
 * chords, as each δ is convex in e^ε. From below: the least power of all tests at some rates, joined by chords, as each power is concave in the rate.
 *
 * Ensures: `worse` dominates each mechanism, and each dominates `better`, rounding errors included.
 *
 * @param mechanisms Distinct, each symmetric and with finitely many losses.
 */
export function blended(mechanisms: readonly Basic[]): Blended {
  const atoms = mechanisms.map((each) => atomsOf(pairOf(each)) as Atoms);
  charge(atoms.reduce((sum, { loss }) => sum + loss.length * PRICES.part, 0));
  const middle = atoms[atoms.length >> 1];
  return { worse: worstOf(mechanisms, middle), better: bestOf(atoms, middle) };
}

/**
 * A tabulated mechanism whose δ is the largest of all mechanisms at 0 and at up to 400 positive losses of one of them. It is rounded up.
 *
 * Ensures: it dominates each of them, by convexity of δ in e^ε.
 */
function worstOf(mechanisms: readonly Basic[], { loss }: Atoms): Basic {
  const runs = mechanisms.map((each) => pairOf(each).forward);
  const deltaOf = (epsilon: number): number =>
    Math.min(
      1,
      runs.reduce((most, run) => Math.max(most, exp(run.logDelta(epsilon).upper)), 0) * (1 + FUNCTION_ERROR),
    );
  const points: { epsilon: number; delta: number }[] = [];
  const above = [0, ...loss.filter((y) => y > 0)];
  for (const epsilon of some(above)) {
    const delta = deltaOf(epsilon);
    points.push({ epsilon, delta });
    if (delta < LEAST) break;
  }
  return made(TABULATED_KIND, { points });
}

/** Rates of likelihood ratio tests, from the one that never rejects to the one that always does. */
interface Tests {
  readonly fpr: Float64Array;
  readonly tpr: Float64Array;
}

/**
 * False and true positive rates of the tests that reject at a listed loss and all larger ones. FPR is Σ p_i and TPR Σ q_i over these losses. Rounding
 * errors and the errors of the masses are added. Ensures: FPR rounded up, TPR down.
 */
function testsOf({ loss, p, q, relative = 4 * ROUNDINGS, beyond = 0 }: Atoms): Tests {
  const n = loss.length;
  const [fpr, tpr] = [new Float64Array(n + 2), new Float64Array(n + 2)];
  const slack = relative + FEW_ROUNDINGS + FUNCTION_ERROR * n;
  let [a, b] = [0, 0];
  for (let k = n - 1; k >= 0; k--) {
    a += p[k];
    b += q[k];
    fpr[n - k] = Math.min(1, a * (1 + slack) + beyond);
    tpr[n - k] = Math.min(1, b * (1 - slack));
  }
  fpr[n + 1] = 1;
  tpr[n + 1] = 1;
  return { fpr, tpr };
}

/**
 * A mechanism stated by trade-off points: the least power of all mechanisms at up to 400 rates. The power of each at a rate is interpolated between
 * neighbouring tests, and rounded down.
 *
 * Ensures: each mechanism dominates it, by concavity of power.
 */
function bestOf(atoms: readonly Atoms[], middle: Atoms): Basic {
  const rates = some(Array.from(testsOf(middle).fpr)).filter(
    (alpha, i, all) => i === 0 || alpha > all[i - 1],
  );
  const power = new Float64Array(rates.length).fill(1);
  for (const each of atoms) {
    const { fpr, tpr } = testsOf(each);
    let k = 0;
    rates.forEach((alpha, i) => {
      while (k + 2 < fpr.length && fpr[k + 1] <= alpha) k++;
      const rise = fpr[k + 1] - fpr[k];
      const share = rise > 0 ? Math.min(1, (alpha - fpr[k]) / rise) : 0;
      power[i] = Math.min(power[i], (tpr[k] + share * (tpr[k + 1] - tpr[k])) * (1 - ROUNDINGS));
    });
  }
  const points = rates.map((alpha, i) => ({ alpha, beta: Math.min(1 - alpha, 1 - power[i] + A_ROUNDING) }));
  // β must not rise with α: raising it lowers power, which keeps the lower bound valid
  for (let i = points.length - 2; i >= 0; i--) points[i].beta = Math.max(points[i].beta, points[i + 1].beta);
  return made(TRADEOFF_KIND, { points });
}

/** At most about `PLACES` entries of a list, equally spaced, with its first and its last one. */
function some(values: readonly number[]): number[] {
  const stride = Math.ceil(values.length / PLACES);
  return values.filter((_, i) => i % stride === 0 || i === values.length - 1);
}
