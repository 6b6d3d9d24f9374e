import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, expm1, log } from '../../../numeric/scalar.js';
import { addLines } from '../line/line-table.js';
import type { SampledPhase } from '../split/split-lines.js';
import { logMassLeft, lostMass } from '../step/cut-gaussian.js';
import {
  type Cumulant,
  type CutLaw,
  type Guess,
  type LogPhiLine,
  type SpectralLaw,
  UNKNOWN,
} from '../step/spectral-law.js';
import { cutFor, isCut, type SampledGaussian, sampledGaussian } from '../step/subsampled-gaussian.js';
import { nodesIn, type Part, type Phase, PhaseCell, type Rule } from './phase-cell.js';
import { PhaseDecays } from './phase-decay.js';
import { LARGEST_TURN } from './phase-disc.js';
import { PhaseLaws, type PhaseSource, phaseOf } from './phase-laws.js';
import { PhaseOutputs, stretchOf, widthFor, windowOf } from './phase-path.js';
import { coarseOf, countOf, PhasePlans, PLACES } from './phase-plan.js';
import { PhaseSums } from './phase-sums.js';

/** What few phases may change in log M of the whole run, of the width asked for; and the least of it. */
const SHARE = 0.02;
const FINEST = 1e-13;
/** What few phases may change in log M where it bounds aliases. */
const ROUGH = 0.05;
/** Where it changes by more than this |φ| is but bounded. */
const SMALL = 0.3;
/** So many phases are summed one by one. Speed alone hangs on it. */
const ONE_BY_ONE = 512;
/** What rounding of a step's sums may come to in log δ: more steps than the width allows are not summed so. Speed and width hang on it. */
const ROUNDED = 1e-10;
/** More laws than this are not asked for one sum. */
const MOST_LAWS = 1024;
const MAX_PAIRS = 2048;
const MAX_CUTS = 8;
/** Phases this far off a curve, in logarithms, are not near it. */
const FAR_OFF = 0.5;

/** Whether phases lie near few curves: few stand badly for a wild cloud. Speed and width hang on it. */
export function nearCurves(phases: readonly SampledPhase[]): boolean {
  const root = new PhaseCell(phases.map(({ mu, rate, count }) => phaseOf(mu, rate, count)));
  return coarseOf(root).every(({ cell }) => cell.off <= FAR_OFF);
}

/**
 * The average of many phases as the law of one step, to be counted as often as there are steps: log M of few phases in their place, and a bound
 * of what that changes (docs/proofs/many-phases.md). Undefined where a phase's law is never cut.
 *
 * @param width The width of log δ that is asked for.
 * @param oneByOne So many phases are summed one by one (`phase-sums.ts`).
 */
export function manyPhases(
  phases: readonly SampledPhase[],
  width: number,
  oneByOne: number = ONE_BY_ONE,
): SpectralLaw | undefined {
  if (!phases.every(({ mu, rate }) => isCut(mu, rate))) return undefined;
  // in an order of their own: the same bits however they are listed
  const sorted = [...phases].sort((a, b) => a.mu - b.mu || a.rate - b.rate);
  const root = new PhaseCell(sorted.map(({ mu, rate, count }) => phaseOf(mu, rate, count)));
  const most = Math.max(SHARE * width, FINEST);
  const pairs = new Recent<string, SampledGaussian>(MAX_PAIRS);
  const pairOf = ({ mu, q }: Phase): SampledGaussian =>
    pairs.of(`${mu}/${q}`, () => sampledGaussian(1 / mu, q));
  const whole: PhaseSource = {
    cut: Infinity,
    law: (phase) => pairOf(phase).law,
    decayNear: (phase, c, nearby) => pairOf(phase).decayNear(c, nearby),
  };
  const [mu, rate] = (['mu', 'rate'] as const).map((of) =>
    sorted.reduce((top, phase) => Math.max(top, phase[of]), 0),
  );
  const cuts = new Recent<string, CutLaw>(MAX_CUTS);
  const run = {
    phases: root.phases,
    coarse: coarseOf(root).flatMap(nodesIn),
    extremes: { mu, q: rate },
    outputs: new PhaseOutputs(root.phases),
  };
  const deviation = deviationNear(run.coarse);
  const cut: SpectralLaw['cut'] = (kernel, logMass, depth) => {
    const widest =
      sorted.length <= oneByOne && root.count * ROUNDED <= width
        ? widthFor(run.extremes, deviation, cutFor(mu, rate, logMass))
        : undefined;
    if (widest !== undefined) {
      const stretch = stretchOf(widest);
      const at = cutFor(mu / stretch, rate, logMass);
      return cuts.of(`${kernel.name}/${at}/${widest}/${depth}`, () =>
        cutLawOf(sorted, at, stretch, new PhaseSums(kernel, run, windowOf(at, widest), depth)),
      );
    }
    // one cut for all phases: what a phase loses rises with μ and q
    const at = cutFor(mu, rate, logMass);
    return cuts.of(`${kernel.name}/${at}/${depth}`, () => {
      const source: PhaseSource = {
        cut: at,
        law: (phase) => pairOf(phase).cutAt(kernel, at, depth).law,
        decayNear: (phase, c, nearby) => pairOf(phase).cutAt(kernel, at, depth).decayNear(c, nearby),
      };
      return cutLawOf(sorted, at, 1, new PhasesLaw(new PhaseLaws(root, source), most));
    });
  };
  return { ...new PhasesLaw(new PhaseLaws(root, whole), most).law, cut };
}

/** About the deviation of the losses of all steps, as that of q(e^s − 1). */
function deviationNear(phases: readonly Phase[]): number {
  return Math.sqrt(
    phases.reduce((sum, { mu, q, count }) => sum + count * q * q * expm1(Math.min(4, mu * mu)), 0),
  );
}

/** With the masses that a cut takes from a step and leaves of it, on average. */
function cutLawOf(
  phases: readonly SampledPhase[],
  cut: number,
  stretch: number,
  { law }: { readonly law: SpectralLaw },
): CutLaw {
  let [logMassP, logMassQ, logLostP, logLostQ, all] = [0, 0, -Infinity, -Infinity, 0];
  for (const { mu, rate, count } of phases) {
    const lost = lostMass(mu / stretch, rate, cut);
    logMassP += count * logMassLeft(lost.logLostP);
    logMassQ += count * logMassLeft(lost.logLostQ);
    logLostP = logSum(logLostP, log(count) + lost.logLostP);
    logLostQ = logSum(logLostQ, log(count) + lost.logLostQ);
    all += count;
  }
  const average = (sum: number): number => {
    const mean = sum - log(all);
    return mean + 4 * U * (phases.length + 4) * (1 + Math.abs(mean));
  };
  const masses = { logMassP: logMassP / all, logMassQ: logMassQ / all };
  return { law: { ...law, ...masses }, logLostP: average(logLostP), logLostQ: average(logLostQ) };
}

class PhasesLaw {
  private readonly plans: PhasePlans;
  private readonly decays: PhaseDecays;
  readonly law: SpectralLaw;

  constructor(
    private readonly laws: PhaseLaws,
    most: number,
  ) {
    this.plans = new PhasePlans(laws, most);
    this.decays = new PhaseDecays(laws);
    this.law = {
      logMassP: 0,
      logMassQ: 0,
      cumulant: (c, count) => this.cumulant(c, count, most),
      near: (tilts, count) => Array.from(tilts, (c) => this.near(c, count)),
      above: (c, count) => {
        const { value, error } = this.cumulant(c, count, ROUGH);
        return value + error;
      },
      line: (kernel, c, dTau, n, count, first) => this.line(kernel, c, count, { dTau, n, first: first ?? 0 }),
      decay: (c) => this.decays.at(c),
    };
  }

  private cumulant(c: number, count: number, change: number): Cumulant {
    const { laws } = this;
    const plan = this.plans.at(c, change);
    if (countOf(plan) > MOST_LAWS) return UNKNOWN;
    const each = count / laws.root.count;
    let [value, error, mean, variance] = [0, 0, 0, 0];
    for (const part of plan) {
      for (const phase of nodesIn(part)) {
        const one = laws.of(phase).cumulant(c, phase.count * each);
        value += one.value;
        error += one.error + 4 * U * (Math.abs(value) + Math.abs(one.value));
        mean += one.mean;
        variance += one.variance;
      }
      error += each * laws.changeAt(part, c);
    }
    return error < Infinity ? { value, error, mean, variance } : UNKNOWN;
  }

  private near(c: number, count: number): Guess {
    const { laws } = this;
    const each = count / laws.root.count;
    const tilts = Float64Array.of(c);
    let [value, mean, variance] = [0, 0, 0];
    for (const part of this.plans.coarse) {
      for (const phase of nodesIn(part)) {
        const law = laws.of(phase);
        const one = law.near?.(tilts, phase.count * each)[0] ?? law.cumulant(c, phase.count * each);
        value += one.value;
        mean += one.mean;
        variance += one.variance;
      }
    }
    return Number.isFinite(value) ? { value, mean, variance } : UNKNOWN;
  }

  private line(kernel: Kernel, c: number, count: number, nodes: Nodes): LogPhiLine | undefined {
    const { laws } = this;
    const { dTau, n, first } = nodes;
    const each = count / laws.root.count;
    const plan = this.plans.line(kernel, c, dTau * (first + n - 1));
    if (countOf(plan) > MOST_LAWS) return undefined;
    let sum: LogPhiLine | undefined;
    const change = new Float64Array(n);
    for (const part of plan) {
      const { rule } = part;
      const lines: LogPhiLine[] = [];
      for (const phase of nodesIn(part)) {
        const line = laws.of(phase).line(kernel, c, dTau, n, phase.count * each, first);
        if (line === undefined) return undefined;
        lines.push(line);
        sum = sum === undefined ? line : addLines(sum, line);
      }
      if (rule === undefined) continue;
      const changes = this.changesOn({ ...part, rule }, c, each, nodes, lines);
      for (let k = 0; k < n; k++) change[k] += each * changes[k];
    }
    return sum && this.changed(sum, change, (tau) => count * this.decays.at(c).within(tau, tau), nodes);
  }

  /**
   * What the rule of one part changes in log φ of all of its steps, at the nodes of a line; ∞ where the branches of logarithms are not known to be one.
   *
   * @param lines Those of the rule's nodes, `each` times their weights.
   */
  private changesOn(
    part: Part & { rule: Rule },
    c: number,
    each: number,
    { dTau, n, first }: Nodes,
    lines: readonly LogPhiLine[],
  ): Float64Array {
    const { laws } = this;
    const { nodes, middle, lacking } = part.rule;
    const end = Math.max(1e-300, dTau * (first + n - 1));
    const placeOf = (k: number): number =>
      Math.max(0, Math.min(PLACES, Math.ceil((PLACES * (dTau * (first + k))) / end - 1e-9)) - 1);
    const reach = (i: number): number => Math.sqrt(c * c + ((end * (i + 1)) / PLACES) ** 2) * (1 + 1e-8);
    const sizes = Float64Array.from({ length: PLACES }, (_, i) => reach(i));
    const known = lines[middle];
    const unit = nodes[middle].count * each;
    const least = new Float64Array(PLACES).fill(1);
    for (let k = 0; k < n; k++) {
      const doubt = known.error[k] + known.quadrature[k];
      const modulus = doubt < Infinity ? exp((known.logModulus[k] - doubt) / unit) : 0;
      least[placeOf(k)] = Math.min(least[placeOf(k)], modulus);
    }
    const changes = laws.changes(part, c, sizes, least);
    const own = laws.changeAt(part, c);
    return Float64Array.from({ length: n }, (_, k) => {
      const phase = known.phase[k] / unit;
      const apart = lines.some(
        (line, j) => !(Math.abs(line.phase[k] / (nodes[j].count * each) - phase) < LARGEST_TURN),
      );
      const size = (Math.abs(known.logModulus[k]) + Math.abs(known.phase[k])) / unit;
      return apart ? Infinity : changes[placeOf(k)] + own + lacking[0] * size;
    });
  }

  /** A line with what few phases change in it: where that is much, |φ| alone is bounded. */
  private changed(
    line: LogPhiLine,
    change: Float64Array,
    bound: (tau: number) => number,
    { dTau, n, first }: Nodes,
  ): LogPhiLine {
    const logModulus = line.logModulus.slice();
    const error = line.error.slice();
    const quadrature = line.quadrature.slice();
    for (let k = 0; k < n; k++) {
      if (change[k] < SMALL) {
        quadrature[k] += change[k];
        continue;
      }
      const most = logModulus[k] + change[k] + (error[k] < Infinity ? error[k] + quadrature[k] : 0);
      logModulus[k] = Math.min(0, most < 0 ? most : 0, bound(dTau * (first + k)));
      error[k] = Infinity;
    }
    return { logModulus, phase: line.phase, error, quadrature };
  }
}

/** The nodes (first + k)·dTau of a line. */
interface Nodes {
  readonly dTau: number;
  readonly n: number;
  readonly first: number;
}
