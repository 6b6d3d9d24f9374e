import { EPOCHS } from '../../kernel/constants.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { KernelStep } from '../../kernel/laws.js';
import type { RunPhase, SampledRun } from '../../kernel/questions.js';
import { furthest, sampledSide } from '../../law/mixture-side.js';
import type { Atoms } from '../../law/pair.js';
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
import { allocationStep } from './step/allocation-law.js';
import { atomicStep, exponentialStep, mixtureStep } from './step/kernel-law.js';
import type { SeenStep } from './step/spectrum-of.js';

/** The largest log δ asked of the kernel: above it contours have another layout. */
const LARGEST = -5e-4;
const SMALLEST = -690;
/** The first tolerance, as a power of ten; and the factor between tolerances of a contour for a single δ, likewise. Only speed depends on it. */
const [COARSEST, FINER] = [6, 3];
/** Fraction of the remaining allowance for a call, for one about more than a few phases, and for one whose contours serve a whole μ. What follows has an allowance of its own. */
const [SHARE, SHARE_OF_MORE, SHARE_OF_MU] = [0.5, 0.6, 0.97];

/**
 * Units that μ, or what shares its contours, may cost. The first is for up to FEW_PHASES phases of sampled Gaussians, the second for as many of other
 * steps. The third is for more phases. Only speed and width depend on them.
 */
const [MOST_WORK, MOST_OF_OTHERS, MOST_OF_MANY, FEW_PHASES] = [1e8, 5e8, 2e9, 16];
/** With more phases than this, a call for many points or for μ may take this fraction of what remains of the allowance. Only speed depends on them. */
const [MANY_PHASES, SHARE_OF_MANY] = [256, 0.3];
/** Units that a δ of few phases with a contour of its own may cost. Only speed depends on it. */
const MOST_OF_ONE = 3e8;
/**
 * Units of work that an ε or δ of mixtures may cost. A run of up to `BANDED_PHASES` phases may spend `MOST_OF_MIXTURES` for each `PHASES_AT_ONCE`
 * phases, up to `MOST_TIMES` times. A run of more spends `MOST_OF_MORE`: calls about groups need the rest. Only speed and width depend on them.
 */
const [MOST_OF_MIXTURES, MOST_OF_MORE, PHASES_AT_ONCE, MOST_TIMES, BANDED_PHASES] = [4e8, 1e8, 8, 9, 128];
/** As `MOST_OF_MIXTURES`, for epochs, whose other methods cost little more. */
const MOST_OF_EPOCHS = 4e7;
/** The largest ε at which δ is asked: beyond, bounds without contours are narrow enough. Only speed depends on it. */
const FURTHEST = 1000;
/** The smallest log rate that is asked for: below, contours that serve many ε are less accurate than contours for one. */
const DEEPEST = -60;

/** Contours of runs whose |φ| may not fall by this, as a logarithm, seldom end. Only speed depends on it. */
const LEAST_FALL = 18;
/** Numbers of losses up to which a step of atoms is part of a run. Only speed depends on it. */
const MOST_LOSSES = 4096;
/** Steps with larger μ are answered by the patterns of their batches in closed form. Only speed depends on it. */
const LOUDEST = 13;
/** Epochs of balls and bins with larger μ vary too much for sums along rays. Only speed and width depend on it. */
const LOUDEST_BINS = 3.2;

/** A bracket of μ, the regret of publishing it, and the approximate ε where its window begins. */
export interface WholeMeasure {
  readonly mu: Bracket;
  readonly regret: Bracket;
  readonly head: number;
}

/**
 * Both directions of a run in one call of the kernel (assembly/question/run.ts). It has narrow brackets quickly, or none; then other methods are asked.
 *
 * Steps are those that an adjacency has reduced a run to. Each is N(0, 1) against (1 − rate)·N(0, 1) + rate·N(μ, 1); or two mixtures of Gaussians on
 * a line, which are people of several records, and sampled steps under replace-one; or an epoch of balls and bins; or Laplace noise or a bounded-range
 * mechanism; or, beside any of these, finitely many losses.
 */
export class WholeRun {
  /** Units that contours for many points may cost. */
  private readonly most: number;
  /** Units that a contour for one point may cost. */
  private readonly mostOfOne: number;
  private readonly isFew: boolean;
  private readonly isMany: boolean;
  private readonly haveEpochs: boolean;
  /** Fractions of the remaining allowance: for one contour, for contours that serve many points, and for those of μ. */
  private readonly shares: { readonly one: number; readonly many: number; readonly mu: number };

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
   * A run for which one kernel call answers. Undefined for runs of other steps, and those that the call seldom answers.
   * @param share Fraction of the remaining allowance for a call.
   */
  static of(kernel: Kernel, steps: readonly SeenStep[], share?: number): WholeRun | undefined {
    if (fallOf(steps) < LEAST_FALL) return undefined;
    const phases: RunPhase[] = [];
    let [square, unsampled] = [0, 0];
    for (const step of steps) {
      const { pair, count } = step;
      if (pair.family === 'gaussian' && step.sampling === 'all') {
        square += count * pair.mu * pair.mu;
        unsampled++;
        continue;
      }
      const phase = phaseOf(step, steps.length === 1);
      if (phase === undefined) return undefined;
      phases.push({ ...phase, count });
    }
    // the unsampled steps are one, whose μ² has a few roundings
    if (phases.length === 0 || unsampled > 1 || kernel.questions === undefined) return undefined;
    return new WholeRun(kernel, { phases, square }, share);
  }

  /**
   * The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}, with relative width `tolerance` or as narrow as possible. It is asked for at 1e-6, then at a tenth
   * of that and so on. All brackets are intersected: a smaller tolerance never gives a wider one. Ensures: ε of the worse direction lies in the bracket.
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
   * The smallest μ with f ≥ G_μ at error rates of e^{logAlpha} and more, with relative width `tolerance` or as narrow as possible. With `withRegret`
   * also Δ(f, G_μ), the regret of publishing it; else its bracket is [0, 1]. The kernel is asked at 1e-6, 1e-7 and so on, and all brackets are
   * intersected. Undefined if the first question has no answer.
   *
   * Ensures: μ and regret lie in their brackets. `head` is approximate.
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
   * log δ(epsilon). For epsilon < 0 it follows from δ of the exchanged pairs; the worse direction is the worse one there too
   * (docs/proofs/contour.md). Ensures: it lies in the bracket.
   */
  logDelta(epsilon: number, width: number): Bracket {
    if (epsilon >= 0) return this.logDeltaAbove(epsilon, width);
    return complementTimes(epsilon, this.logDeltaAbove(-epsilon, width), exactly(0));
  }

  /**
   * log δ(epsilon), epsilon ≥ 0, by contours that serve many ε. Where these give no answer to a single question, it gets a contour of its own.
   * For more than a few phases, or epochs, that alone is asked: contours for many ε cost more there. Ensures: it lies in the bracket.
   */
  private logDeltaAbove(epsilon: number, width: number): Bracket {
    if (!(epsilon <= FURTHEST)) return bracket(-Infinity, 0);
    const isOne = asksOne();
    // of epochs those that are within reach cost little
    if (isOne && this.haveEpochs) return this.logDeltaOfOne(epsilon, width, this.mostOfOne / 2);
    if (isOne && !this.isFew) return this.logDeltaOfOne(epsilon, width, Infinity);
    const found = this.atOnce('runDeltas', epsilon);
    if (absoluteWidth(found) <= width || !isOne) return found;
    return overlap(found, this.logDeltaOfOne(epsilon, width, MOST_OF_ONE));
  }

  /** log δ(epsilon) by a contour of its own, which may cost `most` units. Tolerances are as in `epsilon`. Ensures: it lies in the bracket. */
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

  /** Bracket of log(1 − f(α)), the power at α = e^{logAlpha}. Ensures: it lies in the bracket. */
  logPower(logAlpha: number): Bracket {
    return logAlpha >= DEEPEST ? this.atOnce('runPowers', logAlpha) : bracket(-Infinity, 0);
  }

  /**
   * A bracket of log δ(ε) at ε = x ('runDeltas'), or of the log power at log α = x ('runPowers'). It comes from contours that serve many points,
   * whose work is charged once per question. It is [−∞, 0] where the allowance does not suffice. Ensures: the logarithm lies in the bracket.
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

  /** Asks the kernel with a share of the remaining allowance, and charges the work. Undefined where the share runs out. The answer is as it comes. */
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

/** A step for the kernel; undefined for those that it seldom answers, or that have closed forms, and steps of other families. */
function phaseOf({ pair, sampling, rate, count }: SeenStep, isAlone: boolean): KernelStep | undefined {
  // single steps have closed forms, but for most epochs
  const isOpen = pair.family === 'gaussian' || (pair.family === 'allocation' && !pair.closed);
  if (sampling === 'without-replacement' || (isAlone && count === 1 && !isOpen)) return undefined;
  switch (pair.family) {
    case 'gaussian':
      return pair.mu <= LOUDEST && rate < 1 ? { mu: pair.mu, rate } : undefined;
    case 'mixture':
      return furthest(pair.plus) + furthest(pair.minus) <= LOUDEST
        ? mixtureStep(sampledSide(pair.plus, rate), pair.minus)
        : undefined;
    case 'allocation':
      return pair.mu <= LOUDEST_BINS ? allocationStep(pair) : undefined;
    case 'exponential':
      return isAlone && sampling === 'all'
        ? undefined
        : exponentialStep(pair.shape, sampling === 'all' ? 1 : rate);
    case 'atoms':
      return isListed(pair.atoms) ? atomicStep(pair.atoms, rate) : undefined;
    default:
      return undefined;
  }
}

/** Heuristic: −log of the probability that the loss of every step is an atom, which |φ| approaches; ∞ for Gaussians and full epochs. Partial ones may not fall. */
function fallOf(steps: readonly SeenStep[]): number {
  let fall = 0;
  for (const { pair, count } of steps) {
    if (pair.family === 'exponential') fall -= count * log(pair.shape.atom * (1 + exp(-pair.shape.range)));
    else if (pair.family === 'allocation' ? pair.visited === pair.bins : pair.family !== 'atoms')
      return Infinity;
  }
  return fall;
}

/** Whether atoms are all finite, not too many, and as they are stated. */
function isListed({ loss, error, differences, beyond, infinity, minusInfinity }: Atoms): boolean {
  const isExact = error === undefined && !differences && !beyond;
  return isExact && infinity === 0 && minusInfinity === 0 && loss.length <= MOST_LOSSES;
}
