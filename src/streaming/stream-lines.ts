import type { Kernel } from '../kernel/kernel.js';
import type { Cumulant, SpectralLaw } from '../methods/contour/step/spectral-law.js';
import { U } from '../numeric/constants.js';
import { log } from '../numeric/scalar.js';

/**
 * The fixed lines on which a stream keeps log M: Re z = 1 + s for the tilts s of a ladder. For each scale w of another ladder
 * (a composed loss of deviation w to 2w) a line has 96 nodes as far apart, and reaching as far, as losses that wide need,
 * if s is within what such losses are asked for: DEPTHS over w. Spacings double from scale to scale, so half of the
 * nodes of each are nodes of the next larger scale too and kept there.
 */
const TILT_COUNT = 19;
const SMALLEST_TILT = 1 / 16;
const TILT_RATIO = 1.6;
/** Points of the real axis reach this many rungs beyond the lines, to bound aliases from. */
export const RUNGS_BEYOND = 3;
const BETWEEN = 1.25;
const SCALES = 9;
const SMALLEST_SCALE = 1 / 32;
/** s·w, the depth of the tail in deviations. */
const SHALLOWEST = 0.5;
const DEEPEST = 11;
export const NODES = 96;
const OWN_NODES = 48;
/** Period of the trapezoidal sums over the scale. */
const PERIOD = 30;
/** Losses wider than this many scales are left to the scales above. */
const TOO_WIDE = 5;
/** Segments beyond the last node on which |φ| is bounded: three an octave while it falls steeply, then octaves. */
const SHORT_OCTAVES = 4;
const LONG_OCTAVES = 28;
const THIRDS = [1, 1.2599210498948732, 1.5874010519681994] as const;
/** Nodes below e^{this} are not summed but bounded; their phases need not be known. */
export const NEGLIGIBLE = -80;

export function scaleOf(index: number): number {
  return SMALLEST_SCALE * 2 ** index;
}

export function dTauOf(scale: number): number {
  return (2 * Math.PI) / (PERIOD * scaleOf(scale));
}

/** Tilts of the lines, and of the points beyond them. */
const LADDER: readonly number[] = Array.from({ length: TILT_COUNT + RUNGS_BEYOND }).reduce<number[]>(
  (tilts) => [...tilts, tilts.length === 0 ? SMALLEST_TILT : TILT_RATIO * tilts[tilts.length - 1]],
  [],
);
/** Points c − 1 of the real axis: every other tilt on the far side of 0, then all and one between any two. `rung`: the tilt each goes with. */
export const AXIS: readonly { readonly s: number; readonly rung: number }[] = [
  ...LADDER.map((s, rung) => ({ s: -s, rung })).filter(({ rung }) => rung % 2 === 0),
  ...LADDER.flatMap((s, rung) => [
    { s, rung },
    { s: BETWEEN * s, rung },
  ]),
];

/** Their numbers, by their tilts. */
export const ALONG: readonly number[] = AXIS.map((_, i) => i).sort((a, b) => AXIS[a].s - AXIS[b].s);

/** The scales of each line, and its place on the axis. */
export const TILTS: readonly {
  readonly s: number;
  readonly axis: number;
  readonly lowest: number;
  readonly top: number;
  /** Ends of the segments on which |φ| is bounded, from the last node of the largest scale on. */
  readonly ends: Float64Array;
}[] = LADDER.slice(0, TILT_COUNT).map((s) => {
  const scales = Array.from({ length: SCALES }, (_, i) => i).filter(
    (i) => s * scaleOf(i) >= SHALLOWEST && s * scaleOf(i) <= DEEPEST,
  );
  const [lowest, top] = [scales[0], scales[scales.length - 1]];
  const axis = AXIS.findIndex((point) => point.s === s);
  return { s, axis, lowest, top, ends: segmentEnds(lowest, top) };
});

function segmentEnds(lowest: number, top: number): Float64Array {
  const end = NODES * dTauOf(top);
  const shorts = 3 * (top - lowest + SHORT_OCTAVES);
  return Float64Array.from({ length: shorts + LONG_OCTAVES + 1 }, (_, j) => {
    const octave = j < shorts ? Math.floor(j / 3) : j - shorts + shorts / 3;
    return end * 2 ** octave * (j < shorts ? THIRDS[j % 3] : 1);
  });
}

/** The nodes that one scale of a line does not share with the next larger: τ = k·dTau, k = 48 … 95, or 0 … 95 of the largest. Every field adds when runs are composed. */
interface Piece {
  readonly logModulus: Float64Array;
  readonly phase: Float64Array;
  /** Error bounds of the two, over all nodes: rounding (∞ where a step could not be added) and quadrature. */
  error: number;
  quadrature: number;
}

/** What a stream has added up on one line. */
export interface StreamLine {
  /** The smallest scale still kept: the losses are too wide for those below. */
  lowest: number;
  /** Of the scales from the largest down to the smallest kept. */
  readonly pieces: Piece[];
  /** log|φ| on the segments, and beyond the last: log|φ(τ)| ≤ tailLog − tailPower·log(τ/from). */
  readonly segments: Float64Array;
  tailLog: number;
  tailPower: number;
}

/** What a stream has added up of one direction. */
export interface StreamSums {
  /** log M on the real axis. */
  readonly axis: Cumulant[];
  readonly lines: StreamLine[];
}

export function emptySums(): StreamSums {
  return {
    axis: AXIS.map(() => ({ value: 0, error: 0, mean: 0, variance: 0 })),
    lines: TILTS.map(({ lowest, top, ends }) =>
      emptyLine(
        lowest,
        ends.length - 1,
        Array.from({ length: top - lowest + 1 }, (_, i) => emptyPiece(i === 0)),
      ),
    ),
  };
}

function emptyLine(lowest: number, segments: number, pieces: Piece[]): StreamLine {
  return { lowest, pieces, segments: new Float64Array(segments), tailLog: 0, tailPower: 0 };
}

function emptyPiece(largest: boolean): Piece {
  const n = largest ? NODES : OWN_NODES;
  return { logModulus: new Float64Array(n), phase: new Float64Array(n), error: 0, quadrature: 0 };
}

/** The first segment beyond the nodes of a scale. */
export function firstSegment(k: number, scale: number): number {
  return 3 * (TILTS[k].top - scale);
}

/** Node j < 96 of a scale of a line: its piece, and its place there. */
export function nodeOf(top: number, scale: number, j: number): { piece: number; at: number } {
  let at = j;
  let of = scale;
  for (; at < OWN_NODES && of < top; of++) at *= 2;
  return { piece: top - of, at: of === top ? at : at - OWN_NODES };
}

/**
 * What `count` steps of a law add to a stream, worked out where it is asked for and kept. At each point and on each line it is a
 * function of the law and the count alone. So a step adds the same bits whenever that is, and to whatever state.
 */
export class Contribution {
  private readonly points: Cumulant[] = [];
  private readonly lines: StreamLine[] = [];

  /** @param law The law, made again where it was forgotten. */
  constructor(
    private readonly kernel: Kernel,
    private readonly law: () => SpectralLaw,
    private readonly count: number,
  ) {}

  /** At a point of the real axis. */
  axis(i: number): Cumulant {
    this.points[i] ??= known(this.law().cumulant(1 + AXIS[i].s, this.count));
    return this.points[i];
  }

  /** On a line: the scales from the largest down to `lowest`, and maybe more. */
  line(k: number, lowest: number): StreamLine {
    const { kernel, count } = this;
    const { s, top, axis, ends } = TILTS[k];
    let line = this.lines[k];
    if (line === undefined) {
      line = emptyLine(top + 1, ends.length - 1, []);
      addDecay(kernel, line, k, this.law().decay(1 + s), count, this.axis(axis).variance / count);
      this.lines[k] = line;
    }
    for (; line.lowest > lowest; line.lowest--) {
      const scale = line.lowest - 1;
      const piece = emptyPiece(scale === top);
      const n = piece.phase.length;
      addPiece(piece, this.law().line(kernel, { c: 1 + s, dTau: dTauOf(scale), n, first: NODES - n }, count));
      line.pieces.push(piece);
    }
    return line;
  }
}

/** A cumulant with ∞ for what is not known, so that sums are never NaN and lines of infinite variance are given up. */
function known({ value, error, mean, variance }: Cumulant): Cumulant {
  const tilted = Number.isFinite(mean) && variance < Infinity;
  const certain = Number.isFinite(value) && error < Infinity;
  return {
    value: certain ? value : 0,
    error: certain ? error : Infinity,
    mean: tilted ? mean : 0,
    variance: tilted ? variance : Infinity,
  };
}

/** Gives up the scales of line k for which losses are too wide under its own tilt; never the largest. */
export function giveUpWide({ axis, lines }: StreamSums, k: number): void {
  const { variance } = axis[TILTS[k].axis];
  let least = lines[k].lowest;
  while (least < SCALES - 1 && !(variance < (TOO_WIDE * scaleOf(least)) ** 2)) least++;
  raise(lines[k], k, least);
}

/** Gives up the scales below `lowest`. */
function raise(line: StreamLine, k: number, lowest: number): void {
  const { top } = TILTS[k];
  if (lowest <= line.lowest || line.lowest > top) return;
  line.lowest = Math.min(lowest, top + 1);
  line.pieces.length = top + 1 - line.lowest;
  if (line.pieces.length > 0) return;
  line.segments.fill(0);
  line.tailLog = 0;
  line.tailPower = 0;
}

/** What is added, its errors one for all nodes or one each; undefined if nothing is known of a step there. */
type Added = {
  readonly [field in keyof Piece]: field extends 'error' | 'quadrature'
    ? Float64Array | number
    : Float64Array;
};

function addPiece(piece: Piece, added: Added | undefined): void {
  if (added === undefined) {
    piece.error = Infinity;
    return;
  }
  const { logModulus, phase } = piece;
  const of = (errors: Float64Array | number, k: number): number =>
    typeof errors === 'number' ? errors : errors[k];
  let error = 0;
  let quadrature = 0;
  for (let k = 0; k < logModulus.length; k++) {
    logModulus[k] += added.logModulus[k];
    phase[k] += added.phase[k];
    if (!(logModulus[k] > NEGLIGIBLE)) continue;
    error = Math.max(error, of(added.error, k) + U * (Math.abs(logModulus[k]) + Math.abs(phase[k])));
    quadrature = Math.max(quadrature, of(added.quadrature, k));
  }
  piece.error += error;
  piece.quadrature += quadrature;
}

/** Samples of |φ| of a single step, in deviations of its loss: few for a step added many times, more for one of a few. */
const FEW = { step: 0.5, n: 20 } as const;
const MANY = { step: 0.2, n: 128 } as const;
/** Steps added at once from which samples are many. Only speed and tightness hang on it. */
const MANY_STEPS = 40;

/**
 * Bounds of log|φ| beyond the last node. Near by from samples: |φ(τ)|² = E cos τ(y − y′) has a second derivative of
 * at most E(y − y′)², twice the variance of the tilted loss (known far better than the tenth it is raised by),
 * so between samples h apart it exceeds the larger by at most h²·variance/4. Everywhere from the law's own bounds.
 */
function addDecay(
  kernel: Kernel,
  line: StreamLine,
  k: number,
  decay: ReturnType<SpectralLaw['decay']>,
  count: number,
  variance: number,
): void {
  const { ends } = TILTS[k];
  const { step, n } = count < MANY_STEPS ? MANY : FEW;
  const spacing = step / (1.1 * Math.sqrt(variance));
  const samples = ends[0] < n * spacing ? decay.samples?.(spacing, n) : undefined;
  const between = (step * step) / 4;
  const bounds = decay.bounds(kernel, ends, -Infinity);
  const { segments } = line;
  for (let i = 0; i < segments.length; i++) {
    let bound = 0;
    const first = Math.floor(ends[i] / spacing);
    const last = Math.ceil(ends[i + 1] / spacing);
    if (samples !== undefined && last < n) {
      let top = 0;
      for (let j = first; j <= last; j++) top = Math.max(top, samples[j] * samples[j]);
      bound = Math.min(0, 0.5 * log(top + between) + 1e-14);
    }
    // near 1 samples cannot tell what the spread of the loss does
    if (bound > -0.1) bound = Math.min(bound, bounds[i]);
    segments[i] += count * bound;
  }
  const far = decay.beyond(ends[segments.length]);
  line.tailLog += count * far.log;
  line.tailPower += count * far.power;
}

/** Adds what another stream, or a step, has at a point of the real axis. */
export function addPoint({ axis }: StreamSums, i: number, other: Cumulant): void {
  const { value, error, mean, variance } = axis[i];
  const sum = value + other.value;
  axis[i] = {
    value: sum,
    error: error + other.error + U * Math.abs(sum),
    mean: mean + other.mean,
    variance: variance + other.variance,
  };
}

/** Adds what another stream, or a step, has on line k. */
export function addLine(into: StreamSums, k: number, other: StreamLine): void {
  const line = into.lines[k];
  raise(line, k, other.lowest);
  if (line.lowest > TILTS[k].top) return;
  for (const [i, piece] of line.pieces.entries()) addPiece(piece, other.pieces[i]);
  for (let j = 0; j < line.segments.length; j++) line.segments[j] += other.segments[j];
  line.tailLog += other.tailLog;
  line.tailPower += other.tailPower;
}

/** Clears the points of the real axis that are no longer added to, so that a state does not tell how it was added up. */
export function forget(sums: StreamSums): void {
  const last = sums.lines.findLastIndex(({ lowest }, k) => lowest <= TILTS[k].top) + RUNGS_BEYOND;
  AXIS.forEach(({ rung }, i) => {
    if (rung > last) sums.axis[i] = { value: 0, error: 0, mean: 0, variance: 0 };
  });
}
