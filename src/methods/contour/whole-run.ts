import type { Kernel } from '../../kernel/kernel.js';
import type { SampledRun } from '../../kernel/questions.js';
import { type Bracket, bracket, overlap, relativeWidth } from '../../numeric/bracket.js';
import { attempt, charge, remaining } from '../../numeric/meter.js';
import { type SeenStep, sampledOf } from './step/spectrum-of.js';
import { isCut } from './step/subsampled-gaussian.js';

/** Distinct sampled steps, at most: each is a law of its own. Speed alone hangs on it. */
const MOST_PHASES = 16;
/** Steps, no fewer: one has a closed form. Speed alone hangs on it. */
const LEAST_STEPS = 2;
/** Steps that a μ is asked of, no fewer. Speed alone hangs on it. */
const LEAST_OF_MU = 24;
/** log δ that is asked for: elsewhere lines are laid out otherwise. */
const LARGEST = -1.5;
const SMALLEST = -400;
/** The first tolerance asked for, as a power of a tenth. Speed alone hangs on it. */
const COARSEST = 6;
/** Of what is left, for the call. */
const SHARE = 0.5;

/** Units that a μ may cost: rare losses want a run taken apart. Speed alone hangs on it. */
const MOST_WORK = 8e6;
/** The smallest rates, as a logarithm, that it is asked for: deeper, lines that each serve many ε's have fewer digits than those of one. */
const DEEPEST = -60;

/** A μ, the regret of publishing it, and about the ε where its window begins. */
export interface WholeMeasure {
  readonly mu: Bracket;
  readonly regret: Bracket;
  readonly head: number;
}

/**
 * Both directions of a run of Gaussian steps, Poisson-sampled or not, in one call of the kernel (assembly/run.ts): narrow brackets in a fraction of the time, or none. Then
 * the methods behind it are asked. Steps are those that an adjacency has reduced a run to, each N(0, 1) against (1 − rate)·N(0, 1) + rate·N(μ, 1): of adding or removing
 * a record, or zeroing it out. No sampled step under replace-one is such.
 */
export class WholeRun {
  private constructor(
    private readonly kernel: Kernel,
    private readonly run: SampledRun,
    private readonly steps: number,
  ) {}

  /** Undefined for runs of other steps, and those that the call would seldom answer. */
  static of(kernel: Kernel, steps: readonly SeenStep[]): WholeRun | undefined {
    if (steps.length > MOST_PHASES + 1) return undefined;
    const phases = sampledOf(steps);
    if (phases.length === 0 || phases.length > MOST_PHASES) return undefined;
    let [square, all, unsampled] = [0, 0, 0];
    for (const { pair, sampling, rate, count } of steps) {
      if (pair.family !== 'gaussian' || sampling === 'without-replacement') return undefined;
      if (sampling === 'poisson') {
        if (!(isCut(pair.mu, rate) && rate < 1)) return undefined;
        all += count;
      } else {
        square += count * pair.mu * pair.mu;
        unsampled++;
      }
    }
    // those that are not sampled are one, whose μ² is good to a few roundings
    if (all < LEAST_STEPS || unsampled > 1 || kernel.questions === undefined) return undefined;
    return new WholeRun(kernel, { phases, square }, all);
  }

  /**
   * The smallest ε ≥ 0 with δ(ε) ≤ e^{logDelta}, as narrow as `tolerance` relative to itself or as it is to be had. It is asked for at 1e-6, then at a tenth of that and so on,
   * and all brackets are intersected: a smaller tolerance never gives a wider one.
   */
  epsilon(logDelta: number, tolerance: number): Bracket {
    let found = bracket(0, Infinity);
    if (!(logDelta >= SMALLEST && logDelta <= LARGEST)) return found;
    for (let k = COARSEST; ; k++) {
      const width = Number(`1e-${k}`);
      const told = this.ask((allowance) =>
        this.kernel.questions?.runEpsilon(this.run, logDelta, width, allowance),
      );
      if (told?.end !== 'answered') return found;
      found = overlap(found, bracket(told.lower, told.upper));
      if (width <= tolerance || relativeWidth(found) <= tolerance) return found;
    }
  }

  /**
   * The smallest μ with f ≥ G_μ at rates of e^{logAlpha} and more, and the regret of publishing it if that is asked for. As `epsilon` climbs.
   */
  measure(logAlpha: number, tolerance: number, withRegret: boolean): WholeMeasure | undefined {
    if (!(logAlpha >= DEEPEST && this.steps >= LEAST_OF_MU)) return undefined;
    let [mu, regret, head] = [bracket(0, Infinity), bracket(0, 1), 0];
    for (let k = COARSEST; ; k++) {
      const width = Number(`1e-${k}`);
      const name = withRegret ? 'runMeasure' : 'runMu';
      const told = this.ask((allowance) =>
        this.kernel.questions?.[name](this.run, logAlpha, width, Math.min(allowance, MOST_WORK)),
      );
      if (told?.end !== 'answered') return k === COARSEST ? undefined : { mu, regret, head };
      mu = overlap(mu, bracket(told.lower, told.upper));
      regret = overlap(regret, bracket(told.regret.lower, told.regret.upper));
      head = told.head;
      if (width <= tolerance || relativeWidth(mu) <= tolerance) return { mu, regret, head };
    }
  }

  /** log δ(epsilon), epsilon ≥ 0, or as much of it as lines say that serve many. */
  logDelta(epsilon: number): Bracket {
    return this.atOnce('runDeltas', epsilon);
  }

  /** log(1 − f(α)) at α = e^{logAlpha}, or as much of it as that. */
  logPower(logAlpha: number): Bracket {
    return logAlpha >= DEEPEST ? this.atOnce('runPowers', logAlpha) : bracket(-Infinity, 0);
  }

  private atOnce(name: 'runDeltas' | 'runPowers', x: number): Bracket {
    const nothing = bracket(-Infinity, 0);
    if (this.steps < LEAST_OF_MU) return nothing;
    const told = this.ask((allowance) =>
      this.kernel.questions?.[name](this.run, [x], Math.min(allowance, MOST_WORK)),
    );
    return told === undefined ? nothing : bracket(told.logs[0].lower, told.logs[0].upper);
  }

  private ask<T extends { readonly work: number }>(
    question: (allowance: number) => T | undefined,
  ): T | undefined {
    return attempt(
      SHARE,
      () => {
        const told = question(remaining());
        charge(told?.work ?? 0);
        return told;
      },
      () => undefined,
    );
  }
}
