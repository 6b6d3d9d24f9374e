import type { Kernel } from '../../../kernel/kernel.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Recent } from '../../../numeric/recent.js';
import { expm1, log, log1p } from '../../../numeric/scalar.js';
import { crossing } from '../../../numeric/solve.js';
import type { Answer } from '../line/contour.js';
import type { LineSource, TestAnswer } from '../line/lines.js';
import { OneStep, type Steps, stepsOf } from './functionals.js';
import { OuterStep, type Sum } from './outer-step.js';
import type { SampledPhase, SplitSteps } from './split-lines.js';
import { StepsTable } from './steps-table.js';

/** Steps of a run, at most: each but the last is a table. Of a μ above this more are worth their tables: at 2.5, sixteen steps take as long as parts do. Speed and width hang on them. */
const MOST_STEPS = { usual: 4, loud: 12, mu: 2 };
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
    const most = sampled.some(({ mu }) => mu > MOST_STEPS.mu) ? MOST_STEPS.loud : MOST_STEPS.usual;
    return others.length === 0 && steps > 1 && steps <= most && plain <= 1;
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
    const outer = functionalsOf(kernel, all) as OuterStep;
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
      const sums = this.outer.sums(Float64Array.of(zeta), !this.mirrored)?.[0];
      if (sums === undefined) return undefined;
      const moved = (sum: Sum): Sum => ({
        ...sum,
        roundOff: sum.roundOff + sum.slope * off,
        error: sum.error + sum.slope * off,
      });
      return [moved(sums[0]), moved(sums[1])];
    });
  }
}

/** The functionals of some steps, as they are asked for at some places. */
export function functionalsOf(kernel: Kernel, phases: readonly SampledPhase[]): OuterStep | OneStep {
  if (phases.length === 1) return new OneStep(kernel, phases[0]);
  const [inner, last] = [phases.slice(0, -1), phases[phases.length - 1]];
  const before = functionalsOf(kernel, inner);
  const source = inner.length === 1 ? before : new StepsTable(before);
  return new OuterStep(kernel, last, source, stepsOf(phases));
}

function answerOf(sum: Sum, turn: number): Answer | undefined {
  const doubt = sum.error;
  if (!(doubt < 0.5)) return undefined;
  const { quadrature, roundOff, truncation, nodes } = sum;
  const slack = 1e-15 + U * (2 * Math.abs(sum.log) + turn);
  return {
    lower: sum.log + log1p(-doubt) + turn - slack,
    // a shift of the logarithm by `doubt` is more than log(1 + doubt)
    upper: sum.log - log1p(-doubt) + turn + slack,
    budget: { aliasing: 0, truncation, quadrature, roundOff, smoothing: 0, nodes },
  };
}
