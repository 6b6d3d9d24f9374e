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
  AXIS,
  dTauOf,
  firstSegment,
  lastRung,
  NEGLIGIBLE,
  NODES,
  nodeOf,
  type StreamSums,
  scaleOf,
  TILTS,
} from './stream-lines.js';

/** Lines asked for one answer: the nearest ones, of whatever scale. */
const ASKED = 12;
/** A line is no use further than this many of its own units from its saddle. */
const FARTHEST = 8;

/** What a stream knows of one direction. */
interface DirectionState {
  readonly direction: 'remove' | 'add';
  readonly sums: StreamSums;
  /** log of the P- and Q-mass of finite losses. */
  readonly logMassP: number;
  readonly logMassQ: number;
  /** The run is μ-GDP for this μ; ∞ where none is known. */
  readonly muCeiling: number;
}

/** One direction of a stream as a run: the answers of its nearest lines, intersected. For ε < 0 it knows only bounds. */
export function streamRun(kernel: Kernel, state: DirectionState): DirectedRun {
  const ceiling = state.muCeiling < Infinity ? gaussianRun(state.muCeiling) : undefined;
  const infinity = state.logMassQ < 0 ? log(-expm1(state.logMassQ)) : -Infinity;
  const lines = linesOf(state);
  const points = pointsOf(state.sums);
  const answer = (functional: Functional, x: number): Answer | undefined => {
    const near = lines
      .map((line) => ({ line, away: distance(line, x) }))
      .filter(({ away }) => away < FARTHEST)
      .sort((a, b) => a.away - b.away)
      .slice(0, ASKED)
      .flatMap(({ line }) => contourOf(kernel, line, points, functional, x)?.answer(functional, x) ?? []);
    return near.reduce<Answer | undefined>(
      (a, b) =>
        a === undefined ? b : { ...b, lower: Math.max(a.lower, b.lower), upper: Math.min(a.upper, b.upper) },
      undefined,
    );
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
    guessEpsilon: (target) => guess(lines, target, 0),
    guessOmega: (target) => guess(lines, target, 1),
  };
}

/** One scale of a line, ready to be summed. */
interface Candidate {
  readonly k: number;
  readonly scale: number;
  readonly saddle: Saddle;
  readonly table: LineTable;
  /** What its sums leave out: `Contour`'s cutFirst and cutSecond. */
  readonly cutFirst: number;
  readonly cutSecond: number;
}

function linesOf(state: DirectionState): Candidate[] {
  const { sums } = state;
  return TILTS.flatMap(({ s, axis, top, ends }, k) => {
    const line = sums.lines[k];
    const cumulant = sums.axis[axis];
    const epsilon = cumulant.mean - 1 / s - 1 / (1 + s);
    const width = Math.sqrt(cumulant.variance + 1 / (s * s) + 1 / ((1 + s) * (1 + s)));
    if (!(width < Infinity)) return [];
    const saddle: Saddle = { s, epsilon, scale: width, cumulant };
    const far = { log: line.tailLog, power: line.tailPower };
    return line.pieces.flatMap((_, i): Candidate[] => {
      const scale = top - i;
      const table = tableOf(state, k, scale, cumulant);
      if (table === undefined) return [];
      const from = firstSegment(k, scale);
      const { first, second } = sumsBeyond(
        ends.subarray(from),
        line.segments.subarray(from),
        far,
        table.dTau,
      );
      return [{ k, scale, saddle, table, cutFirst: first[0], cutSecond: second[0] }];
    });
  });
}

/** Errors larger than this leave nothing to be known. */
const HOPELESS = 0.1;

/** The nodes of one scale of a line; undefined if nothing is known of them. */
function tableOf(
  { sums, logMassP, logMassQ }: DirectionState,
  k: number,
  scale: number,
  cumulant: Cumulant,
): LineTable | undefined {
  const { s, top } = TILTS[k];
  const logModulus = new Float64Array(NODES);
  const phase = new Float64Array(NODES);
  const error = new Float64Array(NODES);
  const quadrature = new Float64Array(NODES);
  for (let j = 0; j < NODES; j++) {
    const { piece, at } = nodeOf(top, scale, j);
    const from = sums.lines[k].pieces[piece];
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

/** What is known of log M on the real axis. */
function pointsOf(sums: StreamSums): ChernoffPoint[] {
  const last = lastRung(sums);
  return AXIS.flatMap(({ s, rung }, i) =>
    rung <= last ? [{ c: 1 + s, logM: sums.axis[i].value + sums.axis[i].error }] : [],
  );
}

/** The line as a contour, with the stored points that bound the aliases of x best; undefined if there are none. */
function contourOf(
  kernel: Kernel,
  { saddle, table, cutFirst, cutSecond }: Candidate,
  points: readonly ChernoffPoint[],
  functional: Functional,
  x: number,
): Contour | undefined {
  const { c, dTau } = table;
  const period = (2 * Math.PI) / dTau;
  const a = functional === 'falsePositive' ? 0 : 1;
  const nearest = (side: 1 | -1): ChernoffPoint | undefined => {
    let best: ChernoffPoint | undefined;
    let least = Infinity;
    for (const point of points) {
      if ((point.c - c) * side <= 0) continue;
      const size = bound(point, c, a, x, period);
      if (size < least) [best, least] = [point, size];
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

/** The ε (kind 0) or ω (kind 1) at which the saddle-point approximations pass `target`, between the lines' own. */
function guess(lines: readonly Candidate[], target: number, kind: 0 | 1): number {
  const known = lines
    .map(({ saddle, scale: index }) => {
      const { s, epsilon, scale, cumulant } = saddle;
      const logDelta = cumulant.value - s * epsilon - log(s * (1 + s)) - log(SQRT_2PI * scale);
      const misfit = Math.abs(log(Math.sqrt(cumulant.variance) / scaleOf(index)) - 0.35);
      return { epsilon, value: kind === 0 ? logDelta : logDelta - epsilon + log(s), misfit };
    })
    .filter(({ misfit }) => misfit < 1.5)
    .sort((a, b) => b.value - a.value);
  if (known.length === 0) return 1;
  const below = known.findIndex(({ value }) => value <= target);
  if (below < 0) return Math.max(0, known[known.length - 1].epsilon);
  if (below === 0) return Math.max(0, known[0].epsilon);
  const [p, q] = [known[below - 1], known[below]];
  const share = p.value === q.value ? 0 : (p.value - target) / (p.value - q.value);
  return Math.max(0, p.epsilon + share * (q.epsilon - p.epsilon));
}
