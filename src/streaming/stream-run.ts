import type { Kernel } from '../kernel/kernel.js';
import { type Answer, Contour } from '../methods/contour/line/contour.js';
import { type ChernoffPoint, logChernoff, type Saddle } from '../methods/contour/line/contour-plan.js';
import type { Functional, LineTable } from '../methods/contour/line/line-table.js';
import { sumsBeyond } from '../methods/contour/line/truncation.js';
import type { Cumulant } from '../methods/contour/step/spectral-law.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { SQRT_2PI } from '../numeric/constants.js';
import { logComplement } from '../numeric/log-arithmetic.js';
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
  /** The run is μ-GDP for this μ; ∞ where none is known. */
  readonly muCeiling: number;
}

/** One direction of a stream as a run: the answers of its nearest lines, intersected until they are narrow. For ε < 0 it knows only bounds. */
export function streamRun(kernel: Kernel, state: DirectionState): DirectedRun {
  const ceiling = state.muCeiling < Infinity ? gaussianRun(state.muCeiling) : undefined;
  const infinity = state.logMassQ < 0 ? log(-expm1(state.logMassQ)) : -Infinity;
  const lines = linesOf(state);
  const { totals } = state;
  const { lastRung } = totals;
  const pointOf = (i: number): Cumulant | undefined =>
    AXIS[i].rung <= lastRung ? totals.point(i) : undefined;
  const summed = new Map<Candidate, Summed | undefined>();
  const sumsOf = (line: Candidate): Summed | undefined => {
    if (!summed.has(line)) summed.set(line, summedOf(state, line));
    return summed.get(line);
  };
  const answer = (functional: Functional, x: number): Answer | undefined => {
    const near = lines
      .map((line) => ({ line, away: distance(line, x) }))
      .filter(({ away }) => away < FARTHEST)
      .sort((a, b) => a.away - b.away);
    let found: Answer | undefined;
    let asked = 0;
    for (const { line } of near) {
      if (asked === ASKED || (found !== undefined && found.upper - found.lower <= NARROW)) break;
      const sums = sumsOf(line);
      if (sums === undefined) continue;
      asked++;
      const own = contourOf(kernel, line, sums, pointOf, { functional, x })?.answer(functional, x);
      if (own === undefined) continue;
      const { lower, upper } = found ?? own;
      found = { ...own, lower: Math.max(lower, own.lower), upper: Math.min(upper, own.upper) };
    }
    return found;
  };
  const logInfinity =
    infinity === -Infinity
      ? bracket(infinity, infinity)
      : bracket(infinity - 1e-14, Math.min(0, infinity + 1e-14));
  return {
    direction: state.direction,
    method: 'spectral',
    logInfinity,
    logDelta: (epsilon): Bracket => {
      if (epsilon === Infinity) return logInfinity;
      const upper = ceiling?.logDelta(epsilon).upper ?? 0;
      const least = epsilon < 0 ? logComplement(epsilon) * (1 + 1e-13) - 1e-15 : -Infinity;
      const found = epsilon < 0 ? undefined : answer('delta', epsilon);
      const best = Math.min(0, upper, found?.upper ?? 0);
      return bracket(Math.min(best, Math.max(least, found?.lower ?? -Infinity)), best);
    },
    test: (omega): CertifiedTest => {
      const fpr = omega < 0 ? undefined : answer('falsePositive', omega);
      const tpr = omega < 0 ? undefined : answer('power', omega);
      if (fpr === undefined || tpr === undefined) return { logFpr: 0, logTpr: 0 };
      return { logFpr: Math.min(0, fpr.upper), logTpr: Math.min(0, tpr.lower) };
    },
    guessEpsilon: (target) => guess(lines, target, 0, sumsOf),
    guessOmega: (target) => guess(lines, target, 1, sumsOf),
  };
}

/** One scale of a line. */
interface Candidate {
  readonly k: number;
  readonly scale: number;
  readonly saddle: Saddle;
}

/** Its nodes, and what their sums leave out: `Contour`'s cutFirst and cutSecond. */
interface Summed {
  readonly table: LineTable;
  readonly cutFirst: number;
  readonly cutSecond: number;
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
  const { first, second } = sumsBeyond(
    TILTS[k].ends.subarray(from),
    line.segments.subarray(from),
    { log: line.tailLog, power: line.tailPower },
    table.dTau,
  );
  return { table, cutFirst: first[0], cutSecond: second[0] };
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
  { table, cutFirst, cutSecond }: Summed,
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
  return above && below && new Contour(kernel, saddle, table, { period, above, below }, cutFirst, cutSecond);
}

function bound(point: ChernoffPoint, c: number, a: number, x: number, period: number): number {
  return point.logM - (point.c - a) * x + logChernoff(point.c) - Math.abs(point.c - c) * period;
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
