import type { Kernel } from '../kernel/kernel.js';
import type { SpectralLaw } from '../methods/contour/step/spectral-law.js';
import { U } from '../numeric/constants.js';
import { log } from '../numeric/scalar.js';

/** Numbers that a stream keeps of log M in one direction. They add up when runs are composed. */
interface Place {
  readonly length: number;
  /** What `count` steps of a law have there. */
  readonly of: (kernel: Kernel, law: SpectralLaw, count: number) => Float64Array;
  /** Where the first number is the error of the others: what rounding does to a sum, at most. */
  readonly rounding?: (sum: Float64Array) => number;
}

/** The ladder of tilts s = c − 1 of the lines. */
const TILT_COUNT = 19;
const SMALLEST_TILT = 1 / 16;
const TILT_RATIO = 1.6;
/** Points of the real axis reach so far beyond the lines, in tilts, to bound aliases from. */
const RUNGS_BEYOND = 3;
const BETWEEN = 1.25;
/** A little more than the last of them over the line. */
export const REACH = 5.5;
/** The ladder of scales w, each twice the one before. */
export const SCALES = 9;
const SMALLEST_SCALE = 1 / 32;
/** s·w, the depth of the tail in deviations. */
const SHALLOWEST = 0.5;
const DEEPEST = 11;
/** Of a line at one scale; those that a scale does not share with the next larger. */
export const NODES = 96;
const OWN_NODES = 48;
/** Period of the trapezoidal sums over the scale. */
const PERIOD = 30;
/** Segments beyond the last node on which |φ| is bounded: three an octave while it falls steeply, then octaves. */
const SHORT_OCTAVES = 4;
const LONG_OCTAVES = 28;
const THIRDS = [1, 1.2599210498948732, 1.5874010519681994] as const;
/** Nodes below e^{this} are not summed but bounded; their phases need not be known. */
export const NEGLIGIBLE = -80;
/** Samples of |φ| of a single step, in deviations of its loss: few for a step added many times, more for one of a few. */
const FEW = { step: 0.5, n: 20 } as const;
const MANY = { step: 0.2, n: 128 } as const;
/** Steps added at once from which samples are few. Only speed and tightness hang on it. */
const MANY_STEPS = 40;

export function scaleOf(index: number): number {
  return SMALLEST_SCALE * 2 ** index;
}

export function dTauOf(scale: number): number {
  return (2 * Math.PI) / (PERIOD * scaleOf(scale));
}

/** All of them, in the order of states. */
export const PLACES: Place[] = [];

function placed(place: Place): number {
  return PLACES.push(place) - 1;
}

/** [error, log M, mean, variance] at 1 + s; an error of ∞ where log M is not known, and a variance of ∞ where that is not. */
function pointAt(s: number): Place {
  return {
    length: 4,
    of: (_, law, count) => {
      const { value, error, mean, variance } = law.cumulant(1 + s, count);
      return Float64Array.of(
        ...(Number.isFinite(value) && error < Infinity ? [error, value] : [Infinity, 0]),
        ...(Number.isFinite(mean) && variance < Infinity ? [mean, variance] : [0, Infinity]),
      );
    },
    rounding: (sum) => U * Math.abs(sum[1]),
  };
}

/** [error of all nodes, log|φ| of each, arg φ of each]: τ = k·dTau of a scale, the last n of k < 96. */
function nodesAt(s: number, scale: number, n: number): Place {
  const length = 1 + 2 * n;
  return {
    length,
    of: (kernel, law, count) => {
      const sum = new Float64Array(length);
      const line = law.line(kernel, { c: 1 + s, dTau: dTauOf(scale), n, first: NODES - n }, count);
      if (line === undefined) return sum.fill(Infinity, 0, 1);
      const { logModulus, phase, error, quadrature } = line;
      sum.set(logModulus, 1);
      sum.set(phase, 1 + n);
      for (let k = 0; k < n; k++) {
        const doubt = error[k] + quadrature[k];
        const most = logModulus[k] + (error[k] < Infinity ? doubt : 0);
        // a sum with it is below `NEGLIGIBLE`, too
        if (most < NEGLIGIBLE - 1) sum[1 + k] = most;
        else sum[0] = Math.max(sum[0], doubt);
      }
      return sum;
    },
    rounding: (sum) => {
      let size = 0;
      for (let k = 1; k <= n; k++)
        if (sum[k] > NEGLIGIBLE) size = Math.max(size, Math.abs(sum[k]) + Math.abs(sum[k + n]));
      return U * size;
    },
  };
}

/**
 * Bounds of log|φ| beyond the last node: on the segments between `ends`, and log, power with log|φ(τ)| ≤ log − power·log(τ/from) beyond
 * them. Near by from samples: |φ(τ)|² = E cos τ(y − y′) has a second derivative of
 * at most E(y − y′)², twice the variance of the tilted loss (known far better than the tenth it is raised by),
 * so between samples h apart it exceeds the larger by at most h²·variance/4. Everywhere from the law's own bounds.
 */
function decayAt(s: number, ends: Float64Array): Place {
  const last = ends.length - 1;
  return {
    length: last + 2,
    of: (kernel, law, count) => {
      const decay = law.decay(1 + s);
      const bounds = decay.bounds(kernel, ends, -Infinity);
      const { step, n } = count < MANY_STEPS ? MANY : FEW;
      const spacing = step / (1.1 * Math.sqrt(law.cumulant(1 + s, count).variance / count));
      const samples = ends[0] < n * spacing ? decay.samples?.(spacing, n) : undefined;
      const sum = new Float64Array(last + 2);
      for (let i = 0; i < last; i++) {
        const near = samples?.subarray(Math.floor(ends[i] / spacing), Math.ceil(ends[i + 1] / spacing) + 1);
        let bound = 0;
        if (near !== undefined && ends[i + 1] <= (n - 1) * spacing) {
          const top = near.reduce((most, one) => Math.max(most, one));
          bound = Math.min(0, 0.5 * log(top * top + (step * step) / 4) + 1e-14);
        }
        // near 1 samples cannot tell what the spread of the loss does
        if (bound > -0.1) bound = Math.min(bound, bounds[i]);
        sum[i] = count * bound;
      }
      const far = decay.beyond(ends[last]);
      sum.set([count * far.log, count * far.power], last);
      return sum;
    },
  };
}

function segmentEnds(lowest: number, top: number): Float64Array {
  const end = NODES * dTauOf(top);
  const shorts = 3 * (top - lowest + SHORT_OCTAVES);
  return Float64Array.from({ length: shorts + LONG_OCTAVES + 1 }, (_, j) => {
    const octave = j < shorts ? Math.floor(j / 3) : j - shorts + shorts / 3;
    return end * 2 ** octave * (j < shorts ? THIRDS[j % 3] : 1);
  });
}

const LADDER: readonly number[] = Array.from({ length: TILT_COUNT + RUNGS_BEYOND }).reduce<number[]>(
  (tilts) => [...tilts, tilts.length === 0 ? SMALLEST_TILT : TILT_RATIO * tilts[tilts.length - 1]],
  [],
);

/**
 * The points 1 + s of the real axis, from the far end: what a mesh of outputs has to cover is known at once. Every tilt and one between any two, and every other on
 * the far side of 0.
 */
export const POINTS: readonly { readonly s: number; readonly place: number }[] = LADDER.flatMap((s, i) =>
  i % 2 === 0 ? [s, BETWEEN * s, -s] : [s, BETWEEN * s],
)
  .sort((a, b) => Math.abs(b) - Math.abs(a))
  .map((s) => ({ s, place: placed(pointAt(s)) }));

/**
 * The lines Re z = 1 + s. For each scale w of a ladder (a composed loss of deviation w to 2w) a line has 96 nodes as far apart, and reaching as far, as losses that wide
 * need, if s·w is a depth that such losses are asked for. Spacings double from scale to scale, so half of the nodes of each are nodes of the next larger scale, too, and kept there.
 */
export const LINES = LADDER.slice(0, TILT_COUNT)
  .reverse()
  .map((s) => {
    const scales = Array.from({ length: SCALES }, (_, i) => i).filter(
      (i) => s * scaleOf(i) >= SHALLOWEST && s * scaleOf(i) <= DEEPEST,
    );
    const [lowest, top] = [scales[0], scales[scales.length - 1]];
    const ends = segmentEnds(lowest, top);
    return {
      s,
      lowest,
      top,
      /** Ends of the segments on which |φ| is bounded, from the last node of the largest scale on. */
      ends,
      point: POINTS.find((point) => point.s === s)?.place as number,
      decay: placed(decayAt(s, ends)),
      /** Of each scale, from `top` down. */
      nodes: scales.reverse().map((scale) => placed(nodesAt(s, scale, scale === top ? NODES : OWN_NODES))),
    };
  });

/** Node k < 96 of a scale of a line: the scale it is kept at, and its place there. */
export function nodeOf(top: number, scale: number, k: number): { scale: number; at: number } {
  let at = k;
  let of = scale;
  for (; at < OWN_NODES && of < top; of++) at *= 2;
  return { scale: of, at: of === top ? at : at - OWN_NODES };
}

/** The number of the first segment beyond the nodes of a scale. */
export function firstSegment(top: number, scale: number): number {
  return 3 * (top - scale);
}
