import { subsampledLoss } from '../../../law/subsampling.js';
import { HALF_LOG_2PI, INVERSE_PI, U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { atan2, cosPi, exp, expm1, log, log1p, logNormalCdf, sinPi } from '../../../numeric/scalar.js';
import { cosine } from '../step/gaussian-range.js';

/** Outputs in cells of this width around the middle, and wider ones further out. */
const CELL = 0.25;
const NEAR = 8;
const WIDER = 1 / 32;
const FIRST = -9;
/** A cell beyond which mixtures are mostly shifted noise, for phases that are not cut. */
const FURTHEST = 4000;
/** The largest angle between the parts of u. */
const WIDEST = 3;
const LARGEST = 700;
/** Below this e^x − 1 is about x. */
const SMALL = 0.5;
/** Tilts whose integrals are kept. */
const MAX_TILTS = 16;

/** How far phases lie from one, at most: log q − log q₀ and log μ − log μ₀ by their real parts and, in `turn`, their imaginary ones (the same if not given). */
export interface Radii {
  readonly rate: number;
  readonly mu: number;
  readonly turn?: { readonly rate: number; readonly mu: number };
}

/** log u_θ − log u₀ on each cell of outputs, before the first and behind the last. */
export interface Moves {
  /** Its size, its real part upwards and downwards, and its imaginary part. */
  readonly cells: Float64Array;
  readonly up: Float64Array;
  readonly down: Float64Array;
  readonly turns: Float64Array;
  readonly before: number;
  /** Behind the last knot at most from + slope·x. */
  readonly from: number;
  readonly slope: number;
  /** Integrals behind knots, kept for tilts. */
  readonly behind: Recent<number, Float64Array>;
}

/** By knots of outputs: bounds of what M changes by before each, and of what is behind it. */
export interface Changes {
  readonly near: Float64Array;
  readonly far: Float64Array;
}

/**
 * Shares of |M₀| that M may change by, before a knot and behind it: logarithms of phases differ by less than asin .9 + 2 asin .1 < 1.4 in their imaginary
 * parts then, which tells the branch.
 */
const NEAREST = 0.9;
const FARTHEST = 0.1;
export const LARGEST_TURN = 2;

/**
 * A bound of what Σ count·log M(z) changes by where few phases stand for `count`: `share` bounds that of an f of the disc with |f| ≤ 1. Outputs before the best
 * of the knots are left to it, and those behind are small for every phase and every node.
 *
 * @param least log M₀(z) is at least this, in units of M₀(c).
 */
export function changeBy({ near, far }: Changes, share: number, count: number, least: number): number {
  let at = 0;
  let best = Infinity;
  for (let i = 0; i < near.length; i++) {
    const sum = share * near[i] + 2 * count * far[i];
    const left = least - far[i];
    if (sum < best && near[i] < NEAREST * left && far[i] < FARTHEST * (left - near[i])) [best, at] = [sum, i];
  }
  if (best === Infinity) return Infinity;
  const left = least - far[at];
  const change = -share * log1p(-near[at] / left) - 2 * count * log1p(-far[at] / (left - near[at]));
  return change >= 0 ? change * (1 + 1e-9) : Infinity;
}

/** A bound of |arg(1 + b)| for |b| ≤ beta, |arg b| ≤ gamma < π. */
function turnOf(beta: number, gamma: number): number {
  const turn = gamma * INVERSE_PI;
  const along = cosPi(turn) - 1e-14;
  // the angle is largest where b is at right angles to 1 + b
  if (along < -beta) return atan2(beta, Math.sqrt(1 - beta * beta)) * (1 + 1e-12);
  return atan2(beta * (sinPi(turn) + 1e-14), 1 + beta * along) * (1 + 1e-12);
}

/** A bound of |M_θ(z) − M₀(z)| over the disc's real phases, over e^{logM}. */
export function movedBy({ near, far }: Changes): number {
  let best = Infinity;
  for (let i = 0; i < near.length; i++) best = Math.min(best, near[i] + 2 * far[i]);
  return best;
}

/**
 * What M of a Poisson-subsampled Gaussian step changes by over a disc of phases around one, their parameters complex: bounds from cells of outputs
 * (docs/proofs/many-phases.md).
 */
export class PhaseDisc {
  private readonly x: Float64Array;
  private readonly loss: Float64Array;
  /** log of q e^s. */
  private readonly logShare: Float64Array;
  private readonly heights = new Recent<number, Float64Array>(MAX_TILTS);
  private readonly masses = new Recent<number, Float64Array>(MAX_TILTS);

  /** @param cut The largest output, or ∞. */
  constructor(
    readonly mu: number,
    readonly q: number,
    readonly cut: number,
  ) {
    const x: number[] = [FIRST];
    const last = (): number => x[x.length - 1];
    const enough = (at: number): boolean =>
      cut < Infinity ? at >= cut : (at >= NEAR && log(q) + mu * at - (mu * mu) / 2 > 4) || at > FURTHEST;
    while (!enough(last())) x.push(Math.min(cut, last() + Math.max(CELL, (last() - NEAR) * WIDER)));
    this.x = Float64Array.from(x);
    const logRate = log(q);
    this.loss = this.x.map((at) => subsampledLoss(mu * at - (mu * mu) / 2, q));
    this.logShare = this.x.map((at) => logRate + mu * at - (mu * mu) / 2);
  }

  /** Bounds of log u_θ − log u₀ over the box; undefined where u may vanish, or nearly so. */
  moves({ rate, mu: across, turn = { rate, mu: across } }: Radii): Moves | undefined {
    const { mu, q, x, logShare, cut } = this;
    const kappa = Math.max(expm1(across), 1 - exp(-across) * (1 - turn.mu ** 2 / 2));
    const rest = 1 - q;
    const shift = q * expm1(Math.sqrt(rate * rate + turn.rate * turn.rate));
    if (!(kappa < 0.9 && shift <= rest / 2)) return undefined;
    const angle = (1.05 * shift) / rest;
    const half = (mu * mu) / 2;
    const aside = mu * exp(across) * turn.mu;
    const grown = (at: number): number =>
      rate + mu * kappa * (Math.abs(at - mu) + (mu * kappa) / 2) + (aside * aside) / 2;
    const turned = (at: number): number => turn.rate + aside * (Math.abs(at - mu) + mu * kappa);
    const n = x.length - 1;
    const made = (): Float64Array => new Float64Array(n);
    const [cells, up, down, turns] = [made(), made(), made(), made()];
    const parts = [up, down, turns];
    const shares = logShare.map((share) => exp(Math.min(LARGEST, share)));
    for (let i = 0; i < n; i++) {
      const grow = Math.max(grown(x[i]), grown(x[i + 1]));
      const twist = Math.max(turned(x[i]), turned(x[i + 1]));
      const w = Math.sqrt(grow * grow + twist * twist);
      const gamma = twist + angle;
      const small = exp(-grow);
      const large = exp(Math.min(LARGEST, grow));
      const from = shares[i];
      const to = shares[i + 1];
      const least = from * small;
      const most = exp(Math.min(LARGEST, logShare[i + 1] + grow));
      // ratios to u₀ are monotone in the share
      const moderate = logShare[i + 1] + grow < LARGEST - 1;
      up[i] = moderate
        ? log(
            Math.max(
              (rest + shift + from * large) / (rest + from),
              (rest + shift + to * large) / (rest + to),
            ),
          )
        : Math.max(grow, log1p(shift / rest));
      let move = Infinity;
      [down[i], turns[i]] = [Infinity, Infinity];
      if (gamma <= WIDEST) {
        const middle = cosine(gamma / 2);
        move = (w / (1 + rest / most) + shift / (rest - shift + least)) / middle;
        if (moderate) {
          turns[i] = angle + turnOf(most / (rest - shift), gamma);
          const along = cosPi(gamma * INVERSE_PI) - 1e-12;
          const whole = Math.min(
            (rest - shift + from * small) / (rest + from),
            (rest - shift + to * small) / (rest + to),
          );
          const back = (along > 0 ? small : large) * along;
          const plain = Math.min(
            (rest - shift + from * back) / (rest + from),
            (rest - shift + to * back) / (rest + to),
          );
          down[i] = -log(Math.max(0, whole * middle, plain));
        }
      }
      // u_θ − u₀ = (q_θ − q₀)(e^s − 1) + q_θ e^s (e^Δs − 1), small where s is near 0
      const odds = Math.max(Math.abs(expm1(mu * x[i] - half)), Math.abs(expm1(mu * x[i + 1] - half)));
      const moved = most * Math.sqrt((grow - rate) ** 2 + (twist - turn.rate) ** 2);
      const relative = (shift * odds + moved) / (from + rest);
      if (relative < 1) move = Math.min(move, -log1p(-relative));
      if (rest + shift <= least / 2) move = Math.min(move, w + (2.78 * (rest + shift)) / least);
      move = Math.min(move, Math.sqrt(Math.max(up[i], down[i]) ** 2 + turns[i] ** 2));
      if (!(move < Infinity)) return undefined;
      cells[i] = move * (1 + 1e-12);
      for (const part of parts) part[i] = Math.min(part[i] * (1 + 1e-12) + 1e-14, cells[i]);
    }
    const wide = (at: number): number => Math.sqrt(grown(at) ** 2 + turned(at) ** 2);
    const first = exp(logShare[0] + grown(x[0]));
    if (!(first <= (rest - shift) / 2)) return undefined;
    const before = (1.39 * shift) / rest + (2.78 * first) / (rest - shift);
    const known = { cells, up, down, turns, before, behind: new Recent<number, Float64Array>(MAX_TILTS) };
    if (cut < Infinity) return { ...known, from: 0, slope: 0 };
    const least = exp(Math.min(LARGEST, logShare[n] - grown(x[n])));
    if (!(rest + shift <= least / 2) || x[n] < mu) return undefined;
    const slope = mu * kappa + aside;
    return { ...known, from: wide(mu) - slope * mu + (2.78 * (rest + shift)) / least, slope };
  }

  /** Bound of |log u_θ − log u₀| at an output. */
  movedAt({ cells, before, from, slope }: Moves, at: number): number {
    const { x } = this;
    const n = cells.length;
    if (at < x[0]) return before;
    if (at > x[n]) return slope > 0 || this.cut === Infinity ? from + slope * at : cells[n - 1];
    let i = Math.min(n - 1, Math.floor((at - x[0]) / CELL));
    while (i > 0 && x[i] > at) i--;
    return cells[i];
  }

  /** log of the largest φu₀^c on each cell: for c ≥ 0 by the chord of the convex loss, for c < 0 at its beginning. */
  private heightsFor(c: number): Float64Array {
    return this.heights.of(c, this.heightsOf);
  }

  private readonly heightsOf = (c: number): Float64Array => {
    const { x, loss } = this;
    const made = new Float64Array(x.length - 1);
    for (let i = 0; i < made.length; i++) {
      const [a, b] = [x[i], x[i + 1]];
      const slope = c >= 0 ? (c * (loss[i + 1] - loss[i])) / (b - a) : 0;
      const at = Math.min(b, Math.max(a, slope));
      const tilt = c * loss[i] + slope * (at - a);
      made[i] =
        tilt - (at * at) / 2 - HALF_LOG_2PI + 16 * U * (Math.abs(tilt) + Math.abs(c * loss[i]) + at * at);
    }
    return made;
  };

  /** log M(c) about, for plans. */
  nearLogM(c: number): number {
    const { x } = this;
    const heights = this.heightsFor(c);
    const top = heights.reduce((most, h) => Math.max(most, h), -Infinity);
    let sum = 0;
    for (let i = 0; i < heights.length; i++) sum += (x[i + 1] - x[i]) * exp(heights[i] - top);
    return top + log(sum);
  }

  /** e^{height} times the length of each cell. */
  private massesFor(c: number): Float64Array {
    const { x } = this;
    return this.masses.of(c, () => this.heightsFor(c).map((height, i) => (x[i + 1] - x[i]) * exp(height)));
  }

  /**
   * Bounds over all z with Re z = c, |z| ≤ size, over e^{logM}: over the box, of the change of the integral over outputs before knot i,
   * ∫ φ u₀^c |e^{zΔ} − 1|, Δ = log u_θ − log u₀; and over its real phases, of the integral of φ u^c behind it.
   *
   * @param real The same box without its imaginary parts, or a smaller one.
   */
  changes(moves: Moves, real: Moves, c: number, size: number, logM: number): Changes {
    const { x, q } = this;
    const masses = this.massesFor(c);
    const n = masses.length;
    const unit = exp(-logM);
    const near = new Float64Array(n + 1);
    const left = logNormalCdf(x[0]) + (c < 0 ? c * log1p(-q) : 0) - logM;
    near[0] = size * moves.before < LARGEST ? exp(left) * expm1(size * moves.before) : Infinity;
    const tau = Math.sqrt(Math.max(0, size * size - c * c)) + 1e-12 * size;
    const steep = c >= 0 ? moves.up : moves.down;
    for (let i = 0; i < n; i++) {
      const whole = size * moves.cells[i];
      const grown = Math.min(whole, Math.abs(c) * steep[i] + tau * moves.turns[i]);
      const change =
        whole < SMALL ? expm1(whole) : grown < LARGEST ? Math.min(whole, 2) * exp(grown) : Infinity;
      near[i + 1] = near[i] + unit * masses[i] * change * (1 + 1e-9);
    }
    return { near, far: this.behind(real, c).map((mass) => mass * unit) };
  }

  /** ∫ φ u₀^c e^{|c|D} behind each knot. */
  private behind(moves: Moves, c: number): Float64Array {
    return moves.behind.of(c, () => this.behindOf(moves, c));
  }

  private behindOf(moves: Moves, c: number): Float64Array {
    const { x, q, loss, mu, cut } = this;
    const masses = this.massesFor(c);
    const n = masses.length;
    const far = new Float64Array(n + 1);
    const size = Math.abs(c);
    if (cut === Infinity) {
      const share = (1 - q) * exp(-this.logShare[n]);
      const base = c < 0 ? c * loss[n] : c * (log(q) - (mu * mu) / 2 + share);
      const rise = size * moves.slope + (c < 0 ? 0 : c * mu);
      far[n] = exp(base + size * moves.from + (rise * rise) / 2 + logNormalCdf(rise - x[n]) + 1e-9);
    }
    for (let i = n - 1; i >= 0; i--)
      far[i] = far[i + 1] + masses[i] * exp(size * moves.cells[i]) * (1 + 1e-9);
    return far;
  }

  /**
   * A bound over the disc's real phases of the total variation of φu^c as a density of the loss, over e^{logM}: 4/μ·(max φu^c + (1 − q)/q max φu^c e^{−s}).
   */
  variation({ cells, before }: Moves, { rate, mu: across }: Radii, c: number, logM: number): number {
    const { x, mu, q, cut } = this;
    if (cut === Infinity && c > 0) return Infinity;
    const heights = this.heightsFor(c);
    const kappa = expm1(across);
    const size = Math.abs(c);
    const left = -(x[0] * x[0]) / 2 - HALF_LOG_2PI + (c < 0 ? c * log1p(-q) : 0) + size * before;
    const odds = log((1 - q) / q) + rate - log1p((-q * expm1(rate)) / (1 - q)) + 1e-12;
    const wide = (at: number): number => mu * kappa * (Math.abs(at - mu) + (mu * kappa) / 2);
    const plain = (at: number): number => -(mu * at - (mu * mu) / 2) + wide(at);
    let top = left;
    let low = left + plain(x[0]);
    for (let i = 0; i < cells.length; i++) {
      const height = heights[i] + size * cells[i];
      top = Math.max(top, height);
      low = Math.max(low, height + plain(x[i]), height + plain(x[i + 1]));
    }
    if (!(-x[0] > mu * (1 + kappa))) return Infinity;
    const peaks = exp(Math.min(LARGEST, top - logM)) + exp(Math.min(LARGEST, low + odds - logM));
    return (4 / mu) * exp(across) * peaks * (1 + 1e-9);
  }
}
