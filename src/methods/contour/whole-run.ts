import type { Kernel } from '../../kernel/kernel.js';
import type { RunPhase, SampledRun } from '../../kernel/questions.js';
import { furthest, sampledSide } from '../../law/mixture-side.js';
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
import { sidesOf } from './step/kernel-law.js';
import type { SeenStep } from './step/spectrum-of.js';

/** The largest log δ asked of the kernel: above it contours have another layout. */
const LARGEST = -5e-4;
const SMALLEST = -690;
/** The first tolerance, as a power of ten; and the factor between tolerances of a contour for a single δ, likewise. Only speed depends on it. */
const [COARSEST, FINER] = [6, 3];
/** Fraction of the remaining allowance for a call, for one about more than a few phases, and for one whose contours serve a whole μ. What follows has an allowance of its own. */
const [SHARE, SHARE_OF_MORE, SHARE_OF_MU] = [0.5, 0.6, 0.97];

/** Units that μ, or what shares its contours, may cost; the same for more phases than the last number. Only speed depends on it. */
const [MOST_WORK, MOST_OF_MANY, FEW_PHASES] = [1e8, 2e9, 16];
/** With more phases than this, a call for many points or for μ may take this fraction of what remains of the allowance. Only speed depends on them. */
const [MANY_PHASES, SHARE_OF_MANY] = [256, 0.3];
/** Units that a δ of few phases with a contour of its own may cost. Only speed depends on it. */
const MOST_OF_ONE = 3e8;
/**
 * Units of work that an ε or δ of mixtures may cost. A run of up to `BANDED_PHASES` phases may spend `MOST_OF_MIXTURES` for each `PHASES_AT_ONCE`
 * phases, up to `MOST_TIMES` times. A run of more spends `MOST_OF_MORE`: calls about groups need the rest. Only speed and width depend on them.
 */
const [MOST_OF_MIXTURES, MOST_OF_MORE, PHASES_AT_ONCE, MOST_TIMES, BANDED_PHASES] = [4e8, 1e8, 8, 9, 128];
/** The largest ε at which δ is asked: beyond, bounds without contours are narrow enough. Only speed depends on it. */
const FURTHEST = 1000;
/** The smallest log rate that is asked for: below, contours that serve many ε are less accurate than contours for one. */
const DEEPEST = -60;

/** Steps with larger μ are answered by the patterns of their batches in closed form. Only speed depends on it. */
const LOUDEST = 13;

/** A bracket of μ, the regret of publishing it, and the approximate ε where its window begins. */
export interface WholeMeasure {
  readonly mu: Bracket;
  readonly regret: Bracket;
  readonly head: number;
}

/**
 * Both directions of a run of Gaussian steps, Poisson-sampled or not, in one call of the kernel (assembly/run.ts). It has narrow brackets quickly, or
 * none; then other methods are asked.
 *
 * Steps are those that an adjacency has reduced a run to. Each is N(0, 1) against (1 − rate)·N(0, 1) + rate·N(μ, 1), or two mixtures of Gaussians on
 * a line. Mixtures are people of several records, and sampled steps under replace-one.
 */
export class WholeRun {
  /** Units that contours for many points may cost. */
  private readonly most: number;
  /** Units that a contour for one point may cost. */
  private readonly mostOfOne: number;
  private readonly isFew: boolean;
  private readonly isMany: boolean;
  /** Fractions of the remaining allowance: for one contour, for contours that serve many points, and for those of μ. */
  private readonly shares: { readonly one: number; readonly many: number; readonly mu: number };

  private constructor(
    private readonly kernel: Kernel,
    private readonly run: SampledRun,
    share: number | undefined,
  ) {
    this.isFew = run.phases.length <= FEW_PHASES;
    this.most = this.isFew ? MOST_WORK : MOST_OF_MANY;
    this.isMany = run.phases.length > MANY_PHASES;
    const areSampled = run.phases.every(({ sides }) => sides === undefined);
    const times = Math.min(MOST_TIMES, Math.ceil(run.phases.length / PHASES_AT_ONCE));
    const most = run.phases.length > BANDED_PHASES ? MOST_OF_MORE : MOST_OF_MIXTURES;
    this.mostOfOne = areSampled ? Infinity : times * most;
    const [many, mu] = this.isMany ? [SHARE_OF_MANY, SHARE_OF_MANY] : [SHARE, SHARE_OF_MU];
    const one = this.isFew ? SHARE : SHARE_OF_MORE;
    this.shares = { one: share ?? one, many: share ?? many, mu: share ?? mu };
  }

  /**
   * A run for which one kernel call answers. Undefined for runs of other steps, and those that the call seldom answers.
   * @param share Fraction of the remaining allowance for a call.
   */
  static of(kernel: Kernel, steps: readonly SeenStep[], share?: number): WholeRun | undefined {
    const phases: RunPhase[] = [];
    let [square, unsampled] = [0, 0];
    for (const { pair, sampling, rate, count } of steps) {
      if (sampling === 'without-replacement') return undefined;
      if (pair.family === 'mixture') {
        const isSingle = steps.length === 1 && count === 1;
        // a single step has a closed form
        if (isSingle || !(furthest(pair.plus) + furthest(pair.minus) <= LOUDEST)) return undefined;
        const sides = sidesOf(sampledSide(pair.plus, rate), pair.minus);
        phases.push({ mu: 0, rate: 0, count, sides });
      } else if (pair.family !== 'gaussian') return undefined;
      else if (sampling === 'poisson') {
        if (!(pair.mu <= LOUDEST && rate < 1)) return undefined;
        phases.push({ mu: pair.mu, rate, count });
      } else {
        square += count * pair.mu * pair.mu;
        unsampled++;
      }
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

  /** The smallest μ with f ≥ G_μ at rates of e^{logAlpha} and more, and the regret of publishing it if asked for. Tolerances as in `epsilon`. */
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
   * For more than a few phases that alone is asked: contours for many ε cost more there. Ensures: it lies in the bracket.
   */
  private logDeltaAbove(epsilon: number, width: number): Bracket {
    if (!(epsilon <= FURTHEST)) return bracket(-Infinity, 0);
    const isOne = asksOne();
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

  /** One question of the contours for many points, which are charged once per question. Ensures: the logarithm lies in the bracket. */
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
