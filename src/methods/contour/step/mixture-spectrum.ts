import type { Kernel } from '../../../kernel/kernel.js';
import { logTail, tailEnd } from '../../../law/mixture-pair.js';
import { furthest, nearest, type Side, sideAt } from '../../../law/mixture-side.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { LONG_SUM } from '../../../numeric/rounding.js';
import { exp, log } from '../../../numeric/scalar.js';
import { cutTails } from './gaussian-range.js';
import { lineOf, logarithmOf, logTerm, riseOf, topOf } from './masses.js';
import { mixtureDecay } from './mixture-decay.js';
import { MixtureMeshes } from './mixture-mesh.js';
import { logMassLeft, type OutputWindow, stretchOf } from './output-window.js';
import {
  type Cumulant,
  type Decay,
  type LineNodes,
  type LogPhiLine,
  type SpectralLaw,
  type TruncatedLaw,
  UNKNOWN,
} from './spectral-law.js';

/** Number of bounds of |φ| cached per step; only speed depends on it. */
const KEPT_DECAYS = 64;
/** −log of the relative accuracy of sums on the real axis, and along contours. */
const DIGITS = { axis: 42, line: 38 };
/** M − 1 is summed directly where logs of terms of M are below HIGHEST and losses below the next constant. */
const HIGHEST = 30;
const WIDEST = 300;
/** Relative error of the mass that a window takes. */
const LOST_ERROR = 1e-9;
const NOTHING_LOST = { p: 0, q: 0 };
/** Number of truncated laws cached per step. Only speed depends on it, and on the width of a window's edge if none is asked for. */
const KEPT_CUTS = 16;
const WIDEST_EDGE = 0.5;
/**
 * At rates below this large losses are rare. Only speed and width depend on it, and on BEHIND, the widths behind an edge at which tilts are judged.
 */
const OFTEN = 0.05;
const BEHIND = 4;

interface Lost {
  readonly p: number;
  readonly q: number;
}

/**
 * Two mixtures of Gaussians on one line, P = φ(x)u₋(−x) and Q = φ(x)u₊(x), u(x) = Σ w_i e^{a_i x − a_i²/2}, a_i ≥ 0.
 * M(z) = ∫ φ(x) u₊(x)^z u₋(−x)^{1−z} dx, y(x) = log u₊(x) − log u₋(−x). Proofs: docs/proofs/sampling.md.
 *
 * Quadrature. Let a₊, a₋ be the largest shifts. At x + ia the terms of u₊ turn by angles in [0, a₊a], those of u₋ by angles in [−a₋a, 0]. For
 * max(a₊, a₋) a < π both stay off the cut of the powers: cos(a±a/2) u± ≤ |u±(x + ia)| ≤ u±(x). So the integrand is at most
 *   e^{a²/2 + |τ|(a₊ + a₋)a} cos(a₊a/2)^{min(0, c)} cos(a₋a/2)^{min(0, 1−c)}
 * times its value at c and x. The trapezoidal rule of step h errs by at most 2 M(c) times that, times 1/(e^{2πa/h} − 1).
 *
 * Tails. d/dx log(φu₊^c u₋^{1−c}) is −x + c w₊ + (c − 1) w₋ with w± ∈ [0, a±].
 *
 * Ensures: log M and log φ are within their stated errors, and |φ| below its bounds.
 *
 * @param digits Of the sums, in logarithms: what they lack is charged, so that width alone depends on them.
 */
export function mixtureSpectrum(plus: Side, minus: Side, digits = DIGITS, kernel?: Kernel): SpectralLaw {
  const cuts = new LruCache<string, TruncatedLaw>(KEPT_CUTS);
  const all = new MixtureMeshes(plus, minus, digits, kernel);
  const rare = 1 - (nearest(plus) > 0 ? 0 : plus.weight[0]) < OFTEN;
  return {
    ...lawOf(all, NOTHING_LOST),
    isSymmetric: plus.shift.join() === minus.shift.join() && plus.weight.join() === minus.weight.join(),
    ...(furthest(plus) > 0 && {
      cut: (_kernel: Kernel, logMass: number, _depth: number, logFew = logMass, width = WIDEST_EDGE) => {
        const at = edgeFor(plus, width, rare ? logMass : logFew);
        return cuts.of(`${at}/${width}`, () => cutAt(all, { to: at, width }));
      },
    }),
  };
}

/** The output, a multiple of ¼, beyond which a window of that width takes about e^{logMass} of Q at most. */
function edgeFor({ shift, weight }: Side, width: number, logMass: number): number {
  const stretch = stretchOf(width);
  const stretched = { shift: shift.map((a) => a / stretch), weight };
  return Math.ceil(4 * stretch * tailEnd(stretched, logMass)) / 4;
}

/**
 * The step truncated by a smooth window. Upper bounds of the logs of masses lost are those of each law, with the window's noise added, beyond the
 * window's edge (docs/proofs/contour.md 1). Ensures: the masses lost are no more.
 */
function cutAt(all: MixtureMeshes, window: OutputWindow): TruncatedLaw {
  const { plus, minus } = all;
  const { to, width } = window;
  const stretch = stretchOf(width);
  const lost = ({ shift, weight }: Side, sign: 1 | -1): number => {
    const value = logTail({ shift: shift.map((a) => a / stretch), weight }, to / stretch, sign);
    return Math.min(0, value + LONG_SUM * (1 - value));
  };
  const [logLostP, logLostQ] = [lost(minus, -1), lost(plus, 1)];
  const law = lawOf(all.behind(window), {
    p: exp(logLostP),
    q: exp(logLostQ),
  });
  const [logMassP, logMassQ] = [logLostP, logLostQ].map(logMassLeft);
  // the largest tilt at which outputs some widths behind the edge count no more than those at it
  const far = to + BEHIND * width;
  const slope = sideAt(plus, far).slope + sideAt(minus, -far).slope;
  const largest = (far + (BEHIND * width) / (width * width)) / slope;
  return { law: { ...law, logMassP, logMassQ }, logLostP, logLostQ, largest, steepest: largest };
}

/**
 * log M, log φ and bounds of |φ| of a pair, by trapezoidal sums over meshes of outputs. Ensures: within the errors stated.
 * @param lost Masses of P and of Q that a window takes.
 */
function lawOf(pair: MixtureMeshes, lost: Lost): SpectralLaw {
  const known = new LruCache<number, Decay>(KEPT_DECAYS);
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => cumulant(pair, c, count, lost),
    line: (kernel, nodes, count) => line(kernel, pair, nodes, count),
    decay: (c) =>
      known.of(c, () =>
        mixtureDecay(pair, c, () => {
          const { value, error } = cumulant(pair, c, 1, lost);
          return value + error < Infinity ? value - error : -Infinity;
        }),
      ),
  };
}

/**
 * count·log M(c) by the sum of M − 1 where M is near 1 (docs/proofs/sampling.md 9), else by its logarithm. Ensures: within the error stated:
 * quadrature, truncation and rounding.
 */
function cumulant(pair: MixtureMeshes, c: number, count: number, lost: Lost): Cumulant {
  const size = Math.abs(c) + Math.abs(1 - c);
  const depth = pair.digits.axis + log(count) + log(1 + size);
  const reach = Math.sqrt(2 * depth) + 1;
  const h = pair.stepFor(c, 0, depth);
  const [low, high] = pair.rangeFor(c, reach);
  // the ranges of φu₋ and of φu₊ are covered too
  const ranges = [0, 1].map((tilt) => pair.rangeFor(tilt, reach));
  const mesh = pair.covering(
    h,
    Math.min(low, ...ranges.map(([from]) => from)),
    Math.max(high, ...ranges.map(([, to]) => to)),
  );
  if (mesh === undefined) return UNKNOWN;
  const { loss, logMass } = mesh;
  const top = topOf(mesh, c, pair.kernel);
  const share = exp(-depth);
  const last = loss.length - 1;
  if (!(top < HIGHEST && Math.max(loss[last], -loss[0]) < WIDEST)) {
    const ends = exp(logTerm(mesh, c, 0) - top) + exp(logTerm(mesh, c, last) - top);
    return logarithmOf(mesh, c, count, { most: cutTails(ends, h, reach), share }, pair.kernel);
  }
  let ends = 0;
  for (const j of [0, last])
    ends += exp(logTerm(mesh, c, j)) + exp(logMass[j]) * (Math.abs(c) * exp(loss[j]) + Math.abs(1 - c));
  // M(c) − 1 minus the sum: docs/proofs/contour.md 8
  const above = -lost.p * (1 - c) - lost.q * c;
  const most = cutTails(ends, h, reach) + share * size + LOST_ERROR * (lost.p + lost.q) * size;
  return riseOf(mesh, c, count, { most, share, above }, pair.kernel);
}

/**
 * count·log φ along a contour by a trapezoidal sum over outputs, with quadrature, truncation and rounding errors; undefined where that would cost too
 * much.
 */
function line(kernel: Kernel, pair: MixtureMeshes, at: LineNodes, count: number): LogPhiLine | undefined {
  const { c, dTau, n } = at;
  const depth = pair.digits.line + log(count);
  const reach = Math.sqrt(2 * depth + 20) + 1;
  const h = pair.stepFor(c, dTau * n, depth);
  const [low, high] = pair.rangeFor(c, reach);
  const mesh = pair.covering(h, low, high);
  if (mesh === undefined) return undefined;
  const top = topOf(mesh, c, kernel);
  const ends = exp(logTerm(mesh, c, 0) - top) + exp(logTerm(mesh, c, mesh.loss.length - 1) - top);
  return lineOf(kernel, mesh, at, count, { most: cutTails(ends, h, reach), share: exp(-depth) });
}
