import { U } from '../../../numeric/constants.js';
import {
  discreteGauss,
  orthonormalAt,
  type Recurrence,
  recurrenceOf,
} from '../../../numeric/discrete-gauss.js';
import { Once, Recent } from '../../../numeric/recent.js';
import { cosPi, exp, log } from '../../../numeric/scalar.js';
import { type Moves, PhaseDisc, type Radii } from './phase-disc.js';

/** A Poisson-subsampled Gaussian step, and how often it is composed. */
export interface Phase {
  readonly mu: number;
  readonly q: number;
  /** log q and log μ, the coordinates that cells are made in. */
  readonly logRate: number;
  readonly logMu: number;
  readonly count: number;
}

/** One cell of phases with the rule that stands for it; a cell without one is its phases themselves. */
export interface Part {
  readonly cell: PhaseCell;
  readonly rule: Rule | undefined;
}

export function nodesIn({ cell, rule }: Part): readonly Phase[] {
  return rule?.nodes ?? cell.phases;
}

/** Nodes of the rules tried, and parameters of the ellipses around a cell. */
export const SIZES = [3, 5, 7, 9, 11] as const;
const RHOS = [2.2, 3.2, 4.6, 7, 11, 18, 32] as const;
/** Discs kept of a cell: around its middle and the nodes of its rules, for a few cuts. */
const MAX_DISCS = 32;
/** Degree of the curve that the phases of a cell lie near. */
const CURVE = 8;
/** So many phases of a cell are fitted, and all of them where any lies this far off. */
const FITTED = 64;
const ON_CURVE = 1e-6;
/** A change of log μ changes losses about as often as that of log q. */
const MU_COUNTS = 6;
/** How far off the curve a box reaches, of what it reaches along it, at most and at least; in units of what phases lie off it, and of a rounding for every step. */
const ASIDE = 0.25;
const ALONG = 0.02;
const FAR_ASIDE = 1e5;
const ROUNDED_ASIDE = 4e-7;

/** Phases in place of a cell's: parameters, and weights that sum to the cell's count. */
export interface Rule {
  readonly nodes: readonly Phase[];
  /** The node that the others are compared with, and its place on [−1, 1]. */
  readonly middle: number;
  readonly place: number;
  /** |Σ count·T_i(t)| that the rule lacks, i < 2m. */
  readonly lacking: Float64Array;
}

/**
 * Phases near a curve, and few in place of them. With t ∈ [−1, 1] along the parameter that varies most, the other one is p(t) + r, p a polynomial
 * and r small; the nodes are those of Gauss' rule for the t, on the curve. What that changes in Σ count·log M is bounded in
 * docs/proofs/many-phases.md.
 */
export class PhaseCell {
  readonly count: number;
  private readonly along: 'logRate' | 'logMu';
  private readonly across: 'logRate' | 'logMu';
  private readonly middle: number;
  private readonly half: number;
  private readonly t: Float64Array;
  private readonly weight: Float64Array;
  /** Chebyshev coefficients of p. */
  private readonly curve: Float64Array;
  /** The largest |r|, Σ count·r², and |Σ count·r·T_i(t)|, i ≤ the degree of p. */
  readonly off: number;
  private readonly offSquare: number;
  private readonly offMoments: Float64Array;
  private readonly rules = new Recent<number, Rule | undefined>(2 * SIZES.length);
  private readonly parts = new Once(() => this.halved());

  constructor(readonly phases: readonly Phase[]) {
    const span = (of: 'logRate' | 'logMu'): [number, number] => {
      let [low, high] = [Infinity, -Infinity];
      for (const phase of phases) {
        low = Math.min(low, phase[of]);
        high = Math.max(high, phase[of]);
      }
      return [low, high];
    };
    const [rates, mus] = [span('logRate'), span('logMu')];
    const byRate = rates[1] - rates[0] > MU_COUNTS * (mus[1] - mus[0]);
    [this.along, this.across] = byRate ? ['logRate', 'logMu'] : ['logMu', 'logRate'];
    const [low, high] = byRate ? rates : mus;
    const [least, most] = byRate ? mus : rates;
    this.middle = (low + high) / 2;
    this.half = Math.max((high - low) / 2, 1e-12 * (1 + Math.abs(this.middle)));
    this.count = phases.reduce((sum, { count }) => sum + count, 0);
    this.t = Float64Array.from(phases, (phase) =>
      Math.min(1, Math.max(-1, (phase[this.along] - this.middle) / this.half)),
    );
    this.weight = Float64Array.from(phases, ({ count }) => count);
    const every = Math.ceil(phases.length / FITTED);
    let curve = most === least ? Float64Array.of(least) : this.fitted(least, most, every);
    let gaps = this.gapsTo(curve);
    // some of the phases tell a curve on which all lie
    if (every > 1 && gaps.off > ON_CURVE) {
      curve = this.fitted(least, most, 1);
      gaps = this.gapsTo(curve);
    }
    this.curve = curve;
    [this.off, this.offSquare, this.offMoments] = [gaps.off, gaps.square, gaps.moments];
  }

  private gapsTo(curve: Float64Array): { off: number; square: number; moments: Float64Array } {
    const { phases, across, t } = this;
    const moments = new Float64Array(curve.length);
    const basis = new Float64Array(moments.length);
    let [off, square] = [0, 0];
    for (let k = 0; k < phases.length; k++) {
      chebyshev(t[k], basis.length, basis);
      const r = phases[k][across] - combined(curve, basis);
      off = Math.max(off, Math.abs(r));
      square += phases[k].count * r * r;
      for (let i = 0; i < moments.length; i++) moments[i] += phases[k].count * r * basis[i];
    }
    return { off, square, moments: moments.map(Math.abs) };
  }

  /**
   * The polynomial of least squares for one of every so many phases, by the orthonormal ones of the points, in Chebyshev's: of the largest degree that strays no further from the
   * middle of what it is fitted to than twice its range, for where few steps weigh little others may swing far beyond them.
   */
  private fitted(least: number, most: number, every: number): Float64Array {
    const { across } = this;
    const some = (_: unknown, k: number): boolean => k % every === 0;
    const [t, weight] = [this.t.filter(some), this.weight.filter(some)];
    const phases = this.phases.filter(some);
    const recurrence = recurrenceOf(t, weight, CURVE + 1);
    const inner = new Float64Array(recurrence.diagonal.length);
    for (let k = 0; k < t.length; k++) {
      const basis = orthonormalAt(recurrence, t[k]);
      for (let i = 0; i < inner.length; i++) inner[i] += weight[k] * phases[k][across] * basis[i];
    }
    const strays = (curve: Float64Array): number =>
      curve.reduce((sum, a, i) => sum + Math.abs(i === 0 ? a - (least + most) / 2 : a), 0);
    for (let m = inner.length; m > 1; m--) {
      const curve = inChebyshev(recurrence, inner.subarray(0, m));
      if (strays(curve) <= most - least) return curve;
    }
    return inChebyshev(recurrence, inner.subarray(0, 1));
  }

  /** Two cells in place of this, halved along its curve; none where all phases are the same. */
  halves(): readonly PhaseCell[] {
    return this.parts.value;
  }

  private halved(): readonly PhaseCell[] {
    const parts = [true, false].map((low) => this.phases.filter((_, k) => this.t[k] < 0 === low));
    return parts.some((part) => part.length === 0) ? [] : parts.map((part) => new PhaseCell(part));
  }

  /** Parameters on the curve. */
  private at(t: number, count: number): Phase {
    const along = this.middle + this.half * t;
    const across = combined(this.curve, chebyshev(t, this.curve.length));
    const [logRate, logMu] = this.along === 'logRate' ? [along, across] : [across, along];
    return { logRate, logMu, mu: exp(logMu), q: exp(logRate), count };
  }

  /** The rule of m nodes, undefined where there are no more phases than that. */
  rule(m: number): Rule | undefined {
    return this.rules.of(m, () => this.ruleOf(m));
  }

  private ruleOf(m: number): Rule | undefined {
    const { t, weight } = this;
    const found = discreteGauss(t, weight, m);
    if (found === undefined) return undefined;
    const lacking = new Float64Array(2 * m);
    const basis = new Float64Array(2 * m);
    for (let k = 0; k < t.length; k++) {
      chebyshev(t[k], 2 * m, basis);
      for (let i = 0; i < lacking.length; i++) lacking[i] += weight[k] * basis[i];
    }
    let middle = 0;
    for (let j = 0; j < m; j++) {
      chebyshev(found.node[j], 2 * m, basis);
      for (let i = 0; i < lacking.length; i++) lacking[i] -= found.weight[j] * basis[i];
      if (Math.abs(found.node[j]) < Math.abs(found.node[middle])) middle = j;
    }
    // roundings of the sums themselves
    const slack = 4 * U * this.count;
    return {
      nodes: Array.from(found.node, (at, j) => this.at(at, found.weight[j])),
      middle,
      place: found.node[middle],
      lacking: lacking.map((value) => Math.abs(value) + slack),
    };
  }

  /** The phase in the middle of the curve. */
  get centre(): Phase {
    return this.at(0, this.count);
  }

  /** A box that holds the ellipse with parameter ρ and what lies near the curve, around the place t of a node. */
  radii(rho: number, t: number): Radii {
    const { curve, half } = this;
    const along = this.reach(rho, t);
    const aside = this.aside(along);
    const turn = (half * (rho - 1 / rho)) / 2;
    let [across, twist] = [aside, aside];
    const basis = chebyshev(t, curve.length);
    let [up, down] = [rho, 1 / rho];
    for (let i = 1; i < curve.length; i++, up *= rho, down /= rho) {
      across += Math.abs(curve[i]) * ((up + down) / 2 + Math.abs(basis[i]));
      twist += (Math.abs(curve[i]) * (up - down)) / 2;
    }
    return this.along === 'logRate'
      ? { rate: along, mu: across, turn: { rate: turn, mu: twist } }
      : { rate: across, mu: along, turn: { rate: twist, mu: turn } };
  }

  private reach(rho: number, t: number): number {
    return this.half * ((rho + 1 / rho) / 2 + Math.abs(t));
  }

  /** As little as what lies off the curve and what rounding does allow. */
  private aside(along: number): number {
    const { off, count } = this;
    const least = Math.max(ALONG * along, FAR_ASIDE * off, ROUNDED_ASIDE * count * this.size);
    return Math.max(Math.min(ASIDE * along, least), 4 * off);
  }

  /** That of parameters, in units of which they are rounded. */
  private get size(): number {
    return 1 + Math.abs(this.middle) + this.half;
  }

  /** A box that holds all phases and all nodes, all of them real, around the place t on the curve. */
  realRadii(t: number): Radii {
    const { half, curve, off } = this;
    const along = half * (1 + Math.abs(t));
    let across = off;
    const basis = chebyshev(t, curve.length);
    for (let i = 1; i < curve.length; i++) across += Math.abs(curve[i]) * (1 + Math.abs(basis[i]));
    const turn = { rate: 0, mu: 0 };
    return this.along === 'logRate' ? { rate: along, mu: across, turn } : { rate: across, mu: along, turn };
  }

  /**
   * Bound of |Σ count·f − Σ weight·f| over the phases and the nodes of a rule, for an f of the disc of `radii` that is at most 1 there.
   *
   * @param lacking The rule's, or nothing for a plan.
   */
  remainder(m: number, rho: number, t: number, lacking?: Float64Array): number {
    const { count, half, off, offSquare, offMoments, curve } = this;
    const fall = (n: number): number => exp(-n * log(rho)) / (rho - 1);
    let sum = 4 * count * fall(2 * m - 1);
    if (lacking !== undefined)
      for (let i = 0; i < lacking.length; i++) sum += 2 * exp(-i * log(rho)) * lacking[i];
    const aside = this.aside(this.reach(rho, t));
    if (off > 0) {
      const share = off / aside;
      sum += offSquare / (aside * aside * (1 - share));
      const degree = curve.length - 1;
      sum += (2 * Math.sqrt(count * offSquare) * fall(degree)) / aside;
      for (let i = 0; i <= degree; i++) sum += (2 * exp(-i * log(rho)) * offMoments[i]) / aside;
    }
    // parameters are known to a few roundings, and f' is at most one over the distance to the ellipse
    const slope = 1 / (half * ((rho + 1 / rho) / 2 - 1)) + 1 / aside;
    return (sum + count * 16 * U * this.size * slope) * (1 + 1e-9);
  }

  /** What M changes by around a phase, for outputs up to a cut. */
  disc({ mu, q }: Phase, cut: number): PhaseDisc {
    return this.known.of(`${mu}/${q}/${cut}`, () => new PhaseDisc(mu, q, cut));
  }

  private readonly known = new Recent<string, PhaseDisc>(MAX_DISCS);

  /** The ellipses around the cell, how outputs move on the boxes that hold them, about a node at t, and where phases are real; none where that is not known. */
  discs(disc: PhaseDisc, t: number): readonly Around[] {
    return this.moved.of(disc, () => {
      const real = disc.moves(this.realRadii(t));
      return RHOS.flatMap((rho) => {
        const moves = real && disc.moves(this.radii(rho, t));
        return real === undefined || moves === undefined ? [] : [{ rho, moves, real }];
      });
    });
  }

  private readonly moved = new Recent<PhaseDisc, readonly Around[]>(MAX_DISCS);
}

/** An ellipse around a cell, how outputs move on the box that holds it, and on that of its real phases. */
interface Around {
  readonly rho: number;
  readonly moves: Moves;
  readonly real: Moves;
}

/** A combination of the first orthonormal polynomials, in Chebyshev's. */
function inChebyshev(recurrence: Recurrence, inner: Float64Array): Float64Array {
  const m = inner.length;
  const made = new Float64Array(m);
  for (let j = 0; j < m; j++) {
    const angle = (j + 0.5) / m;
    const value = orthonormalAt(recurrence, cosPi(angle)).reduce(
      (sum, p, i) => (i < m ? sum + inner[i] * p : sum),
      0,
    );
    for (let i = 0; i < m; i++) made[i] += ((i === 0 ? 1 : 2) / m) * value * cosPi(i * angle);
  }
  return made;
}

/** T_0 … T_{n−1} at t. */
function chebyshev(t: number, n: number, values = new Float64Array(n)): Float64Array {
  values[0] = 1;
  if (n > 1) values[1] = t;
  for (let i = 2; i < n; i++) values[i] = 2 * t * values[i - 1] - values[i - 2];
  return values;
}

function combined(coefficients: Float64Array, basis: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < coefficients.length; i++) sum += coefficients[i] * basis[i];
  return sum;
}
