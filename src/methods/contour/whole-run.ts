import { EPOCHS } from '../../kernel/constants.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { KernelStep, SampledRun } from '../../kernel/questions.js';
import { furthest } from '../../law/mixture-side.js';
import type { Atoms, BranchedPair, Pair } from '../../law/pair.js';
import {
  absoluteWidth,
  type Bracket,
  bracket,
  exactly,
  overlap,
  relativeWidth,
} from '../../numeric/bracket.js';
import { complementTimes } from '../../numeric/log-arithmetic.js';
import { asksOne, attempt, charge, noted, remaining } from '../../numeric/meter.js';
import { exp, log } from '../../numeric/scalar.js';
import { kernelStepOf, sampledRunOf } from './kernel-step.js';
import type { SeenStep } from './seen-step.js';

/**
 * The largest log δ for which ε is asked of the kernel. For larger δ the contours in one direction with 0 < Re z < 1, which give 1 − δ, are more
 * accurate. Only width depends on it.
 */
const LARGEST = -5e-4;
/** The smallest log δ for which ε is asked of the kernel: smaller δ come close to the smallest normal double, e^{−708}. Only width depends on it. */
const SMALLEST = -690;
/**
 * The tolerance asked of the kernel first is 10^−COARSEST. For a single δ each further tolerance is 10^FINER times smaller. Only speed depends on
 * them.
 */
const [COARSEST, FINER] = [6, 3];
/**
 * Fractions of the question's remaining allowance of work that one kernel call may spend. SHARE is for many points, and for one point of runs of at
 * most FEW_PHASES phases. SHARE_OF_MORE is for one point of runs with more phases, SHARE_OF_MU for calls about μ.
 */
const [SHARE, SHARE_OF_MORE, SHARE_OF_MU] = [0.5, 0.6, 0.97];

/**
 * Units of work (docs/effort.md) for calls whose contours serve many points: μ, δ at many ε, powers. The first is for up to FEW_PHASES phases that
 * are all sampled Gaussians. The second is for as many phases of which some are of other kinds, the third for more phases. Only speed and width
 * depend on them.
 */
const [MOST_WORK, MOST_OF_OTHERS, MOST_OF_MANY, FEW_PHASES] = [1e8, 5e8, 2e9, 16];
/**
 * With more phases than MANY_PHASES, a call for many points or for μ may spend the fraction SHARE_OF_MANY of the remaining allowance. Only speed
 * and width depend on them.
 */
const [MANY_PHASES, SHARE_OF_MANY] = [256, 0.3];
/** Units of work for one δ of at most FEW_PHASES phases by a contour for that ε alone. Only speed and width depend on it. */
const MOST_OF_ONE = 3e8;
/**
 * Units of work for one ε or δ of a run whose steps are not all sampled Gaussians. With up to BANDED_PHASES phases it may spend MOST_OF_MIXTURES
 * for each PHASES_AT_ONCE phases, at most MOST_TIMES times. With more phases MOST_OF_MORE replaces MOST_OF_MIXTURES, as bounds from grouped steps
 * need the remaining allowance. Only speed and width depend on them.
 */
const [MOST_OF_MIXTURES, MOST_OF_MORE, PHASES_AT_ONCE, MOST_TIMES, BANDED_PHASES] = [4e8, 1e8, 8, 9, 128];
/**
 * For runs with balls-and-bins epochs this many units of work replace MOST_OF_MIXTURES and MOST_OF_MORE, as their other methods cost little more.
 * Only speed and width depend on it.
 */
const MOST_OF_EPOCHS = 4e7;
/** The largest ε at which the kernel is asked for δ: beyond, bounds without contours are narrow enough. Only speed depends on it. */
const FURTHEST = 1000;
/**
 * The smallest log α asked of the kernel: for smaller error rates, contours that serve many ε are less accurate than contours for one. Only width
 * depends on it.
 */
const DEEPEST = -60;

/**
 * The least −log|φ(τ)| that must be reachable for large τ. φ(τ) = M(c + iτ)/M(c), M the moment generating function of the loss, c the contour's
 * abscissa. With less decay, the truncation error of a contour is seldom negligible. Only speed depends on it.
 */
const LEAST_FALL = 18;
/** The largest number of losses of a step with finitely many losses for which the kernel is asked. Only speed depends on it. */
const MOST_LOSSES = 4096;
/**
 * The largest μ of a Gaussian step for which the kernel is asked. At larger μ `closed/sample-patterns.ts` has a closed form. Only speed depends on
 * it.
 */
const LARGEST_MU = 13;
/**
 * The largest μ of a balls-and-bins epoch for which the kernel is asked: at larger μ its quadrature is inaccurate. Only speed and width depend on
 * it.
 */
const LARGEST_MU_OF_BINS = 3.2;

/**
 * Brackets of μ and of the regret Δ(f, G_μ), the diagonal shift that takes the trade-off function f below G_μ. `head` is approximately the ε for
 * which the line of slope −e^ε touches f where the smaller error rate is the one asked for.
 */
export interface WholeMeasure {
  readonly mu: Bracket;
  readonly regret: Bracket;
  readonly head: number;
}

/**
 * Answers about both directions of a run, the worse of which counts, each by one call of the kernel (assembly/question/run.ts). Brackets are either
 * narrow or trivial; in the latter case other methods are asked.
 *
 * Steps are already reduced to pairs (P, Q) by the adjacency. A step is one of six kinds: a sampled Gaussian, N(0, 1) against (1 − rate)·N(0, 1) +
 * rate·N(μ, 1); two mixtures of Gaussians on a line; a balls-and-bins epoch; Laplace noise or a bounded-range mechanism; finitely many losses; a
 * published choice of samples of Gaussians.
 */
export class WholeRun {
  /** Units of work for a call whose contours serve many points. */
  private readonly most: number;
  /** Units of work for a call about one ε or one δ. */
  private readonly mostOfOne: number;
  private readonly isFew: boolean;
  private readonly isMany: boolean;
  private readonly haveEpochs: boolean;
  /** Fractions of the remaining allowance of work that a call may spend: about one point, about many points, and about μ. */
  private readonly shares: { readonly one: number; readonly many: number; readonly mu: number };

  /** Heuristic: sets the units of work and shares of the allowance that calls may spend. They decide whether it answers, never what. */
  private constructor(
    private readonly kernel: Kernel,
    private readonly run: SampledRun,
    share: number | undefined,
  ) {
    this.isFew = run.phases.length <= FEW_PHASES;
    this.isMany = run.phases.length > MANY_PHASES;
    this.haveEpochs = run.phases.some(({ mu }) => mu === EPOCHS);
    const areSampled = run.phases.every(({ own }) => own === undefined);
    this.most = this.isFew ? (areSampled ? MOST_WORK : MOST_OF_OTHERS) : MOST_OF_MANY;
    const times = Math.min(MOST_TIMES, Math.ceil(run.phases.length / PHASES_AT_ONCE));
    const most = run.phases.length > BANDED_PHASES ? MOST_OF_MORE : MOST_OF_MIXTURES;
    this.mostOfOne = areSampled ? Infinity : times * (this.haveEpochs ? MOST_OF_EPOCHS : most);
    const [many, mu] = this.isMany ? [SHARE_OF_MANY, SHARE_OF_MANY] : [SHARE, SHARE_OF_MU];
    const one = this.isFew ? SHARE : SHARE_OF_MORE;
    this.shares = { one: share ?? one, many: share ?? many, mu: share ?? mu };
  }

  /**
   * The run of these steps, as the kernel takes it. Undefined if a step is of another kind, or if the kernel seldom answers for such runs. Exact but
   * for a few roundings of the plain Gaussians' μ².
   * @param share Fraction of the remaining allowance of work for each call; if absent, SHARE and the fractions named beside it.
   */
  static of(kernel: Kernel, steps: readonly SeenStep[], share?: number): WholeRun | undefined {
    if (fallOf(steps) < LEAST_FALL) return undefined;
    const run = sampledRunOf(steps, (step) => phaseOf(step, steps.length === 1));
    if (run === undefined || run.phases.length === 0 || kernel.questions === undefined) return undefined;
    return new WholeRun(kernel, run, share);
  }

  /**
   * The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}, with relative width `tolerance` or as narrow as possible. The kernel is asked at the tolerances
   * 1e-6, 1e-7 and so on down to `tolerance`, and all brackets are intersected. So a smaller tolerance never gives a wider bracket. Ensures: ε of
   * the worse direction lies in the bracket.
   */
  epsilon(logDelta: number, tolerance: number): Bracket {
    let found = bracket(0, Infinity);
    if (!(logDelta >= SMALLEST && logDelta <= LARGEST)) return found;
    for (let k = COARSEST; ; k++) {
      const width = Number(`1e-${k}`);
      const told = this.ask((allowance) =>
        this.kernel.questions?.runEpsilon(this.run, logDelta, width, Math.min(allowance, this.mostOfOne)),
      );
      if (told?.end !== 'answered') return found;
      found = overlap(found, bracket(told.lower, told.upper));
      if (width <= tolerance || relativeWidth(found) <= tolerance) return found;
    }
  }

  /**
   * The smallest μ with f ≥ G_μ where both error rates are at least e^{logAlpha}; f is the run's trade-off function and G_μ that of N(0, 1) and
   * N(μ, 1). With `withRegret` also a bracket of the regret Δ(f, G_μ), the diagonal shift that takes f below G_μ; without, [0, 1]. The kernel is
   * asked at the tolerances 1e-6, 1e-7 and so on down to `tolerance`, and all brackets are intersected. Undefined if the first call has no answer.
   *
   * Ensures: μ and the regret lie in their brackets. `head` is approximate and enters no bracket.
   */
  measure(logAlpha: number, tolerance: number, withRegret: boolean): WholeMeasure | undefined {
    if (!(logAlpha >= DEEPEST)) return undefined;
    let [mu, regret, head] = [bracket(0, Infinity), bracket(0, 1), 0];
    for (let k = COARSEST; ; k++) {
      const width = Number(`1e-${k}`);
      const name = withRegret ? 'runMeasure' : 'runMu';
      const told = this.ask(
        (allowance) =>
          this.kernel.questions?.[name](this.run, logAlpha, width, Math.min(allowance, this.most)),
        this.shares.mu,
      );
      if (told?.end !== 'answered') return k === COARSEST ? undefined : { mu, regret, head };
      mu = overlap(mu, bracket(told.lower, told.upper));
      regret = overlap(regret, bracket(told.regret.lower, told.regret.upper));
      head = told.head;
      if (width <= tolerance || relativeWidth(mu) <= tolerance) return { mu, regret, head };
    }
  }

  /**
   * log δ(epsilon). For epsilon < 0, δ_{PQ}(ε) = 1 − e^ε + e^ε·δ_{QP}(−ε); both directions are covered, so the worse one at −ε is the worse one at
   * ε. Ensures: it lies in the bracket.
   */
  logDelta(epsilon: number, width: number): Bracket {
    if (epsilon >= 0) return this.logDeltaAbove(epsilon, width);
    return complementTimes(epsilon, this.logDeltaAbove(-epsilon, width), exactly(0));
  }

  /**
   * log δ(epsilon), epsilon ≥ 0. It is asked by contours that serve many ε. If these leave a single question open, it is asked by a contour for
   * this ε alone. A single question about an epoch, or about more than FEW_PHASES phases, gets the latter at once, as it costs less. Ensures: it
   * lies in the bracket.
   */
  private logDeltaAbove(epsilon: number, width: number): Bracket {
    if (!(epsilon <= FURTHEST)) return bracket(-Infinity, 0);
    const isOne = asksOne();
    // half the usual allowance suffices for the epochs that the kernel can answer
    if (isOne && this.haveEpochs) return this.logDeltaOfOne(epsilon, width, this.mostOfOne / 2);
    if (isOne && !this.isFew) return this.logDeltaOfOne(epsilon, width, Infinity);
    const found = this.atOnce('runDeltas', epsilon);
    if (absoluteWidth(found) <= width || !isOne) return found;
    return overlap(found, this.logDeltaOfOne(epsilon, width, MOST_OF_ONE));
  }

  /**
   * log δ(epsilon) by a contour for this ε alone, which may cost `most` units of work. The kernel is asked at the tolerances 1e-6, 1e-9 and so on
   * down to `width`, and all brackets are intersected. Ensures: it lies in the bracket.
   */
  private logDeltaOfOne(epsilon: number, width: number, most: number): Bracket {
    let found = bracket(-Infinity, 0);
    for (let k = COARSEST; !(absoluteWidth(found) <= width); k += FINER) {
      const own = Number(`1e-${k}`);
      const told = this.ask((allowance) =>
        this.kernel.questions?.runDelta(this.run, epsilon, own, Math.min(allowance, most, this.mostOfOne)),
      );
      if (told?.end !== 'answered') break;
      found = overlap(found, bracket(told.lower, told.upper));
      if (own <= width) break;
    }
    return found;
  }

  /** Bracket of log(1 − f(α)), the log power of the best test with false positive rate α = e^{logAlpha}. Ensures: it lies in the bracket. */
  logPower(logAlpha: number): Bracket {
    return logAlpha >= DEEPEST ? this.atOnce('runPowers', logAlpha) : bracket(-Infinity, 0);
  }

  /**
   * A bracket of log δ(ε) at ε = x ('runDeltas'), or of the log power at log α = x ('runPowers'). It comes from contours that serve many points. A
   * question is charged for each contour once, however many points it asks for. The bracket is [−∞, 0] where the allowance does not suffice.
   * Ensures: the logarithm lies in the bracket.
   */
  private atOnce(name: 'runDeltas' | 'runPowers', x: number): Bracket {
    const lines = noted(this, () => ({ paid: 0 }));
    const told = attempt(
      this.shares.many,
      () => {
        const allowance = Math.min(remaining() + lines.paid, this.most);
        const found = this.kernel.questions?.[name](this.run, [x], allowance);
        const work = found?.work ?? 0;
        charge(Math.max(0, work - lines.paid));
        lines.paid = Math.max(work, lines.paid);
        return found;
      },
      () => undefined,
    );
    return told === undefined ? bracket(-Infinity, 0) : bracket(told.logs[0].lower, told.logs[0].upper);
  }

  /**
   * Puts a question to the kernel with a fraction of the remaining allowance of work, and charges what it cost. Returns the kernel's answer
   * unchanged, or undefined where the charge exceeds that fraction.
   */
  private ask<T extends { readonly work: number }>(
    question: (allowance: number) => T | undefined,
    share: number = this.shares.one,
  ): T | undefined {
    return attempt(
      share,
      () => {
        const told = question(remaining());
        charge(told?.work ?? 0);
        return told;
      },
      () => undefined,
    );
  }
}

/**
 * The step as the kernel reads it, exactly. Undefined for steps of other families, for those with closed forms, and for those that the kernel
 * seldom answers (Heuristic limits: they enter no bound).
 */
function phaseOf(step: SeenStep, isAlone: boolean): KernelStep | undefined {
  const { pair, sampling, count } = step;
  // a single step has a closed form, unless it is a sampled Gaussian, or an epoch whose pair has no field `closed`
  const isOpen = pair.family === 'gaussian' || (pair.family === 'allocation' && !pair.closed);
  if (isAlone && count === 1 && !isOpen) return undefined;
  return isSeldomAnswered(pair, isAlone && sampling === 'all') ? undefined : kernelStepOf(step);
}

/** Heuristic: whether the kernel seldom answers, or other methods answer at less cost. It enters no bound. */
function isSeldomAnswered(pair: Pair, isPlain: boolean): boolean {
  switch (pair.family) {
    case 'gaussian':
      return pair.mu > LARGEST_MU;
    case 'mixture':
      return furthest(pair.plus) + furthest(pair.minus) > LARGEST_MU;
    case 'allocation':
      return pair.mu > LARGEST_MU_OF_BINS;
    case 'exponential':
      return isPlain;
    case 'atoms':
      return !isListed(pair.atoms);
    case 'branched':
      return furthestOf(pair) > LARGEST_MU;
    default:
      return false;
  }
}

/**
 * Heuristic: −log of the probability that the loss of every step is an atom. |φ(τ)| = |M(c + iτ)|/M(c) falls no lower than about that probability for
 * large τ. ∞ if a step has |φ| falling to 0: sampled Gaussians, mixtures, and epochs whose bins are all visited. It only chooses whether the kernel
 * is asked; it enters no bound.
 */
function fallOf(steps: readonly SeenStep[]): number {
  let fall = 0;
  for (const { pair, count } of steps) {
    if (pair.family === 'exponential') fall -= count * log(pair.shape.atom * (1 + exp(-pair.shape.range)));
    else if (pair.family === 'allocation' ? pair.visited === pair.bins : pair.family !== 'atoms')
      return Infinity;
  }
  return fall;
}

/** The largest shift of a branch of a sampled pair; those of an unsampled Gaussian do not count. */
function furthestOf({ branches }: BranchedPair): number {
  const each = branches.map(({ sample }) => {
    if (sample === undefined) return Infinity;
    const { pair, rate } = sample;
    if (pair.family === 'gaussian') return rate === 1 ? 0 : pair.mu;
    return furthest(pair.plus) + furthest(pair.minus);
  });
  return Math.max(...each);
}

/** Whether all losses are finite and listed, and at most MOST_LOSSES. */
function isListed({ loss, beyond, infinity, minusInfinity }: Atoms): boolean {
  return !beyond && infinity === 0 && minusInfinity === 0 && loss.length <= MOST_LOSSES;
}
