import { type Bracket, bracket } from '../bracket.js';
import { gaussianRun } from '../law/closed-form.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { exp, expm1, log, log1p } from '../scalar.js';
import { type Answer, Contour } from '../spectral/contour.js';
import { type ChernoffPoint, logChernoff, type Saddle, sumsBeyond } from '../spectral/contour-plan.js';
import type { Functional, LineTable } from '../spectral/line-table.js';
import {
  AXIS,
  chernoffPoints,
  DEPTHS,
  dTauOf,
  NEGLIGIBLE,
  NODES,
  type ScaleState,
  type StreamLine,
  segmentEnds,
} from './stream-lines.js';

/** Lines asked for one answer: the nearest ones, of whatever scale. */
const ASKED = 12;
/** A line is no use further than this many of its own units from its saddle. */
const FARTHEST = 8;

/** What a stream knows of one direction. */
export interface DirectionState {
  readonly direction: 'remove' | 'add';
  readonly scales: readonly ScaleState[];
  /** log of the P- and Q-mass of finite losses. */
  readonly logMassP: number;
  readonly logMassQ: number;
  /** The run is μ-GDP for this μ; ∞ where none is known. */
  readonly muCeiling: number;
}

/** One direction of a stream as a run: the answers of its nearest lines, intersected. For ε < 0 it knows only bounds. */
export function streamRun(state: DirectionState): DirectedRun {
  const ceiling = state.muCeiling < Infinity ? gaussianRun(state.muCeiling) : undefined;
  const infinity = state.logMassQ < 0 ? log(-expm1(state.logMassQ)) : -Infinity;
  const lines = state.scales.flatMap(linesOf);
  const answer = (functional: Functional, x: number): Answer | undefined => {
    const near = lines
      .map((line) => ({ line, away: distance(line, x) }))
      .filter(({ away }) => away < FARTHEST)
      .sort((a, b) => a.away - b.away)
      .slice(0, ASKED)
      .map(({ line }) => contourOf(line, state, functional, x).answer(functional, x));
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
      const least = epsilon < 0 ? log1p(-exp(epsilon)) * (1 + 1e-13) - 1e-15 : -Infinity;
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

interface Candidate {
  readonly state: ScaleState;
  readonly line: StreamLine;
  readonly depth: number;
  readonly saddle: Saddle;
}

function linesOf(state: ScaleState): Candidate[] {
  if (!state.alive) return [];
  return DEPTHS.flatMap((depth, i) => {
    const line = state.lines[i];
    const cumulant = state.axis[AXIS.indexOf(depth)];
    const s = depth / state.scale;
    const epsilon = cumulant.mean - 1 / s - 1 / (1 + s);
    const scale = Math.sqrt(cumulant.variance + 1 / (s * s) + 1 / ((1 + s) * (1 + s)));
    if (!(line.error + line.quadrature < 0.1 && scale < Infinity)) return [];
    return [{ state, line, depth, saddle: { s, epsilon, scale, cumulant } }];
  });
}

/** How far x is from the line's saddle, in its units, and its scale from the losses' deviation, in factors of two. */
function distance({ saddle, state }: Candidate, x: number): number {
  const deviation = Math.sqrt(saddle.cumulant.variance) / state.scale;
  const misfit = deviation > 2 ? deviation / 2 : deviation < 1 ? 1 / Math.max(deviation, 1e-3) : 1;
  return Math.abs(x - saddle.epsilon) / saddle.scale + 0.7 * (misfit - 1);
}

/** The line as a contour, with the stored points that bound the aliases of x best. */
function contourOf(
  candidate: Candidate,
  direction: DirectionState,
  functional: Functional,
  x: number,
): Contour {
  const { state, line, depth, saddle } = candidate;
  const c = 1 + saddle.s;
  const dTau = dTauOf(state.scale);
  const known = line.logModulus.map((value) => (value > NEGLIGIBLE ? 1 : 0));
  const own = line.error + line.quadrature;
  const table: LineTable = {
    c,
    dTau,
    logModulus: line.logModulus.map((value, k) => (known[k] ? value : value + own)),
    phase: line.phase,
    error: known.map((yes) => (yes ? line.error : Infinity)),
    quadrature: known.map((yes) => (yes ? line.quadrature : 0)),
    logM: saddle.cumulant.value,
    logMError: saddle.cumulant.error,
    logMassP: direction.logMassP,
    logMassQ: direction.logMassQ,
  };
  const from = segmentEnds(NODES * dTau);
  const { first, second } = sumsBeyond(
    from,
    line.segments,
    { log: line.tailLog, power: line.tailPower },
    dTau,
  );
  const period = (2 * 3.141592653589793) / dTau;
  const a = functional === 'falsePositive' ? 0 : 1;
  const nearest = (side: 1 | -1): ChernoffPoint =>
    chernoffPoints(state, depth, side).reduce((best, point) =>
      bound(point, c, a, x, period) < bound(best, c, a, x, period) ? point : best,
    );
  const spacing = { period, above: nearest(1), below: nearest(-1) };
  return new Contour(saddle, 0, table, spacing, first[0], second[0]);
}

function bound(point: ChernoffPoint, c: number, a: number, x: number, period: number): number {
  return point.logM - (point.c - a) * x + logChernoff(point.c) - Math.abs(point.c - c) * period;
}

/** The ε (kind 0) or ω (kind 1) at which the saddle-point approximations pass `target`, between the lines' own. */
function guess(lines: readonly Candidate[], target: number, kind: 0 | 1): number {
  const known = lines
    .map(({ saddle, state }) => {
      const { s, epsilon, scale, cumulant } = saddle;
      const logDelta = cumulant.value - s * epsilon - log(s * (1 + s)) - log(2.5066282746310002 * scale);
      const misfit = Math.abs(log(Math.sqrt(cumulant.variance) / state.scale) - 0.35);
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
