import { Once } from '../../../numeric/recent.js';
import { exp } from '../../../numeric/scalar.js';
import { narrowRange, type SampledStep, stepFor, threeBitsBelow } from './gaussian-range.js';
import { logMass, MAX_SCANNED, type SampledPair, type Stretch, topOf } from './output-mesh.js';
import { shiftedBound } from './shifted-gaussian.js';
import { type Decay, NO_DECAY } from './spectral-law.js';
import { LossCells } from './weighted-losses.js';

/** Cells lighter than e^{this} of the heaviest are left out of the bounds of |φ|. */
const LEAST_CELL = -40;
/** Parts of a law that bound |φ|: their least mass, the ratio of neighbours, and their number. Speed alone hangs on them. */
const LEAST_PART = 1e-5;
const PART_RATIO = 2;
const MOST_PARTS = 18;

/**
 * Cells from a mesh on which log density, whose second derivative is at most B = 1 + |c|μ²/4 in size, stays
 * within Bh²/8 of its chord. Variation: ∂x/∂y = (1 + (1−q)/q·e^{−s})/μ, and φu^c and φu^c e^{−s} have at most two
 * maxima each (their slopes −x + cμw(x) (−μ) cross zero at most three times), so
 * V ≤ 4/μ·(max φu^c + (1−q)/q·max φu^c e^{−s})/M.
 */
export function wholeDecay(pair: SampledPair, c: number, logM: (c: number) => number): Decay {
  const { mu, q, meshes } = pair;
  const bend = 1 + (Math.abs(c) * mu * mu) / 4;
  const reach = 10 + mu;
  const h = Math.min(stepFor(mu, c, 0, 30), threeBitsBelow(Math.min(1 / 16, 0.5 / Math.sqrt(bend))));
  const bound = new Once(() => shiftedBound(pair.shifted, { c, logM: logM(c) }));
  const far = (tau: number): number => bound.value(tau);
  // φu^c e^{−s} peaks no further left than this: the slope of log φu^c rises by at least μ on the way
  const { from, to, slope } = narrowRange(mu, q, c, 60, reach);
  const stretch = slope > 0 ? meshes.covering(h, from - mu, to, MAX_SCANNED) : undefined;
  if (stretch === undefined) return { ...NO_DECAY, far };
  // the sum over the nodes is M√2π/h within 1e-9; the loss errors are far below the width of any cell that counts
  const mass = sumOf(stretch, c) * h;
  const whole = { low: mass * (1 - 1e-9), high: mass * (1 + 1e-9) };
  return { ...decayOn(pair, stretch, c, { bend, whole }), far };
}

/** Σ φu^c√2π over a stretch, over its largest term. */
function sumOf(stretch: Stretch, c: number): number {
  const top = topOf(stretch, c);
  let sum = 0;
  for (let j = stretch.begin; j < stretch.end; j++) {
    const height = logMass(stretch.mesh, c, j) - top;
    if (height > LEAST_CELL) sum += exp(height);
  }
  return sum;
}

/** How log density bends at most, and M√2π over the largest term of the stretch from both sides. */
interface Known {
  readonly bend: number;
  readonly whole: { readonly low: number; readonly high: number };
}

function decayOn({ mu, q }: SampledPair, stretch: Stretch, c: number, { bend, whole }: Known): Decay {
  const { mesh, begin, end } = stretch;
  const { h, first, loss, lossError } = mesh;
  const top = topOf(stretch, c);
  const room = end - begin;

  const [low, high, mass] = [0, 1, 2].map(() => new Float64Array(room));
  /** The node at the right end of each cell. */
  const node = new Int32Array(room);
  let highest = -Infinity;
  let n = 0;
  let before = -Infinity;
  for (let j = begin; j < end; j++) {
    const height = logMass(mesh, c, j) - top;
    highest = Math.max(highest, height - mu * h * (first + j));
    const f = height < LEAST_CELL ? 0 : exp(height);
    const least = Math.min(before, f);
    before = f;
    if (!(least > 0)) continue;
    low[n] = loss[j - 1] - lossError[j - 1];
    high[n] = loss[j] + lossError[j];
    node[n] = j;
    mass[n++] = least;
  }
  const sag = exp(-(bend * h * h) / 8);
  const unit = (h * sag * (1 - 1e-9)) / whole.high;
  for (let j = 0; j < n; j++) mass[j] *= unit;
  const peaks = 1 + ((1 - q) / q) * exp(highest + (mu * mu) / 2);
  const steepness = ((4 / mu) * (1 + 1e-8)) / (sag * whole.low);
  const variation = steepness * peaks;
  const parts = splitsOf({ mu, q }, stretch, c, { mass: mass.subarray(0, n), node }, steepness);
  const cells = new LossCells(n);
  for (let j = 0; j < n; j++) cells.add(low[j], high[j], mass[j]);
  return cells.decay(Float64Array.of(0, variation, ...parts));
}

/**
 * Parts {x ≥ x_j} of ever less mass, as `decayOf` takes them: the maxima of `variation`, of what lies to the right of x_j.
 *
 * @param steepness What turns these maxima into a variation.
 */
function splitsOf(
  { mu, q }: SampledStep,
  { mesh, begin, end }: Stretch,
  c: number,
  { mass, node }: { mass: Float64Array; node: Int32Array },
  steepness: number,
): number[] {
  const { h, first } = mesh;
  const top = topOf({ mesh, begin, end }, c);
  const parts: number[] = [];
  let part = 0;
  let next = LEAST_PART;
  let largest = 0;
  let steepest = 0;
  for (let j = end - 1, i = mass.length - 1; j > begin && i >= 0 && parts.length < 2 * MOST_PARTS; j--) {
    const height = logMass(mesh, c, j) - top;
    largest = Math.max(largest, exp(height));
    steepest = Math.max(steepest, exp(height - mu * h * (first + j)));
    if (node[i] !== j) continue;
    part += mass[i--];
    if (part < next) continue;
    next *= PART_RATIO;
    const before = exp(logMass(mesh, c, j - 1) - top);
    const ends =
      Math.max(largest, before) +
      ((1 - q) / q) * Math.max(steepest, before * exp(-mu * h * (first + j - 1))) * exp((mu * mu) / 2);
    parts.push(1 - part * (1 - 1e-9), steepness * ends);
  }
  return parts;
}
