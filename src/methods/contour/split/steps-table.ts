import { ellipseHeight, ellipseReach } from '../../../numeric/bernstein-ellipse.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { Once, Recent } from '../../../numeric/recent.js';
import { cosPi, exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import type { SampledPhase } from './split-lines.js';

/** Nodes of a panel, and the ellipses tried around it. */
export const NODES = 16;
const RHOS = [3, 5, 7.5, 11] as const;
/** Length of a panel over the width of the steps' Gaussians in ζ, and the longest. */
const LENGTH = 0.9;
const LONGEST = 0.7;
/** Panels on either side of K = 1, and how often one is halved, at most. */
const MOST_PANELS = 4096;
const HALVINGS = 4;
/** Places where values are kept for bounds, a panel: 2^HALVINGS. Rising functionals are bounded on cells of a quarter of a panel. */
const PLACES = 16;
const CELL = 4;
/** Ellipses end where their argument turns this far. */
const WIDEST = 2.4;
/** What interpolation may leave, as a logarithm of a share of the functional. */
const SHARE = -32;
/**
 * A last table's panels whose first functional is below the first of these, as a logarithm, are only bounded, and from the second on not made at all; the table
 * before goes deeper by the third. Speed and width hang on them.
 */
const ROUGH = -42;
const DEEPEST = -64;
const DEEPER = -20;
/** The Lebesgue constant of 16 Chebyshev nodes is less. */
const LEBESGUE = 2.8;

/** What k steps are to the bounds of their functionals. */
export interface Steps {
  readonly count: number;
  /** Σ 1/μ². */
  readonly spread: number;
  /** a = ∏ (1 − q), the least likelihood ratio, and 1 − a with what rounding does to it, relatively. */
  readonly least: number;
  readonly missing: number;
  readonly error: number;
}

export function stepsOf(phases: readonly SampledPhase[]): Steps {
  const logLeast = phases.reduce((sum, { rate }) => sum + log1p(-rate), 0);
  return {
    count: phases.length,
    spread: phases.reduce((sum, { mu }) => sum + 1 / (mu * mu), 0),
    least: exp(logLeast),
    missing: -expm1(logLeast),
    error: U * (6 + phases.length),
  };
}

/** Panels and bands: stretches of ζ from K = 1 on, up and down. */
function lengthOf({ spread }: Steps): number {
  return Math.min(LONGEST, LENGTH / Math.sqrt(spread));
}

export function bandOf(steps: Steps, zeta: number): { index: number; middle: number; last: number } {
  const [one, length] = [log(steps.missing), lengthOf(steps)];
  const index = Math.floor((zeta - one) / length);
  return { index, middle: one + (index + 0.5) * length, last: one + (index + 1 + 1e-9) * length };
}

/** Two functionals at one place: logarithms, relative errors, and bounds of |d log F/dζ|. */
export interface Values {
  readonly log: readonly [number, number];
  readonly error: readonly [number, number];
  readonly slope: readonly [number, number];
}

/** The falling functionals D and R, and the rising ones G and J, at K = a + e^ζ: see `StepsTable`. */
export interface Both {
  readonly falling: Values;
  readonly rising: Values;
}

/** One polynomial for each functional of a pair: F = e^{level + tilt(ζ − middle)}·p((ζ − middle)/half). */
export interface Fit {
  readonly level: number;
  readonly tilt: number;
  /** Chebyshev coefficients of the two, one after the other. */
  readonly terms: Float64Array;
  readonly error: readonly [number, number];
  readonly slope: readonly [number, number];
  /** log of a bound of the polynomial and its error. */
  readonly top: readonly [number, number];
}

export interface Panel {
  readonly middle: number;
  readonly half: number;
  readonly falling: Fit;
  readonly rising: Fit;
}

/** cos(k(i + ½)π/n): Chebyshev's nodes, and with them the terms of what is interpolated there. */
const COSINES = Float64Array.from({ length: NODES * NODES }, (_, at) => {
  const [k, i] = [Math.floor(at / NODES), at % NODES];
  return cosPi((k * (2 * i + 1)) / (2 * NODES));
});

/**
 * Functionals of the likelihood ratio U of k steps, at K = a + e^ζ, a the least U: D = E[(U − K)⁺], R = P(U > K), which fall, and G = E[(K − U)⁺],
 * J = E[U; U < K], which rise, U under P. Each is a polynomial on panels of ζ, made when first asked for, and relatively exact within what it states:
 * a function of the steps and the panel alone, so no answer depends on what was asked before. Proofs: docs/proofs/few-steps.md.
 */
export class StepsTable {
  private readonly one: number;
  private readonly length: number;
  private readonly panels = new Recent<number, readonly Panel[]>(Infinity);
  private readonly edges = new Recent<number, Both>(Infinity);
  private readonly limits = new Once(() => this.limited());

  constructor(
    readonly steps: Steps,
    /** The values to interpolate, of the falling functionals K ≥ 1 or of the rising ones. */
    private readonly source: (zeta: number, above: boolean) => Both,
    /** Tables that are to be made of this one; Infinity where values cost so little that any depth may be asked for. */
    private readonly later: number,
    /** Panels this many times as long, and halved until interpolation leaves this share: what it leaves is charged, width alone hangs on it. */
    private readonly coarse: { readonly stretch: number; readonly share: number } = {
      stretch: 1,
      share: SHARE,
    },
  ) {
    this.one = log(steps.missing);
    this.length = lengthOf(steps) * coarse.stretch;
  }

  /** The panel of a ζ; undefined far outside of what any question needs. */
  panelAt(zeta: number): Panel | undefined {
    const place = (zeta - this.one) / this.length;
    const index = Math.floor(place);
    return partAt(this.partsAt(index), place - index);
  }

  /** Those of several, of which neighbours often share one; false where one is missing. */
  panelsAt(zetas: Float64Array, panels: Panel[]): boolean {
    let [known, parts]: [number, readonly Panel[]] = [Number.NaN, []];
    for (let i = 0; i < zetas.length; i++) {
      const place = (zetas[i] - this.one) / this.length;
      const index = Math.floor(place);
      if (index !== known) [known, parts] = [index, this.partsAt(index)];
      const panel = partAt(parts, place - index);
      if (panel === undefined) return false;
      panels[i] = panel;
    }
    return true;
  }

  /** The panels of a stretch; none far outside of what any question needs. */
  private partsAt(index: number): readonly Panel[] {
    if (!(index >= -MOST_PANELS && index < MOST_PANELS)) return [];
    if (this.later < Infinity) {
      const { first, last, below, beyond } = this.limits.value;
      if (index < first) return below;
      if (index >= last) return beyond;
    }
    return this.panels.of(index, this.make);
  }

  /** log of a functional at ζ, from above. */
  above(falling: boolean, which: 0 | 1, zeta: number): number {
    const panel = this.panelAt(zeta);
    if (panel === undefined) return falling ? 0 : Math.max(0, zeta);
    const { level, tilt, top, error } = falling ? panel.falling : panel.rising;
    // G ≤ e^ζ and J ≤ 1
    if (!(error[0] < Infinity)) return falling ? 0 : Math.max(0, zeta);
    return level + tilt * (zeta - panel.middle) + top[which] + 1e-9;
  }

  /** Where functionals are too small to be known, and what is known of them there: between 0 and e^{level}. */
  private limited(): Limits {
    const size = (place: number): number =>
      (place < 0 ? this.edge(place).rising : this.edge(place).falling).log[0];
    const deepest = DEEPEST + DEEPER * this.later;
    let [first, last] = [-2, 2];
    while (last < MOST_PANELS && size(last * PLACES) > deepest) last += 2;
    while (first > -MOST_PANELS && size(first * PLACES) > deepest) first -= 2;
    const bounded = ({ log: logs, error }: Values): Fit =>
      between([logs[0] + log1p(error[0]), logs[1] + log1p(error[1])], 1);
    const none = between([0, 0], 1);
    const [low, high] = [this.edge(first * PLACES), this.edge(last * PLACES)];
    const [middle, half] = [0, Infinity];
    return {
      first,
      last,
      below: [{ middle, half, falling: none, rising: bounded(low.rising) }],
      beyond: [{ middle, half, falling: bounded(high.falling), rising: between([0, 0], Infinity) }],
    };
  }

  private readonly make = (index: number): readonly Panel[] => {
    const deep =
      this.later < Infinity && this.planOf(index * PLACES, PLACES).level < ROUGH + DEEPER * this.later;
    for (let halvings = 0; ; halvings++) {
      const parts = 2 ** halvings;
      const each = PLACES / parts;
      const plans = Array.from({ length: parts }, (_, i) => this.planOf(index * PLACES + i * each, each));
      if (halvings < HALVINGS && !deep && plans.some(({ good }) => !good)) continue;
      return plans.map((plan) => this.panelOf(plan, index >= 0));
    }
  };

  private edge(place: number): Both {
    return this.edges.of(place, () => this.source(this.zetaAt(place), place >= 0));
  }

  private zetaAt(place: number): number {
    return this.one + (place / PLACES) * this.length;
  }

  /** Tilts of a panel and bounds of what interpolation leaves, in units of e^{level}. */
  private planOf(from: number, places: number): Plan {
    const [left, right] = [this.edge(from), this.edge(from + places)];
    const half = ((places / PLACES) * this.length) / 2;
    const middle = this.zetaAt(from + places / 2);
    const falls = from >= 0;
    const plan = (falling: boolean): FitPlan => {
      const [a, b] = falling ? [left.falling.log, right.falling.log] : [left.rising.log, right.rising.log];
      const tilted = falling === falls && a[0] > -Infinity && b[0] > -Infinity;
      const tilt = tilted ? (b[0] - a[0]) / (2 * half) : 0;
      const level = tilted ? (a[0] + b[0]) / 2 : Math.max(a[0], b[0]);
      const bounds = ([0, 1] as const).map((which) => {
        const at = (rho: number): number => this.most({ falling, which, tilt, middle, half }, rho) - level;
        let error = Infinity;
        for (const rho of RHOS) {
          const size = at(rho) + log(4 / (rho - 1)) - (NODES - 1) * log(rho);
          error = Math.min(error, size + 1e-9);
        }
        const least = Math.min(a[which] + tilt * half, b[which] - tilt * half) - level;
        const [end, from] = falling ? [left.falling, a] : [right.rising, b];
        const most = from[which] + log1p(end.error[which]) + Math.abs(tilt) * half - level + 1e-9;
        return { error: exp(error), most, good: error < this.coarse.share + least };
      });
      return { falling, tilt, level, bounds };
    };
    const fits = [plan(true), plan(false)] as const;
    const { level } = fits[falls ? 0 : 1];
    return { middle, half, fits, level, good: fits.every(({ bounds }) => bounds.every(({ good }) => good)) };
  }

  /** log of the largest |Fe^{−tilt(ζ − middle)}| on an ellipse around a panel: numbers 1 and 2 of few-steps.md. */
  private most({ falling, which, tilt, middle, half }: Around, rho: number): number {
    const { spread, count } = this.steps;
    const turn = ellipseHeight(half, rho);
    if (turn > WIDEST) return Infinity;
    const shift = falling ? 0 : -(count - 1) * log(cosPi((turn / 2) * INVERSE_PI));
    const unit = this.length / PLACES;
    const reach = ellipseReach(half, rho);
    const convex = falling || count === 1;
    const every = convex ? PLACES : CELL;
    const first = Math.floor(((middle - reach + shift - this.one) / unit - 1e-6) / every) * every;
    const last = Math.ceil(((middle + reach + shift - this.one) / unit + 1e-6) / every) * every;
    let top = -Infinity;
    for (let place = first; place <= last; place += every) {
      const { log: logs, error } = falling ? this.edge(place).falling : this.edge(place).rising;
      // a rising functional is largest at the right end of a cell, and what it is divided by least at one of the two
      const back = convex || tilt < 0 ? 0 : every * unit;
      top = Math.max(top, logs[which] + log1p(error[which]) - tilt * (this.zetaAt(place) - back - middle));
    }
    const bulge = convex ? (spread * this.length * this.length) / 8 : 0;
    return top + bulge + tilt * shift + (spread * turn * turn) / 2 + 1e-9 * (1 + Math.abs(top));
  }

  private panelOf({ middle, half, fits }: Plan, above: boolean): Panel {
    const places = Array.from({ length: NODES }, (_, i) => middle + half * COSINES[NODES + i]);
    const values = places.map((zeta) => this.source(zeta, above));
    const fitOf = ({ falling, tilt, level, bounds }: FitPlan): Fit => {
      const terms = new Float64Array(2 * NODES);
      const parts = bounds.map((bound, which) => {
        const sample = values.map((value, i) => {
          const { log: logs, error: errors, slope } = falling ? value.falling : value.rising;
          const size = exp(logs[which] - level - tilt * (places[i] - middle));
          const place = U * (Math.abs(middle) + 3 * half);
          const rounding = U * (8 + 3 * Math.abs(logs[which]) + 2 * Math.abs(level)) + slope[which] * place;
          return { size, error: errors[which] + rounding };
        });
        return fitted(sample, bound, half, terms.subarray(which * NODES, (which + 1) * NODES));
      });
      const pair = (of: (part: Fitted) => number): [number, number] => [of(parts[0]), of(parts[1])];
      return {
        level,
        tilt,
        terms,
        error: pair((part) => part.error),
        slope: pair((part) => part.slope + Math.abs(tilt)),
        top: pair((part) => part.top),
      };
    };
    return { middle, half, falling: fitOf(fits[0]), rising: fitOf(fits[1]) };
  }
}

/** The stretches between which functionals are known, and what is known beyond. */
interface Limits {
  readonly first: number;
  readonly last: number;
  readonly below: readonly Panel[];
  readonly beyond: readonly Panel[];
}

/** The part of a stretch at a share of its length. */
function partAt(parts: readonly Panel[], share: number): Panel | undefined {
  const n = parts.length;
  return parts[Math.min(n - 1, Math.floor(share * n))];
}

/** What a panel is made of: `error` of the interpolation, in units of e^{level}. */
interface FitPlan {
  readonly falling: boolean;
  readonly tilt: number;
  readonly level: number;
  readonly bounds: readonly (FitBound & { readonly good: boolean })[];
}

interface FitBound {
  readonly error: number;
  /** log of the largest on the panel. */
  readonly most: number;
}

interface Plan {
  readonly middle: number;
  readonly half: number;
  readonly fits: readonly [FitPlan, FitPlan];
  /** log of about how large the functional is that is small here. */
  readonly level: number;
  readonly good: boolean;
}

interface Around {
  readonly falling: boolean;
  readonly which: 0 | 1;
  readonly tilt: number;
  readonly middle: number;
  readonly half: number;
}

interface Fitted {
  readonly error: number;
  readonly slope: number;
  readonly top: number;
}

/** What is known to lie between 0 and e^{tops}, and no more. */
function between(tops: readonly [number, number], error: number): Fit {
  const terms = new Float64Array(2 * NODES);
  const [level] = tops;
  terms[0] = 0.5;
  terms[NODES] = 0.5 * exp(tops[1] - level);
  const top = [1e-9, tops[1] - level + 1e-9] as const;
  return { level, tilt: 0, terms, error: [error, error], slope: [0, 0], top };
}

/** Chebyshev coefficients of a sample, and what their sum is off, relatively: |T_k| ≤ 1 turns each coefficient's error, and each of Clenshaw's roundings, into one of the sum. */
function fitted(
  sample: readonly { readonly size: number; readonly error: number }[],
  { error: interpolation, most }: FitBound,
  half: number,
  terms: Float64Array,
): Fitted {
  let wrong = 0;
  let size = 0;
  for (const { size: value, error } of sample) {
    size = Math.max(size, value);
    wrong = Math.max(wrong, value * error);
  }
  let rest = 0;
  let rounding = 0;
  let steep = 0;
  for (let k = 0; k < NODES; k++) {
    let sum = 0;
    for (let i = 0; i < NODES; i++) sum += sample[i].size * COSINES[k * NODES + i];
    terms[k] = (sum * (k === 0 ? 1 : 2)) / NODES;
    if (k > 0) rest += Math.abs(terms[k]);
    // |T_k′| ≤ k²
    steep += k * k * Math.abs(terms[k]);
    rounding += 3 * U * Math.abs(terms[k]) * (k + 1) * (k + 2) + 2 * U * (NODES / 2 + 6) * size;
  }
  const error = interpolation + LEBESGUE * wrong + rounding;
  const least = Math.max(0, terms[0] - rest - error);
  if (!(error < 0.5 * least)) {
    // no more is known than that it lies between 0 and the most
    terms.fill(0);
    terms[0] = 0.5 * exp(most);
    return { error: 1, slope: 0, top: most };
  }
  return {
    error: error / least,
    slope: (steep + NODES * NODES * NODES * error) / (half * least),
    top: log(terms[0] + rest + error),
  };
}
