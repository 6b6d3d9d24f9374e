import type { Kernel } from '../../../kernel/kernel.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, expm1, log, log1p, logDeltaGdp, logNormalCdf } from '../../../numeric/scalar.js';
import { crossing } from '../../../numeric/solve.js';
import type { Answer } from '../line/contour.js';
import type { LineSource, TestAnswer } from '../line/lines.js';
import { OuterStep, type Sum } from './outer-step.js';
import type { SampledPhase, SplitSteps } from './split-lines.js';
import { type Both, type Steps, StepsTable, stepsOf, type Values } from './steps-table.js';

/** Steps of a run, at most: each but the last is a table. */
const MOST_STEPS = 4;
/** Questions whose answers are kept. */
const MAX_KEPT = 2048;

/**
 * A few steps of Poisson-subsampled Gaussians in real space: the functionals of all steps but one as tables, each made from the one before, and a question one integral
 * over the output of the last. P to Q (+) δ = D, FPR = R, TPR = D + KR at K = e^t; Q to P (−) δ = G/K, FPR = J, TPR = (G + J)/K at K = e^{−t}, D, R, G and J those of
 * `StepsTable`. All terms are positive, so that relative accuracy has no limit of depth. Proofs: docs/proofs/few-steps.md.
 */
export class FewSteps implements LineSource {
  /** Whether a run is that. */
  static are({ sampled, others }: SplitSteps): boolean {
    const steps = sampled.reduce((sum, { count }) => sum + count, 0);
    // at most one step without sampling: what has none composes exactly
    const plain = sampled.reduce((sum, { rate, count }) => sum + (rate < 1 ? 0 : count), 0);
    return others.length === 0 && steps > 1 && steps <= MOST_STEPS && plain <= 1;
  }

  private readonly known = new Recent<number, readonly [Sum, Sum] | undefined>(MAX_KEPT);

  private constructor(
    private readonly outer: OuterStep,
    readonly steps: Steps,
    /** The step whose loss guesses start from. */
    private readonly largest: SampledPhase,
    private readonly mirrored: boolean,
  ) {}

  /** Answers for the pair and for the exchanged one, from the same tables. */
  static both(kernel: Kernel, { sampled, mirrored }: SplitSteps): readonly [FewSteps, FewSteps] {
    const all = sampled.flatMap((phase) => Array.from({ length: phase.count }, () => phase));
    // a step without sampling is the last one
    all.sort((a, b) => Number(a.rate === 1) - Number(b.rate === 1));
    const outer = outerOf(kernel, all, 0);
    const largest = all.reduce((a, b) => (b.mu > a.mu ? b : a));
    const made = (turned: boolean): FewSteps => new FewSteps(outer, stepsOf(all), largest, turned);
    return [made(mirrored), made(!mirrored)];
  }

  delta(x: number): Answer | undefined {
    const sums = this.sumsAt(x);
    return sums && answerOf(sums[0], this.mirrored ? x : 0);
  }

  test(x: number): TestAnswer | undefined {
    const sums = this.sumsAt(x);
    const falsePositive = sums && answerOf(sums[1], 0);
    const excess = sums && answerOf(sums[0], 0);
    if (falsePositive === undefined || excess === undefined) return undefined;
    const turn = this.mirrored ? x : 0;
    const rate = this.mirrored ? 0 : x;
    const power = {
      lower: logSum(excess.lower, falsePositive.lower + rate) + turn - 4e-15 - U * x,
      upper: logSum(excess.upper, falsePositive.upper + rate) + turn + 4e-15 + U * x,
      budget: excess.budget,
    };
    return { falsePositive, power, blur: 0, scale: 1 };
  }

  bound(x: number): number {
    return Math.min(0, this.delta(x)?.upper ?? 0);
  }

  guess(functional: 'delta' | 'falsePositive', target: number): number | undefined {
    const near = (x: number): number => {
      const sums = this.sumsAt(x);
      if (sums === undefined) return -Infinity;
      return functional === 'delta' ? sums[0].log + (this.mirrored ? x : 0) : sums[1].log;
    };
    const { mu, rate } = this.largest;
    const guess = subsampledLoss(mu * (Math.sqrt(-2 * target) + mu / 2), rate);
    const found = crossing((x) => near(x) - target, {
      guess,
      reach: 0.1 * guess,
      floor: 0,
      ceiling: 1e6,
      relative: 1e-3,
      absolute: 1e-12,
    });
    return found.high < Infinity ? found.high : undefined;
  }

  /** The falling functionals at e^x, or the rising ones at e^{−x}: all that a loss x ≥ 0 needs. */
  private sumsAt(x: number): readonly [Sum, Sum] | undefined {
    return this.known.of(x, () => {
      const rise = expm1(this.mirrored ? -x : x);
      const { missing, error } = this.steps;
      const beyond = rise + missing;
      if (!(beyond > 0) || !(beyond < Infinity)) return undefined;
      const zeta = log(beyond);
      const off =
        (U * (4 * Math.abs(rise) + missing) + error * missing) / beyond + U * (2 + 2 * Math.abs(zeta));
      const sums = this.outer.at(zeta, !this.mirrored);
      if (sums === undefined) return undefined;
      const moved = (sum: Sum): Sum => ({ ...sum, roundOff: sum.roundOff + sum.slope * off });
      return [moved(sums[0]), moved(sums[1])];
    });
  }
}

/** The table of some steps, of which `later` more tables are to be made. */
export function tableOf(kernel: Kernel, phases: readonly SampledPhase[], later: number): StepsTable {
  const steps = stepsOf(phases);
  if (phases.length === 1) return new StepsTable(steps, closed(phases[0]), Infinity);
  const outer = outerOf(kernel, phases, later + 1);
  return new StepsTable(steps, (zeta, above) => bothOf(outer.at(zeta, above), steps, zeta, above), later);
}

/** The last of some steps, over the table of the others. */
function outerOf(kernel: Kernel, phases: readonly SampledPhase[], later: number): OuterStep {
  const last = phases.length - 1;
  return new OuterStep(kernel, phases[last], tableOf(kernel, phases.slice(0, last), later), stepsOf(phases));
}

/** One step in closed form: with s = log((K − A)/q) and x* = s/μ + μ/2, D = qδ_μ(s), R = Φ̄(x*), G = (K − A)δ_μ(−s), J = AΦ(x*) + qΦ(x* − μ). */
export function closed({ mu, rate: q }: SampledPhase): (zeta: number) => Both {
  const logQ = log(q);
  const a = 1 - q;
  return (zeta) => {
    const s = zeta - logQ;
    const x = s / mu + mu / 2;
    const [excess, shortfall] = [logQ + logDeltaGdp(mu, s), zeta + logDeltaGdp(mu, -s)];
    const [reject, accept] = [logNormalCdf(-x), logNormalCdf(x)];
    const mixed = logSum(log1p(-q) + accept, logQ + logNormalCdf(x - mu));
    const off = U * (4 + 3 * Math.abs(s) + 2 * Math.abs(logQ) + 2 * mu * mu);
    const slopes = [
      exp(zeta + reject - excess),
      (1 + Math.max(0, x)) / mu,
      exp(zeta + accept - shortfall),
      (1 + Math.max(0, mu - x)) / mu,
    ] as const;
    const values = (i: 0 | 2, logs: readonly [number, number]): Values => {
      const slope = [slopes[i] * (1 + 1e-9), slopes[i + 1] * (1 + 1e-9)] as const;
      const error = ([0, 1] as const).map(
        (which) => slope[which] * off + U * (16 + 8 * Math.abs(logs[which])),
      );
      return { log: logs, error: [error[0], error[1]], slope };
    };
    return { falling: values(0, [excess, reject]), rising: values(2, [shortfall, a > 0 ? mixed : accept]) };
  };
}

/** One pair of functionals is known, the other is what is left of e^ζ − (1 − a) = K − 1, of 1, and of the power. */
function bothOf(sums: readonly [Sum, Sum] | undefined, steps: Steps, zeta: number, falls: boolean): Both {
  if (sums === undefined) return { falling: UNKNOWN, rising: UNKNOWN };
  const doubts = sums.map(doubtOf);
  const [first, second] = [exp(sums[0].log), exp(sums[1].log)];
  const [wrong, off] = [first * doubts[0], second * doubts[1]];
  const { least, missing, error } = steps;
  const rise = exp(zeta);
  const k = least + rise;
  const own: Values = {
    log: [sums[0].log, sums[1].log],
    error: [doubts[0], doubts[1]],
    slope: [sums[0].slope, sums[1].slope],
  };
  const rounded = 4 * U * (rise + missing) + error * missing;
  if (falls) {
    // G = D + K − 1 and J = 1 − D − KR
    const shortfall = positive(first + (rise - missing), wrong + rounded, rise);
    const below = positive(
      1 - first - k * second,
      wrong + k * off + 8 * U * (1 + k * second),
      k * second * own.slope[1],
    );
    return { falling: own, rising: paired(shortfall, below) };
  }
  // D = G + 1 − K and R = 1 − (G + J)/K
  const excess = positive(first + (missing - rise), wrong + rounded, rise);
  const above = positive(1 - (first + second) / k, (wrong + off) / k + 8 * U, (second * own.slope[1]) / k);
  return { falling: paired(excess, above), rising: own };
}

const UNKNOWN: Values = { log: [0, 0], error: [Infinity, Infinity], slope: [0, 0] };

interface Positive {
  readonly log: number;
  readonly error: number;
  readonly slope: number;
}

/** A positive number known to `wrong`. */
function positive(value: number, wrong: number, slope: number): Positive {
  const size = value > 2 * wrong ? value : 3 * wrong;
  return { log: log(size), error: value > 2 * wrong ? wrong / value : 1, slope: slope / size };
}

function paired(a: Positive, b: Positive): Values {
  return { log: [a.log, b.log], error: [a.error, b.error], slope: [a.slope, b.slope] };
}

function doubtOf({ quadrature, roundOff, truncation }: Sum): number {
  return quadrature + roundOff + truncation;
}

function answerOf(sum: Sum, turn: number): Answer | undefined {
  const doubt = doubtOf(sum);
  if (!(doubt < 0.5)) return undefined;
  const { quadrature, roundOff, truncation, nodes } = sum;
  const slack = 1e-15 + U * (2 * Math.abs(sum.log) + turn);
  return {
    lower: sum.log + log1p(-doubt) + turn - slack,
    upper: sum.log + log1p(doubt) + turn + slack,
    budget: { aliasing: 0, truncation, quadrature, roundOff, smoothing: 0, nodes },
  };
}
