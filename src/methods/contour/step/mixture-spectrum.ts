import type { Kernel } from '../../../kernel/kernel.js';
import type { Side } from '../../../law/mixture-side.js';
import { INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import { cutTails } from './gaussian-range.js';
import { mixtureDecay } from './mixture-decay.js';
import { logMass, MixtureMeshes, massError, type Stretch, topOf } from './mixture-mesh.js';
import { powerExcess } from './power-excess.js';
import {
  type Cumulant,
  type Decay,
  type LineNodes,
  type LogPhiLine,
  MAX_WORK,
  type SpectralLaw,
  UNKNOWN,
} from './spectral-law.js';
import { TiltedMoments } from './tilted-moments.js';
import { logPhiLine } from './weighted-losses.js';

/** Bounds of |M| on lines kept of one step; only speed hangs on it. */
const KEPT_DECAYS = 64;
/** Digits of sums on the axis and of lines, in logarithms. */
const DIGITS = { axis: 42, line: 38 };

/**
 * Two mixtures of Gaussians on one line, P = φ(x)u₋(−x) and Q = φ(x)u₊(x), u(x) = Σ w_i e^{a_i x − a_i²/2}, a_i ≥ 0:
 * M(z) = ∫ φ(x) u₊(x)^z u₋(−x)^{1−z} dx, y(x) = log u₊(x) − log u₋(−x). Proofs: docs/proofs/sampling.md.
 *
 * Quadrature. At x + ia the terms of u₊ turn by angles in [0, a₊a], those of u₋ by angles in [−a₋a, 0] (a₊, a₋ the largest shifts), so for
 * max(a₊, a₋) a < π both stay off the cut of the powers, cos(a±a/2) u± ≤ |u±(x + ia)| ≤ u±(x), and the integrand is at most
 *   e^{a²/2 + |τ|(a₊ + a₋)a} cos(a₊a/2)^{min(0, c)} cos(a₋a/2)^{min(0, 1−c)}
 * times its value at c and x. The trapezoidal rule of step h errs by at most 2 M(c) times that, times 1/(e^{2πa/h} − 1).
 *
 * Tails. d/dx log(φu₊^c u₋^{1−c}) is −x + c w₊ + (c − 1) w₋ with w± ∈ [0, a±].
 *
 * @param digits Of the sums, in logarithms: what they lack is charged, so that width alone hangs on them.
 */
export function mixtureSpectrum(plus: Side, minus: Side, digits = DIGITS): SpectralLaw {
  const pair = new MixtureMeshes(plus, minus, digits);
  const known = new Recent<number, Decay>(KEPT_DECAYS);
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => cumulant(pair, c, count),
    line: (kernel, nodes, count) => line(kernel, pair, nodes, count),
    decay: (c) =>
      known.of(c, () =>
        mixtureDecay(pair, c, () => {
          const { value, error } = cumulant(pair, c, 1);
          return value + error < Infinity ? value - error : -Infinity;
        }),
      ),
  };
}

/**
 * count·log M(c). M(c) − 1 = ∫ φu₋ [r^c − 1 − c(r − 1)] with r = u₊/u₋, since φu₊ and φu₋ have mass 1: the terms have one sign, so
 * count·log M keeps its digits for any count.
 */
function cumulant(pair: MixtureMeshes, c: number, count: number): Cumulant {
  const size = Math.abs(c) + Math.abs(1 - c);
  const depth = pair.digits.axis + log(count) + log(1 + size);
  const reach = Math.sqrt(2 * depth) + 1;
  const h = pair.stepFor(c, 0, depth);
  const [low, high] = pair.rangeFor(c, reach);
  // φu₋ and φu₊ as well
  const stretch = pair.covering(h, Math.min(low, -pair.left - reach), Math.max(high, pair.right + reach));
  if (stretch === undefined) return UNKNOWN;
  const top = topOf(stretch, c);
  const { mesh, begin, end } = stretch;
  const spread = Math.max(mesh.up[end - 1] - mesh.down[end - 1], mesh.down[begin]);
  if (!(top < 30 && spread < 300)) return largeCumulant(stretch, c, count, { depth, reach, top });
  const sums = risesOf(stretch, c);
  const unit = h * INVERSE_SQRT_2PI;
  let ends = 0;
  for (const j of [begin, end - 1]) {
    const x = h * (mesh.first + j);
    ends += exp(logMass(mesh, c, j));
    ends += exp(-(x * x) / 2) * (Math.abs(c) * exp(mesh.up[j]) + Math.abs(1 - c) * exp(mesh.down[j]));
  }
  const lost = sums.wrong * unit + cutTails(ends, h, reach) + exp(-depth) * (size + sums.mass * unit);
  return sums.fromRise(count, unit, lost);
}

/** Terms φu₋[r^c − 1 − c(r − 1)]√2π of M − 1. */
function risesOf({ mesh, begin, end }: Stretch, c: number): TiltedMoments {
  const { h, first: origin, up, down, error, excess, excessError } = mesh;
  const size = Math.abs(c);
  const moments = new TiltedMoments();
  for (let j = begin; j < end; j++) {
    const x = h * (origin + j);
    const p = exp(down[j] - (x * x) / 2);
    const y = up[j] - down[j];
    const v = excess[j];
    const t = c * y;
    let term: number;
    let f: number;
    let inexact: number;
    if (t > 30) {
      // r^c is all of it: as one exponential it neither overflows nor underflows
      f = exp(t + down[j] - (x * x) / 2);
      term = f - p * (1 + c * v);
      inexact = p * (4 * U * size * Math.abs(v) + size * excessError[j]) + f * massError(mesh, c, j);
    } else {
      const rise = powerExcess(c, v, y);
      f = p * (1 + c * v + rise.value);
      term = p * rise.value;
      const near = Math.abs(v) * Math.max(1, size) < 0.3;
      inexact =
        p * rise.error +
        (near
          ? 3 * p * size * Math.abs((c - 1) * v) * excessError[j]
          : size * (p * excessError[j] + Math.max(0, f) * error[j]));
    }
    moments.add(f, y, inexact + Math.abs(term) * (U * (12 + x * x) + error[j]));
    moments.addTerm(term);
  }
  return moments;
}

/** The same where M is far from 1: the logarithm of the sum. */
function largeCumulant(
  { mesh, begin, end }: Stretch,
  c: number,
  count: number,
  { depth, reach, top }: { depth: number; reach: number; top: number },
): Cumulant {
  const moments = new TiltedMoments();
  for (let j = begin; j < end; j++) {
    const f = exp(logMass(mesh, c, j) - top);
    moments.add(f, mesh.up[j] - mesh.down[j], f * (massError(mesh, c, j) + U * Math.abs(top)));
  }
  const { mass, wrong } = moments;
  const unit = mesh.h * INVERSE_SQRT_2PI;
  const ends = exp(logMass(mesh, c, begin) - top) + exp(logMass(mesh, c, end - 1) - top);
  const relative =
    wrong / mass + (end - begin) * U + cutTails(ends, mesh.h, reach) / (mass * unit) + exp(-depth);
  return moments.fromMass(count, unit, top, relative);
}

function line(kernel: Kernel, pair: MixtureMeshes, at: LineNodes, count: number): LogPhiLine | undefined {
  const { c, dTau, n } = at;
  const depth = pair.digits.line + log(count);
  const reach = Math.sqrt(2 * depth + 20) + 1;
  const h = pair.stepFor(c, dTau * n, depth);
  const [low, high] = pair.rangeFor(c, reach);
  const stretch = pair.covering(h, low, high);
  if (stretch === undefined) return undefined;
  const { mesh, begin, end } = stretch;
  const top = topOf(stretch, c);
  const floor = top - (depth + 8);
  const kept: number[] = [];
  for (let j = begin; j < end; j++) if (logMass(mesh, c, j) >= floor) kept.push(j);
  if (kept.length * n > MAX_WORK) return undefined;
  const weight = Float64Array.from(kept, (j) => exp(logMass(mesh, c, j) - top));
  const mass = weight.reduce((sum, w) => sum + w, 0);
  const dropped = end - begin - kept.length;
  const ends = exp(logMass(mesh, c, begin) - top) + exp(logMass(mesh, c, end - 1) - top);
  const beyond = cutTails(ends, h, reach) / (h * INVERSE_SQRT_2PI);
  const nodes = {
    loss: Float64Array.from(kept, (j) => mesh.up[j] - mesh.down[j]),
    weight: weight.map((w) => w / mass),
    weightError: Float64Array.from(kept, (j) => massError(mesh, c, j) + 2 * U * Math.abs(top)),
    lossError: Float64Array.from(kept, (j) => mesh.error[j]),
    missing: (2.1 * (dropped * exp(floor - top) + beyond)) / mass + 2.1 * exp(-depth),
  };
  return logPhiLine(kernel, nodes, at, count);
}
