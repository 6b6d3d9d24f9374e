import type { Kernel } from '../kernel.js';
import { log } from '../scalar.js';
import type { ChernoffPoint } from '../spectral/contour-plan.js';
import type { SpectralLaw } from '../spectral/spectral-law.js';

/**
 * The fixed lines on which a stream keeps log M. For each scale w of a ladder (the deviation of the composed loss
 * that it serves, w to 2w) there are lines Re z = 1 + t/w for a few t, the depths of the tail in deviations;
 * their nodes are as far apart, and reach as far, as losses that wide need.
 */
export const SCALES = 9;
const SMALLEST_SCALE = 1 / 32;
export const DEPTHS = [1, 2.5, 4.5, 7, 10, 14, 19] as const;
/** Points of the real axis per scale, in the same units: those of the lines, and more to bound aliases from. */
export const AXIS = [-8, -4, -1.5, 1, 2.5, 4.5, 7, 10, 14, 19, 25] as const;
export const NODES = 112;
/** Period of the trapezoidal sums over the scale. */
const PERIOD = 30;
/** Segments beyond the last node on which |φ| is bounded: short ones while it falls steeply, then octaves. */
const SHORT_SEGMENTS = 12;
export const SEGMENTS = 40;

const PI = 3.141592653589793;
const U = 2 ** -53;

export function scaleOf(index: number): number {
  return SMALLEST_SCALE * 2 ** index;
}

export function dTauOf(scale: number): number {
  return (2 * PI) / (PERIOD * scale);
}

/** Ends of the segments beyond the frequency `end`. */
export function segmentEnds(end: number): Float64Array {
  const ends = new Float64Array(SEGMENTS + 1);
  ends[0] = end;
  for (let i = 0; i < SEGMENTS; i++) ends[i + 1] = ends[i] * (i < SHORT_SEGMENTS ? 1.25 : 2);
  return ends;
}

/** What a stream has added up on one line; every field adds when runs are composed. */
export interface StreamLine {
  readonly logModulus: Float64Array;
  readonly phase: Float64Array;
  /** Error bounds of the two, over all nodes: rounding and quadrature. ∞ once a step could not be added. */
  error: number;
  quadrature: number;
  /** log|φ| on the segments, and beyond the last: log|φ(τ)| ≤ tailLog − tailPower·log(τ/from). */
  readonly segments: Float64Array;
  tailLog: number;
  tailPower: number;
}

/** log M on the real axis: value, error, and the tilted mean and variance (guides). */
export interface AxisPoint {
  value: number;
  error: number;
  mean: number;
  variance: number;
}

/** The state of one direction at one scale. */
export interface ScaleState {
  readonly scale: number;
  readonly axis: AxisPoint[];
  readonly lines: StreamLine[];
  /** False once the losses are too wide for the scale: its lines are no longer kept. */
  alive: boolean;
}

export function emptyScale(index: number): ScaleState {
  return {
    scale: scaleOf(index),
    axis: AXIS.map(() => ({ value: 0, error: 0, mean: 0, variance: 0 })),
    lines: DEPTHS.map(() => ({
      logModulus: new Float64Array(NODES),
      phase: new Float64Array(NODES),
      error: 0,
      quadrature: 0,
      segments: new Float64Array(SEGMENTS),
      tailLog: 0,
      tailPower: 0,
    })),
    alive: true,
  };
}

/** Losses wider than this many scales are left to the scales above. */
const TOO_WIDE = 5;

/** Adds `count` steps of `law`. The largest scale is never given up. */
export function addStep(
  kernel: Kernel,
  state: ScaleState,
  law: SpectralLaw,
  count: number,
  last: boolean,
): void {
  if (!state.alive) return;
  const { scale, axis, lines } = state;
  AXIS.forEach((t, i) => {
    const { value, error, mean, variance } = law.cumulant(1 + t / scale, count);
    const point = axis[i];
    point.value += value;
    point.error += error + U * Math.abs(point.value);
    point.mean += mean;
    point.variance += variance;
  });
  if (!last && isTooWide(state)) {
    state.alive = false;
    return;
  }
  const dTau = dTauOf(scale);
  DEPTHS.forEach((t, i) => {
    const line = lines[i];
    // losses this wide under the line's own tilt wrap around its period
    if (axis[AXIS.indexOf(t)].variance > (TOO_WIDE * scale) ** 2) line.error = Infinity;
    if (line.error === Infinity) return;
    const c = 1 + t / scale;
    const added = law.line(kernel, c, dTau, NODES, count);
    if (added === undefined) {
      line.error = Infinity;
      return;
    }
    let error = 0;
    let quadrature = 0;
    for (let k = 0; k < NODES; k++) {
      line.logModulus[k] += added.logModulus[k];
      line.phase[k] += added.phase[k];
      const rounding = U * (Math.abs(line.logModulus[k]) + Math.abs(line.phase[k]));
      if (line.logModulus[k] > NEGLIGIBLE) error = Math.max(error, added.error[k] + rounding);
      quadrature = Math.max(quadrature, line.logModulus[k] > NEGLIGIBLE ? added.quadrature[k] : 0);
    }
    line.error += error;
    line.quadrature += quadrature;
    addDecay(line, law, c, count, NODES * dTau);
  });
}

/** Nodes below e^{this} are not summed but bounded; their phases need not be known. */
export const NEGLIGIBLE = -80;

/** The spread at the first line tells: further out it is no smaller for the losses in use. */
export function isTooWide({ axis, scale }: ScaleState): boolean {
  return !(axis[AXIS.indexOf(1)].variance < (TOO_WIDE * scale) ** 2);
}

/** Samples of |φ| of a single step, this many deviations of its loss apart, from which it is bounded in between. */
const SAMPLES = 128;
const SAMPLE_STEP = 0.2;

/**
 * Bounds of log|φ| beyond the last node. Near by from samples: |φ(τ)|² = E cos τ(y − y′) has a second derivative of
 * at most E(y − y′)², twice the variance of the tilted loss (known far better than the tenth it is raised by),
 * so between samples h apart it exceeds the larger by at most h²·variance/4. Everywhere from the law's own bounds.
 */
function addDecay(line: StreamLine, law: SpectralLaw, c: number, count: number, end: number): void {
  const decay = law.decay(c);
  const ends = segmentEnds(end);
  const deviation = 1.1 * Math.sqrt(law.cumulant(c, 1).variance);
  const step = SAMPLE_STEP / deviation;
  const samples = ends[0] < SAMPLES * step ? decay.samples?.(step, SAMPLES) : undefined;
  const between = SAMPLE_STEP ** 2 / 4;
  for (let i = 0; i < SEGMENTS; i++) {
    let bound = 0;
    const first = Math.floor(ends[i] / step);
    const last = Math.ceil(ends[i + 1] / step);
    if (samples !== undefined && last < SAMPLES) {
      let top = 0;
      for (let k = first; k <= last; k++) top = Math.max(top, samples[k] * samples[k]);
      bound = Math.min(0, 0.5 * log(top + between) + 1e-14);
    }
    // near 1 samples cannot tell what the spread of the loss does
    if (bound > -0.1) bound = Math.min(bound, decay.within(ends[i], ends[i + 1]));
    line.segments[i] += count * bound;
  }
  const far = decay.beyond(ends[SEGMENTS]);
  line.tailLog += count * far.log;
  line.tailPower += count * far.power;
}

/** Adds what another stream has on the same scale. */
export function mergeScale(into: ScaleState, from: ScaleState): void {
  if (!(into.alive && from.alive)) {
    into.alive = false;
    return;
  }
  into.axis.forEach((point, i) => {
    const other = from.axis[i];
    point.value += other.value;
    point.error += other.error + U * Math.abs(point.value);
    point.mean += other.mean;
    point.variance += other.variance;
  });
  into.lines.forEach((line, i) => {
    const other = from.lines[i];
    let rounding = 0;
    for (let k = 0; k < NODES; k++) {
      line.logModulus[k] += other.logModulus[k];
      line.phase[k] += other.phase[k];
      if (line.logModulus[k] > NEGLIGIBLE) {
        rounding = Math.max(rounding, Math.abs(line.logModulus[k]) + Math.abs(line.phase[k]));
      }
    }
    line.error += other.error + U * rounding;
    line.quadrature += other.quadrature;
    for (let k = 0; k < SEGMENTS; k++) line.segments[k] += other.segments[k];
    line.tailLog += other.tailLog;
    line.tailPower += other.tailPower;
  });
}

/** Stored points of the axis on one side of a line, as Chernoff points. */
export function chernoffPoints({ axis, scale }: ScaleState, depth: number, side: 1 | -1): ChernoffPoint[] {
  const points: ChernoffPoint[] = [];
  AXIS.forEach((t, i) => {
    if (side > 0 ? t <= depth : t >= depth) return;
    points.push({ c: 1 + t / scale, logM: axis[i].value + axis[i].error });
  });
  return points;
}
