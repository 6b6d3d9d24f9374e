import type { Kernel } from '../../../kernel/kernel.js';
import { outputOf, subsampledLoss } from '../../../law/subsampling.js';
import { least } from '../../../numeric/extremes.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Lazy } from '../../../numeric/lru-cache.js';
import { exp, log } from '../../../numeric/scalar.js';
import type { ErrorBudget } from '../../../run/method.js';
import type { Answer } from '../line/contour.js';
import type { CountedSpectrum } from '../line/contour-plan.js';
import type { Functional } from '../line/line-table.js';
import { doubtOf, type LineSource, Lines, type TestAnswer } from '../line/lines.js';
import { fewOf, MANY_PHASES } from '../phases/phase.js';
import { EVERYTHING } from '../step/output-window.js';
import { SampledSteps } from '../step/sampled-losses.js';
import { exchanged } from '../step/spectral-law.js';
import { WindowedGaussian, WindowedSteps } from '../step/windowed-gaussian.js';
import { NarrowestAnswer } from './narrowest.js';
import { type PartPhase, partSpectrum } from './part-spectrum.js';

/** Steps of a Poisson-subsampled Gaussian. */
export interface SampledPhase {
  readonly mu: number;
  readonly rate: number;
  readonly count: number;
}

/** The steps that are split, and all others, in direction 'remove'. */
export interface SplitSteps {
  readonly sampled: readonly SampledPhase[];
  readonly others: readonly CountedSpectrum[];
  /** The pair is exchanged: direction 'add'. */
  readonly mirrored: boolean;
}

/** A part's ends differ by this factor, the largest loss of the innermost from its standard deviation by that. */
const RATIO = 4;
const INNERMOST = 1.5;
/** Losses above which nothing is split. */
const OUTERMOST = 1.5;
/** Outputs beyond which nothing is split either: those that lie beyond, of a phase that loses less there, belong to the outermost part. With them large tilts of the others would have no integrals. */
const FURTHEST = 20;
/** The width of the windows' edges in units of log loss, and in outputs at most. Speed and width hang on them. */
const EDGE = 0.07;
const WIDEST = 0.3;
/** Smaller rates need a part for every factor of `RATIO` down to them, and tiny noise many nodes: nothing is split there. Speed alone hangs on it. */
const SMALLEST_RATE = 1e-12;
const LARGEST_MU = 100;
/** For small noise the loss is near 0 (not sampled) or about μ²/2 + log q ± μ (sampled). Steps with μ and μ/2 + log q/μ above these are split once, between the modes, at a loss of this share of μ. The windows' edges are this wide, in outputs. Only speed and width hang on them. */
const LOUD = { mu: 3, gap: 0.5, share: 0.7, width: 0.15 };
/** A part without lines may have this share, a logarithm, of what is left open; bounds are above what they bound. */
const LITTLE = -10;
/** Windows end this many widths behind their edge, where they pass e^{−HARD²/2}: steep tilts see the outputs behind, which no narrower edge would stop. */
const HARD = 17;
/** Parts of many phases cost seconds: lines that leave no more open than this are enough. */
const FAIR = 1e-4;
/** Phases that stand for many where parts are guessed from. Speed alone hangs on it. */
const GUIDES = 6;
/** Steps of smaller μ are quickly taken apart. Speed alone hangs on it. */
const QUICK = 1.6;
/** Widths at which tests are asked for, in units of that wanted. */
const FINER = [1, 0.1, 0.01] as const;
/** Phases that the first part's end is guessed from. */
const LOOKED_AT = 128;
/** Halvings of a guess. */
const HALVINGS = 8;
/** Nodes of a line of the whole run or of a part at most. Half as many leave deep tails open; twice as many cost more than parts. */
const MOST_NODES = 2 ** 15;

/**
 * Answers for runs whose losses are mostly near 0 and rarely large. No tilt reaches a rare loss before the far tail takes over. So the run is
 * taken apart by the largest single loss (`part-spectrum.ts`), and each part has lines of its own. Parts of which Chernoff's
 * bound shows that they add next to nothing are not summed, and count in the upper end only.
 */
export class Parts {
  private readonly parts: readonly Lines[];

  /** @param apart Whether loud steps are split once: then the inner part has no lines, and is bounded alone. */
  constructor(
    kernel: Kernel,
    { sampled, others, mirrored }: SplitSteps,
    usual: number,
    private readonly apart = false,
  ) {
    const parts = apart ? loudPartsOf(kernel, sampled) : partsOf(kernel, sampled);
    this.parts = parts.map((phases) => {
      const law = partSpectrum(phases, others);
      return new Lines(kernel, [{ law: mirrored ? exchanged(law) : law, count: 1 }], usual, MOST_NODES, true);
    });
  }

  delta(x: number, width: number): Answer | undefined {
    return this.total('delta', x, width, (lines) => lines.delta(x, width));
  }

  /** Rates of lines with windows are of first order in those: at finer levels these are narrower, or not needed. */
  test(x: number, width: number): TestAnswer | undefined {
    const answers = new NarrowestAnswer<TestAnswer>(doubtOf, width);
    for (const finer of FINER)
      if (answers.takes(this.testAt(x, width * finer)) || answers.errorBound === Infinity) break;
    return answers.found;
  }

  /** The x where δ or the FPR passes e^{target}, roughly, below one where it is less; that one where no loss of a step is rare and large. */
  guess(functional: 'delta' | 'falsePositive', target: number, below: number): number {
    if (this.parts.length < 2) return below;
    const near = (x: number): number =>
      this.parts.reduce((sum, lines) => logSum(sum, lines.near(functional, x)), -Infinity);
    let [low, high] = [0, below];
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      if (near(middle) > target) low = middle;
      else high = middle;
    }
    return high;
  }

  private testAt(x: number, width: number): TestAnswer | undefined {
    const [falsePositive, power] = (['falsePositive', 'power'] as const).map((rate) =>
      this.total(rate, x, width, (lines) => lines.rate(rate, x, width)),
    );
    return falsePositive && power && { falsePositive, power, windowError: 0, scale: 0 };
  }

  private total(
    functional: Functional,
    x: number,
    width: number,
    ask: (lines: Lines) => Answer | undefined,
  ): Answer | undefined {
    if (this.parts.length === 0) return undefined;
    const bounded = this.parts.map((lines) => ({
      lines,
      bound: lines.bound(x, width, -Infinity, functional),
    }));
    if (this.apart && !(bounded[0].bound < bounded[1].bound + log(width) + LITTLE)) return undefined;
    bounded.sort((a, b) => b.bound - a.bound);
    let lower = -Infinity;
    let upper = -Infinity;
    const parts: Answer[] = [];
    for (const { lines, bound } of bounded) {
      const negligible = exp(bound - lower) < 1e-3 * width;
      const answer = negligible || (this.apart && lines === this.parts[0]) ? undefined : ask(lines);
      // without the largest part the rest says little
      if (answer === undefined && lower === -Infinity) return undefined;
      if (answer) parts.push(answer);
      lower = logSum(lower, answer?.lower ?? -Infinity);
      upper = logSum(upper, Math.min(bound, answer?.upper ?? bound));
    }
    if (!(upper < Infinity)) return undefined;
    const slack = 1e-15 * (4 + Math.min(1e6, Math.abs(upper)));
    return { lower: lower - slack, upper: upper + slack, budget: shared(parts, lower, upper) };
  }
}

/** Where a record is seen this often, on average, lines need no parts. */
const OFTEN = 10;

/** Lines of a run, and its parts where those are too wide. */
export class SplitLines implements LineSource {
  private readonly whole: Lines;
  private readonly made = new Lazy(() => new Parts(this.kernel, this.rare, this.usual));
  private readonly guide = new Lazy(() => this.guiding());
  private readonly ways: readonly (() => Pick<LineSource, 'delta' | 'test'> | undefined)[];

  constructor(
    private readonly kernel: Kernel,
    laws: readonly CountedSpectrum[],
    private readonly rare: SplitSteps,
    private readonly usual: number,
  ) {
    this.whole = new Lines(kernel, laws, usual, MOST_NODES);
    this.ways = this.cheapestFirst();
  }

  private cheapestFirst(): (() => Pick<LineSource, 'delta' | 'test'> | undefined)[] {
    const { sampled } = this.rare;
    const ways = [() => this.whole, () => this.parts];
    if (this.many || !sampled.every(isLoud)) return ways;
    const apart = new Lazy(() => new Parts(this.kernel, this.rare, this.usual, true));
    const seen = sampled.reduce((sum, { rate, count }) => sum + rate * count, 0);
    const before = seen > OFTEN ? 1 : 0;
    return [...ways.slice(0, before), () => apart.value, ...ways.slice(before)];
  }

  /** Whether phases are so many that parts of them cost seconds. */
  private get many(): boolean {
    return this.rare.sampled.length >= MANY_PHASES;
  }

  /** Whether parts cost little to guess from. */
  private get quick(): boolean {
    return !this.many && this.rare.sampled.every(({ mu }) => mu < QUICK);
  }

  private get parts(): Parts {
    return this.made.value;
  }

  /** The parts of few phases in place of many. */
  private guiding(): Parts {
    if (!this.many) return this.parts;
    const few = fewOf(
      this.rare.sampled.map(({ mu, rate: q, count }) => ({ mu, q, count })),
      GUIDES,
    );
    const sampled = few.map(({ mu, q, count }) => ({ mu, rate: q, count }));
    return new Parts(this.kernel, { ...this.rare, sampled }, this.usual);
  }

  delta(x: number, width: number): Answer | undefined {
    return this.narrowest(
      (lines) => lines.delta(x, width),
      ({ lower, upper }) => upper - lower,
      width,
    );
  }

  test(x: number, width: number): TestAnswer | undefined {
    return this.narrowest((lines) => lines.test(x, width), doubtOf, width);
  }

  bound(x: number, width: number, floor?: number): number {
    return this.whole.bound(x, width, floor);
  }

  guess(functional: 'delta' | 'falsePositive', target: number, width: number): number | undefined {
    const found = this.whole.guessed(functional, target, width);
    // a line of many phases costs too much to be asked where δ is not
    const apart = this.quick ? found?.isSkew : this.many && functional === 'delta';
    return found && apart ? this.guide.value.guess(functional, target, found.x) : found?.x;
  }

  guessApart(target: number, below: number): number {
    return this.guide.value.guess('delta', target, below);
  }

  private narrowest<T>(
    ask: (lines: Pick<LineSource, 'delta' | 'test'>) => T | undefined,
    doubtOf: (answer: T) => number,
    width: number,
  ): T | undefined {
    const answers = new NarrowestAnswer(doubtOf, width);
    this.ways.some((way) => {
      if (this.many && answers.errorBound <= FAIR) return true;
      const lines = way();
      return lines !== undefined && answers.takes(ask(lines));
    });
    return answers.found;
  }
}

/** The budgets of the parts in units of the whole; what was only bounded is truncated. */
function shared(parts: readonly Answer[], lower: number, upper: number): ErrorBudget {
  const sum = { aliasing: 0, truncation: 0, quadrature: 0, roundOff: 0, smoothing: 0, nodes: 0 };
  let known = 0;
  for (const { lower: least, upper: most, budget } of parts) {
    const share = exp(Math.min(0, least - lower));
    sum.aliasing += share * budget.aliasing;
    sum.truncation += share * budget.truncation;
    sum.quadrature += share * budget.quadrature;
    sum.roundOff += share * budget.roundOff;
    sum.nodes += budget.nodes;
    known += exp(most - upper);
  }
  return { ...sum, truncation: sum.truncation + Math.max(0, 1 - known) };
}

/** The steps of each part, from the innermost outwards, none where that would cost too much. */
function partsOf(kernel: Kernel, sampled: readonly SampledPhase[]): PartPhase[][] {
  if (sampled.some(({ mu, rate }) => rate < SMALLEST_RATE || mu > LARGEST_MU)) return [];
  const ends: number[] = [];
  const inner = innermost(sampled);
  const near = (y: number) => (phase: SampledPhase) => endAt(phase, y) < FURTHEST;
  for (let y = inner; y < OUTERMOST && sampled.some(near(y)); y *= RATIO) ends.push(y);
  return between(kernel, sampled, ends, ({ mu }) => Math.min(EDGE / mu, WIDEST));
}

/** The two parts of loud steps. */
function loudPartsOf(kernel: Kernel, sampled: readonly SampledPhase[]): PartPhase[][] {
  const end = LOUD.share * sampled.reduce((most, { mu }) => Math.max(most, mu), 0);
  const near = sampled.some((phase) => endAt(phase, end) < FURTHEST);
  return near ? between(kernel, sampled, [end], () => LOUD.width) : [];
}

function isLoud({ mu, rate }: SampledPhase): boolean {
  return mu > LOUD.mu && rate >= SMALLEST_RATE && mu / 2 + log(rate) / mu >= LOUD.gap;
}

/** The steps of each part, with parts that end at these losses and windows' edges of these widths. */
function between(
  kernel: Kernel,
  sampled: readonly SampledPhase[],
  ends: readonly number[],
  widthOf: (phase: SampledPhase) => number,
): PartPhase[][] {
  const made = [-Infinity, ...ends, Infinity];
  const steps = sampled.map(({ mu, rate }) => new SampledSteps(kernel, [{ mu, q: rate }]));
  return made.slice(1).map((to, i) =>
    sampled.map((phase, k): PartPhase => {
      const width = widthOf(phase);
      const high = endAt(phase, to);
      const window = (from: number): WindowedGaussian => {
        const low = endAt(phase, from);
        const all = low === -Infinity && high === Infinity;
        const edges = { from: low, to: high, width, end: high + HARD * width };
        return new WindowedGaussian(new WindowedSteps(steps[k], all ? EVERYTHING : edges));
      };
      const empty = i === 0 || endAt(phase, made[i]) === high;
      return { below: window(-Infinity), part: empty ? undefined : window(made[i]), count: phase.count };
    }),
  );
}

/** The output at which a step loses y, or the last one at which it may be split. */
function endAt({ mu, rate }: SampledPhase, y: number): number {
  return Math.abs(y) === Infinity ? y : Math.min(outputOf(mu, rate, y), FURTHEST);
}

/** The least y that is `INNERMOST` standard deviations of the sum of the losses below y, at c = 1. */
function innermost(sampled: readonly SampledPhase[]): number {
  const rarest = least(sampled.map(({ rate }) => rate));
  // a guess: some of many phases tell it
  const every = Math.ceil(sampled.length / LOOKED_AT);
  const some = sampled.filter((_, i) => i % every === 0);
  const squares = some.map(({ mu, rate }) => squaresBelow(mu, rate));
  let y = rarest / 8;
  for (; y < OUTERMOST; y *= 1.3) {
    const variance = some.reduce((sum, { count }, i) => sum + every * count * squares[i](y), 0);
    if (INNERMOST * Math.sqrt(variance) <= y) break;
  }
  return y;
}

/** Outputs that E[L²; L < y] is summed over, from −8 to 8. */
const NODES = 128;

/** E[L²; L < y] of one step, roughly. */
function squaresBelow(mu: number, q: number): (y: number) => number {
  const h = 16 / NODES;
  const upTo = [0];
  for (let x = -8; x < 8; x += h) {
    const loss = subsampledLoss(mu * x - (mu * mu) / 2, q);
    upTo.push(upTo[upTo.length - 1] + h * 0.4 * exp(-(x * x) / 2) * loss * loss);
  }
  return (y) => upTo[Math.max(0, Math.min(NODES, Math.ceil((outputOf(mu, q, y) + 8) / h)))];
}
