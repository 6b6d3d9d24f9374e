import { U } from '../../../numeric/constants.js';
import {
  discreteGauss,
  orthonormalAt,
  type Recurrence,
  recurrenceOf,
} from '../../../numeric/discrete-gauss.js';
import { Recent } from '../../../numeric/recent.js';
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
const CURVE = 4;
/** A change of log μ changes losses about as often as that of log q. */
const MU_COUNTS = 6;
/** How far off the curve a disc reaches, of what it reaches along it, where phases lie off it and where they do not. */
const ASIDE = 0.25;
const ALONG = 0.02;

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
  private parts: readonly PhaseCell[] | undefined;

  constructor(readonly phases: readonly Phase[]) {
    const span = (of: 'logRate' | 'logMu'): [number, number] => {
      let [low, high] = [Infinity, -Infinity];
      for (const phase of phases) [low, high] = [Math.min(low, phase[of]), Math.max(high, phase[of])];
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
    this.curve = most === least ? Float64Array.of(least) : this.fitted(least, most);
    const moments = new Float64Array(this.curve.length);
    let [off, square] = [0, 0];
    for (let k = 0; k < phases.length; k++) {
      const basis = chebyshev(this.t[k], moments.length);
      const r = phases[k][this.across] - combined(this.curve, basis);
      off = Math.max(off, Math.abs(r));
      square += phases[k].count * r * r;
      for (let i = 0; i < moments.length; i++) moments[i] += phases[k].count * r * basis[i];
    }
    [this.off, this.offSquare, this.offMoments] = [off, square, moments.map(Math.abs)];
  }

  /**
   * The polynomial of least squares, by the orthonormal ones of the points, in Chebyshev's: of the largest degree that strays no further from the
   * middle of what it is fitted to than twice its range, for where few steps weigh little others may swing far beyond them.
   */
  private fitted(least: number, most: number): Float64Array {
    const { t, weight, phases, across } = this;
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
    this.parts ??= this.halved();
    return this.parts;
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
    for (let k = 0; k < t.length; k++) {
      const basis = chebyshev(t[k], 2 * m);
      for (let i = 0; i < lacking.length; i++) lacking[i] += weight[k] * basis[i];
    }
    let middle = 0;
    for (let j = 0; j < m; j++) {
      const basis = chebyshev(found.node[j], 2 * m);
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

  /** Discs that hold the ellipse with parameter ρ and what lies near the curve, around the place t of a node. */
  radii(rho: number, t: number): Radii {
    const { curve } = this;
    const along = this.reach(rho, t);
    let across = this.aside(along);
    let [up, down] = [rho, 1 / rho];
    for (let i = 1; i < curve.length; i++, up *= rho, down /= rho)
      across += Math.abs(curve[i]) * ((up + down) / 2 + 1);
    return this.along === 'logRate' ? { rate: along, mu: across } : { rate: across, mu: along };
  }

  private reach(rho: number, t: number): number {
    return this.half * ((rho + 1 / rho) / 2 + Math.abs(t));
  }

  private aside(along: number): number {
    return Math.max((this.off > 0 ? ASIDE : ALONG) * along, 4 * this.off);
  }

  /** Discs that hold all phases and all nodes, around any one of them, all real. */
  get realRadii(): Radii {
    const { half, curve, off } = this;
    const along = 2 * half;
    let across = off;
    for (let i = 1; i < curve.length; i++) across += 2 * Math.abs(curve[i]);
    return this.along === 'logRate' ? { rate: along, mu: across } : { rate: across, mu: along };
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
    const size = 1 + Math.abs(this.middle) + half;
    const slope = 1 / (half * ((rho + 1 / rho) / 2 - 1)) + 1 / aside;
    return (sum + count * 16 * U * size * slope) * (1 + 1e-9);
  }

  /** What M changes by around a phase, for outputs up to a cut. */
  disc({ mu, q }: Phase, cut: number): PhaseDisc {
    return this.known.of(`${mu}/${q}/${cut}`, () => new PhaseDisc(mu, q, cut));
  }

  private readonly known = new Recent<string, PhaseDisc>(MAX_DISCS);

  /** The ellipses around the cell, and how outputs move on the discs that hold them, about a node at t. */
  discs(disc: PhaseDisc, t: number): readonly { readonly rho: number; readonly moves: Moves }[] {
    let made = this.moved.get(disc);
    if (made === undefined) {
      made = RHOS.flatMap((rho) => {
        const moves = disc.moves(this.radii(rho, t));
        return moves === undefined ? [] : [{ rho, moves }];
      });
      this.moved.set(disc, made);
    }
    return made;
  }

  private readonly moved = new WeakMap<
    PhaseDisc,
    readonly { readonly rho: number; readonly moves: Moves }[]
  >();
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
function chebyshev(t: number, n: number): Float64Array {
  const values = new Float64Array(n);
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
