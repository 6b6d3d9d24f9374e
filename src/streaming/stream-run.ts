import type { Kernel } from '../kernel/kernel.js';
import { methods } from '../methods/brought/methods.js';
import type { Answer, Contour } from '../methods/contour/line/contour.js';
import type { ChernoffPoint, Saddle } from '../methods/contour/line/contour-plan.js';
import type { Functional, LineTable } from '../methods/contour/line/line-table.js';
import type { Cumulant } from '../methods/contour/step/spectral-law.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { SQRT_2PI } from '../numeric/constants.js';
import { complementTimes, logComplement } from '../numeric/log-arithmetic.js';
import { padLogProbability } from '../numeric/log-probability.js';
import { expm1, log } from '../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import {
  ALONG,
  AXIS,
  dTauOf,
  firstSegment,
  NEGLIGIBLE,
  NODES,
  nodeOf,
  type StreamLine,
  scaleOf,
  TILTS,
} from './stream-lines.js';
import type { StreamTotals } from './stream-totals.js';

/** Lines asked for one answer, the nearest ones first, of whatever scale, and no more than it takes to know a logarithm to this width. */
const ASKED = 12;
const NARROW = 1e-10;
/** A line is no use further than this many of its own units from its saddle. */
const FARTHEST = 8;

/** What a stream knows of one direction. */
interface DirectionState {
  readonly direction: 'remove' | 'add';
  readonly totals: StreamTotals;
  /** log of the P- and Q-mass of finite losses. */
  readonly logMassP: number;
  readonly logMassQ: number;
}

/** Both directions of a stream as runs, each of which answers for the other where ε < 0. @param muCeiling The run is μ-GDP for this μ; ∞ where none is known. */
export function streamRuns(
  kernel: Kernel,
  states: readonly DirectionState[],
  muCeiling: number,
): DirectedRun[] {
  const ceiling = muCeiling < Infinity ? gaussianRun(muCeiling) : undefined;
  const most = (epsilon: number): number => Math.min(0, ceiling?.logDelta(epsilon).upper ?? 0);
  const runs: DirectedRun[] = states.map((state, i) =>
    streamRun(kernel, state, most, () => runs[states.length - 1 - i]),
  );
  return runs;
}

/** One direction: the answers of its nearest lines. */
function streamRun(
  kernel: Kernel,
  state: DirectionState,
  gaussian: (epsilon: number) => number,
  mirror: () => DirectedRun,
): DirectedRun {
  const infinity = state.logMassQ < 0 ? log(-expm1(state.logMassQ)) : -Infinity;
  const lines = new StoredLines(kernel, state);
  const ceiling = (epsilon: number): number =>
    epsilon < 0 ? gaussian(epsilon) : Math.min(gaussian(epsilon), lines.bound(epsilon));
  const logInfinity =
    infinity === -Infinity
      ? bracket(infinity, infinity)
      : bracket(infinity - 1e-14, Math.min(0, infinity + 1e-14));
  return {
    direction: state.direction,
    method: 'spectral',
    logInfinity,
    ceiling,
    logDelta: (epsilon, width, floor = -Infinity): Bracket => {
      if (epsilon === Infinity) return logInfinity;
      const upper = ceiling(epsilon);
      if (epsilon >= 0 && upper <= floor) return bracket(-Infinity, upper);
      // δ(ε) = 1 − e^ε(1 − δ′(−ε)), δ′ that of the exchanged pair
      const found =
        epsilon < 0
          ? complementTimes(epsilon, mirror().logDelta(-epsilon, width))
          : lines.answer('delta', epsilon);
      const best = Math.min(upper, found?.upper ?? 0);
      return bracket(Math.min(best, found?.lower ?? -Infinity), best);
    },
    test: (omega): CertifiedTest => {
      if (omega < 0) return complementOf(mirror().test(-omega));
      const [fpr, tpr] = [lines.answer('falsePositive', omega), lines.answer('power', omega)];
      if (fpr === undefined || tpr === undefined) return { logFpr: 0, logTpr: 0 };
      return { logFpr: Math.min(0, fpr.upper), logTpr: Math.min(0, tpr.lower) };
    },
    guessEpsilon: (target) => lines.guess(target, 0),
    guessOmega: (target) => lines.guess(target, 1),
  };
}

/** What a stream has added up in one direction, as lines that are summed when they are first asked for. */
class StoredLines {
  private readonly lines: readonly Candidate[];
  private readonly summed = new Map<Candidate, Summed | undefined>();

  constructor(
    private readonly kernel: Kernel,
    private readonly state: DirectionState,
  ) {
    this.lines = linesOf(state);
  }

  /** Chernoff's bound of log δ(ε), ε ≥ 0, at the best of the stored points. */
  bound(epsilon: number): number {
    let least = 0;
    for (const [i, { s }] of AXIS.entries()) {
      const point = s > 0 ? this.pointOf(i) : undefined;
      if (point !== undefined)
        least = Math.min(
          least,
          methods().chernoffAt({ above: () => point.value + point.error }, 'delta', 1 + s, epsilon),
        );
    }
    return least;
  }

  /** The answers of the lines nearest to x, intersected until they are narrow. */
  answer(functional: Functional, x: number): Answer | undefined {
    const near = this.lines
      .map((line) => ({ line, away: distance(line, x) }))
      .filter(({ away }) => away < FARTHEST)
      .sort((a, b) => a.away - b.away);
    const pointOf = (i: number): Cumulant | undefined => this.pointOf(i);
    let found: Answer | undefined;
    let asked = 0;
    for (const { line } of near) {
      if (asked === ASKED || (found !== undefined && found.upper - found.lower <= NARROW)) break;
      const sums = this.sumsOf(line);
      if (sums === undefined) continue;
      asked++;
      const own = contourOf(this.kernel, line, sums, pointOf, { functional, x })?.answer(functional, x);
      if (own === undefined) continue;
      const { lower, upper } = found ?? own;
      found = { ...own, lower: Math.max(lower, own.lower), upper: Math.min(upper, own.upper) };
    }
    return found;
  }

  guess(target: number, kind: 0 | 1): number {
    return guess(this.lines, target, kind, (line) => this.sumsOf(line));
  }

  private pointOf(i: number): Cumulant | undefined {
    const { totals } = this.state;
    return AXIS[i].rung <= totals.lastRung ? totals.point(i) : undefined;
  }

  private sumsOf(line: Candidate): Summed | undefined {
    if (!this.summed.has(line)) this.summed.set(line, summedOf(this.state, line));
    return this.summed.get(line);
  }
}

/** The test of the exchanged pair that rejects what another accepts. */
function complementOf({ logFpr, logTpr }: CertifiedTest): CertifiedTest {
  return {
    logFpr: padLogProbability(logComplement(logTpr)).upper,
    logTpr: padLogProbability(logComplement(logFpr)).lower,
  };
}

/** One scale of a line. */
interface Candidate {
  readonly k: number;
  readonly scale: number;
  readonly saddle: Saddle;
}

/** Its nodes, and what their sums leave out. */
interface Summed {
  readonly table: LineTable;
  readonly first: number;
  readonly second: number;
}

/** What could be summed, nothing of it added up yet. */
function linesOf({ totals }: DirectionState): Candidate[] {
  return TILTS.flatMap(({ s, axis, top }, k) => {
    const lowest = totals.lowest(k);
    if (lowest > top) return [];
    const cumulant = totals.point(axis);
    const epsilon = cumulant.mean - 1 / s - 1 / (1 + s);
    const width = Math.sqrt(cumulant.variance + 1 / (s * s) + 1 / ((1 + s) * (1 + s)));
    if (!(width < Infinity)) return [];
    const saddle: Saddle = { s, epsilon, scale: width, cumulant };
    return Array.from({ length: top + 1 - lowest }, (_, i) => ({ k, scale: top - i, saddle }));
  });
}

/** Undefined if nothing is known of the nodes. */
function summedOf(state: DirectionState, { k, scale, saddle }: Candidate): Summed | undefined {
  const line = state.totals.line(k);
  const table = tableOf(state, line, k, scale, saddle.s);
  if (table === undefined) return undefined;
  const from = firstSegment(k, scale);
  const { first, second } = methods().sumsBeyond(
    TILTS[k].ends.subarray(from),
    line.segments.subarray(from),
    { log: line.tailLog, power: line.tailPower },
    table.dTau,
  );
  return { table, first: first[0], second: second[0] };
}

/** Errors larger than this leave nothing to be known. */
const HOPELESS = 0.1;

/** The nodes of one scale of a line; undefined if nothing is known of them. */
function tableOf(
  { totals, logMassP, logMassQ }: DirectionState,
  line: StreamLine,
  k: number,
  scale: number,
  s: number,
): LineTable | undefined {
  const { axis, top } = TILTS[k];
  const cumulant = totals.point(axis);
  const logModulus = new Float64Array(NODES);
  const phase = new Float64Array(NODES);
  const error = new Float64Array(NODES);
  const quadrature = new Float64Array(NODES);
  for (let j = 0; j < NODES; j++) {
    const { piece, at } = nodeOf(top, scale, j);
    const from = line.pieces[piece];
    if (!(from.error + from.quadrature < HOPELESS)) return undefined;
    const known = from.logModulus[at] > NEGLIGIBLE;
    logModulus[j] = known ? from.logModulus[at] : from.logModulus[at] + from.error + from.quadrature;
    phase[j] = from.phase[at];
    error[j] = known ? from.error : Infinity;
    quadrature[j] = known ? from.quadrature : 0;
  }
  return {
    c: 1 + s,
    dTau: dTauOf(scale),
    logModulus,
    phase,
    error,
    quadrature,
    logM: cumulant.value,
    logMError: cumulant.error,
    logMassP,
    logMassQ,
  };
}

/** How far x is from the line's saddle, in its units, and its scale from the losses' deviation, in factors of two. */
function distance({ saddle, scale }: Candidate, x: number): number {
  const deviation = Math.sqrt(saddle.cumulant.variance) / scaleOf(scale);
  const misfit = deviation > 2 ? deviation / 2 : deviation < 1 ? 1 / Math.max(deviation, 1e-3) : 1;
  return Math.abs(x - saddle.epsilon) / saddle.scale + 0.7 * (misfit - 1);
}

/** Points that bound aliases no better than one before them, after which none is looked at up to the next pole: between poles the bounds fall and then rise. */
const WORSE = 3;

/** The line as a contour, with the stored points that bound the aliases of x best; undefined if there are none. */
function contourOf(
  kernel: Kernel,
  { k, saddle }: Candidate,
  { table, ...end }: Summed,
  pointOf: (i: number) => Cumulant | undefined,
  { functional, x }: { functional: Functional; x: number },
): Contour | undefined {
  const { c, dTau } = table;
  const period = (2 * Math.PI) / dTau;
  const a = functional === 'falsePositive' ? 0 : 1;
  const nearest = (side: 1 | -1): ChernoffPoint | undefined => {
    let best: ChernoffPoint | undefined;
    let least = Infinity;
    let [worse, between] = [0, NaN];
    for (let at = ALONG.indexOf(TILTS[k].axis) + side; ALONG[at] !== undefined; at += side) {
      const { s } = AXIS[ALONG[at]];
      const poles = (s > 0 ? 1 : 0) + (s > -1 ? 1 : 0);
      if (poles !== between) [worse, between] = [0, poles];
      const known = worse < WORSE ? pointOf(ALONG[at]) : undefined;
      if (known === undefined) continue;
      const point = { c: 1 + s, logM: known.value + known.error };
      const size = bound(point, c, a, x, period);
      if (size < least) [best, least, worse] = [point, size, 0];
      else if (best !== undefined) worse++;
    }
    return best;
  };
  const above = nearest(1);
  const below = nearest(-1);
  return above && below && new (methods().Contour)(kernel, saddle, table, { period, above, below }, end);
}

function bound(point: ChernoffPoint, c: number, a: number, x: number, period: number): number {
  return point.logM - (point.c - a) * x + methods().logChernoff(point.c) - Math.abs(point.c - c) * period;
}

/** The ε (kind 0) or ω (kind 1) at which the saddle-point approximations pass `target`, between the own ones of two lines that can be summed. */
function guess(
  lines: readonly Candidate[],
  target: number,
  kind: 0 | 1,
  sumsOf: (line: Candidate) => Summed | undefined,
): number {
  const near = lines
    .map((line) => {
      const { s, epsilon, scale, cumulant } = line.saddle;
      const logDelta = cumulant.value - s * epsilon - log(s * (1 + s)) - log(SQRT_2PI * scale);
      const misfit = Math.abs(log(Math.sqrt(cumulant.variance) / scaleOf(line.scale)) - 0.35);
      return { line, epsilon, value: kind === 0 ? logDelta : logDelta - epsilon + log(s), misfit };
    })
    .filter(({ misfit }) => misfit < 1.5)
    .sort((a, b) => b.value - a.value);
  const [before, behind] = [
    near.filter(({ value }) => !(value <= target)),
    near.filter(({ value }) => value <= target),
  ];
  const known = ({ line }: { line: Candidate }): boolean => sumsOf(line) !== undefined;
  const [p, q] = [before.findLast(known), behind.find(known)];
  if (p === undefined || q === undefined) return Math.max(0, (p ?? q)?.epsilon ?? 1);
  const share = p.value === q.value ? 0 : (p.value - target) / (p.value - q.value);
  return Math.max(0, p.epsilon + share * (q.epsilon - p.epsilon));
}
