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

/** Tilts of the lines, and three more to bound aliases from. */
const LADDER: readonly number[] = Array.from({ length: TILT_COUNT + 3 }).reduce<number[]>(
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
  /** Error bounds of the two, over all nodes: rounding and quadrature. */
  error: number;
  quadrature: number;
}

/** What a stream has added up on one line. */
export interface StreamLine {
  /** The smallest scale still kept: the losses are too wide for those below, or a step could not be added. */
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
    lines: TILTS.map(({ lowest, top, ends }) => ({
      lowest,
      pieces: Array.from({ length: top - lowest + 1 }, (_, i) => {
        const n = i === 0 ? NODES : OWN_NODES;
        return { logModulus: new Float64Array(n), phase: new Float64Array(n), error: 0, quadrature: 0 };
      }),
      segments: new Float64Array(ends.length - 1),
      tailLog: 0,
      tailPower: 0,
    })),
  };
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

/** The highest rung whose axis points are still added to: those near the lines that are. */
export function lastRung(sums: StreamSums): number {
  return highestLine(sums) + 3;
}

function highestLine({ lines }: StreamSums): number {
  return lines.findLastIndex(({ lowest }, k) => lowest <= TILTS[k].top);
}

/**
 * What `count` steps of `law` add to `sums`, on the lines kept there. On each line it is a function of the two alone, so
 * a step adds the same bits whether it is remembered, worked out again, or added to a state that was read back.
 */
export function contributionOf(
  kernel: Kernel,
  sums: StreamSums,
  law: SpectralLaw,
  count: number,
): StreamSums {
  const made = emptySums();
  const { axis, lines } = made;
  lines.forEach((line, k) => {
    raise(line, k, sums.lines[k].lowest);
  });
  const last = lastRung(sums);
  // from the far end: what a mesh of outputs has to cover is known at once
  for (let i = AXIS.length - 1; i >= 0; i--) {
    const { s, rung } = AXIS[i];
    if (rung <= last) axis[i] = known(law.cumulant(1 + s, count));
  }
  const variance = (at: number): number => sums.axis[at].variance + axis[at].variance;
  giveUpWide(lines, variance);
  // scale by scale: lines of one scale share their mesh of outputs
  for (let scale = SCALES - 1; scale >= 0; scale--) {
    for (let k = TILTS.length - 1; k >= 0; k--) {
      const { s, top } = TILTS[k];
      const line = lines[k];
      if (scale < line.lowest || scale > top) continue;
      const n = scale === top ? NODES : OWN_NODES;
      const piece = line.pieces[top - scale];
      if (!addPiece(piece, law.line(kernel, 1 + s, dTauOf(scale), n, count, NODES - n)))
        raise(line, k, scale + 1);
    }
  }
  for (let k = TILTS.length - 1; k >= 0; k--) {
    const { s, top, axis: at } = TILTS[k];
    if (lines[k].lowest > top) continue;
    addDecay(lines[k], k, law.decay(1 + s), count, axis[at].variance / count);
  }
  return made;
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

/** Gives up the scales for which losses are too wide under the line's own tilt; never the largest. */
function giveUpWide(lines: readonly StreamLine[], variance: (axis: number) => number): void {
  lines.forEach((line, k) => {
    const spread = variance(TILTS[k].axis);
    let least = line.lowest;
    while (least < SCALES - 1 && !(spread < (TOO_WIDE * scaleOf(least)) ** 2)) least++;
    raise(line, k, least);
  });
}

/** Gives up the scales below `lowest`. */
function raise(line: StreamLine, k: number, lowest: number): void {
  const { top } = TILTS[k];
  if (lowest <= line.lowest || line.lowest > top) return;
  line.lowest = Math.min(lowest, top + 1);
  line.pieces.length = top + 1 - line.lowest;
}

/** False if nothing is known of the step there. */
function addPiece(piece: Piece, added: ReturnType<SpectralLaw['line']>): boolean {
  if (added === undefined) return false;
  const { logModulus, phase } = piece;
  let error = 0;
  let quadrature = 0;
  for (let k = 0; k < logModulus.length; k++) {
    logModulus[k] += added.logModulus[k];
    phase[k] += added.phase[k];
    if (!(logModulus[k] > NEGLIGIBLE)) continue;
    error = Math.max(error, added.error[k] + U * (Math.abs(logModulus[k]) + Math.abs(phase[k])));
    quadrature = Math.max(quadrature, added.quadrature[k]);
  }
  piece.error += error;
  piece.quadrature += quadrature;
  return piece.error < Infinity;
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
    if (bound > -0.1) bound = Math.min(bound, decay.within(ends[i], ends[i + 1]));
    segments[i] += count * bound;
  }
  const far = decay.beyond(ends[segments.length]);
  line.tailLog += count * far.log;
  line.tailPower += count * far.power;
}

/** Adds what another stream, or a step, has of the same direction. */
export function addSums(into: StreamSums, from: StreamSums): void {
  from.axis.forEach((other, i) => {
    const { value, error, mean, variance } = into.axis[i];
    const sum = value + other.value;
    into.axis[i] = {
      value: sum,
      error: error + other.error + U * Math.abs(sum),
      mean: mean + other.mean,
      variance: variance + other.variance,
    };
  });
  into.lines.forEach((line, k) => {
    const other = from.lines[k];
    raise(line, k, other.lowest);
    for (const [i, piece] of line.pieces.entries()) {
      const { logModulus, phase, error, quadrature } = other.pieces[i];
      const n = logModulus.length;
      addPiece(piece, {
        logModulus,
        phase,
        error: new Float64Array(n).fill(error),
        quadrature: new Float64Array(n).fill(quadrature),
      });
    }
    for (let j = 0; j < line.segments.length; j++) line.segments[j] += other.segments[j];
    line.tailLog += other.tailLog;
    line.tailPower += other.tailPower;
  });
  giveUpWide(into.lines, (at) => into.axis[at].variance);
  forget(into);
}

/** Clears what is no longer asked, so that a state does not tell how it was added up. */
function forget(sums: StreamSums): void {
  const last = lastRung(sums);
  AXIS.forEach(({ rung }, i) => {
    if (rung > last) sums.axis[i] = { value: 0, error: 0, mean: 0, variance: 0 };
  });
  sums.lines.forEach((line, k) => {
    if (line.lowest <= TILTS[k].top) return;
    line.segments.fill(0);
    line.tailLog = 0;
    line.tailPower = 0;
  });
}
