import { ellipseHeight, ellipseReach } from '../../../numeric/bernstein-ellipse.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { greatest } from '../../../numeric/extremes.js';
import { Once, Recent } from '../../../numeric/recent.js';
import { cosPi, exp, log, log1p } from '../../../numeric/scalar.js';
import { type Both, type Functionals, type Known, Knowns, logAccepted, type Steps } from './functionals.js';

/** Nodes of a panel, and the ellipse around it. */
const NODES = 22;
const RHO = 4;
/** Half the length of a panel over the width of the steps' Gaussians in ζ, and the longest. */
const LENGTH = 0.5;
const LONGEST = 1;
/** Panels on either side of ζ = 0. */
const MOST_PANELS = 4096;
/** The Lebesgue constant of 22 Chebyshev nodes is less. */
const LEBESGUE = 3.1;
/** Where P(U < K) is less than this, as a logarithm, it is only bounded, and where R is larger than that, falling functionals are what rising ones leave. */
const LIMIT = -42;
const LARGE = 0.1;

type Which = 0 | 1;
type Pair = readonly [Known, Known];

/** One functional on a panel: F = e^{level + tilt(ζ − middle)}·p((ζ − middle)/half), p by its Chebyshev coefficients. */
interface Fit {
  readonly level: number;
  readonly tilt: number;
  readonly terms: Float64Array;
  readonly error: number;
  readonly slope: number;
}

/** The functionals at the nodes of a panel, from left to right, and bounds of |F| on the ellipse: `tops[i]` up to, or from, the real part `ends[i]` on. */
interface Samples {
  readonly middle: number;
  readonly places: readonly number[];
  readonly values: readonly Pair[];
  readonly tops: readonly Pair[];
  readonly ends: readonly number[];
  /** log of what F grows by off the axis. */
  readonly growth: number;
}

/** cos(k(i + ½)π/n), row by row: minus the Chebyshev nodes from left to right, and with them the terms of what is interpolated there. */
function cosinesOf(n: number): Float64Array {
  return Float64Array.from({ length: n * n }, (_, at) =>
    cosPi((Math.floor(at / n) * (2 * (at % n) + 1)) / (2 * n)),
  );
}

/** Functionals as polynomials on panels of ζ, made when first asked for, and relatively exact within what they state. Proofs: docs/proofs/few-steps.md. */
export class StepsTable implements Functionals {
  readonly steps: Steps;
  private readonly half: number;
  private readonly nodes: number;
  private readonly cosines: Float64Array;
  /** K = 1. */
  private readonly one: number;
  private readonly deep = new Once(() => this.deepest());
  private readonly panels = new Recent<number, readonly [Fit, Fit] | undefined>(Infinity);

  constructor(
    private readonly source: Functionals,
    /** Panels of fewer nodes, and so many times as long: what interpolation leaves is charged, width alone hangs on it. */
    { nodes = NODES, stretch = 1 }: { readonly nodes?: number; readonly stretch?: number } = {},
  ) {
    this.steps = source.steps;
    this.half = Math.min(LONGEST, (stretch * LENGTH) / Math.sqrt(this.steps.spread));
    this.nodes = nodes;
    this.cosines = cosinesOf(nodes);
    this.one = log(this.steps.missing);
  }

  at(zetas: Float64Array, falling: boolean): Both | undefined {
    const both = [new Knowns(zetas.length), new Knowns(zetas.length)] as const;
    for (let i = 0; i < zetas.length; i++) {
      const pair = this.pairAt(zetas[i], falling);
      if (pair === undefined) return undefined;
      both[0].set(i, pair[0]);
      both[1].set(i, pair[1]);
    }
    return both;
  }

  private pairAt(zeta: number, falling: boolean): Pair | undefined {
    const left = falling && zeta < this.one ? this.complement(zeta) : undefined;
    if (left !== undefined) return left;
    const index = Math.floor(zeta / (2 * this.half));
    if (!(Math.abs(index) < MOST_PANELS)) return undefined;
    const middle = (2 * index + 1) * this.half;
    const fits = this.panels.of(2 * index + Number(falling), () => {
      const samples = this.sampled(middle, falling);
      return samples && [this.fitOf(samples, 0), this.fitOf(samples, 1)];
    });
    return fits && [this.valueOf(fits[0], zeta - middle), this.valueOf(fits[1], zeta - middle)];
  }

  /** D = G + 1 − K and R = 1 − (G + J)/K, where R is not small. */
  private complement(zeta: number): Pair | undefined {
    const { least, missing, error } = this.steps;
    const rise = exp(zeta);
    const k = least + rise;
    const known = this.rising(zeta);
    if (known === undefined) return undefined;
    const [g, j] = known.map(({ log: value }) => exp(value));
    const [a, b] = [g * known[0].error, j * known[1].error];
    const [first, second] = [missing - rise + g, 1 - (g + j) / k];
    if (!(first > 0 && second > LARGE)) return undefined;
    const rounded = (error + 4 * U) * (missing + rise);
    // dD/dK = −R
    const slope = ((1 + 1e-9) * rise * second) / first;
    return [
      { log: log(first), error: (a + rounded) / first + 8 * U, slope },
      {
        log: log(second),
        error: ((a + b) / k + 16 * U) / second + 8 * U,
        slope: (j * known[1].slope) / (k * second),
      },
    ];
  }

  /** G and J: where they are tiny no more than that they lie between 0 and e^ζ P(U < K), or P(U < K). */
  private rising(zeta: number): Pair | undefined {
    if (zeta > this.deep.value) return this.pairAt(zeta, false);
    const most = { log: LIMIT - Math.LN2, error: 1, slope: 0 };
    return [{ ...most, log: zeta + most.log }, most];
  }

  /** A ζ where P(U < K) is at most e^{LIMIT}. */
  private deepest(): number {
    let zeta = this.one;
    while (logAccepted(this.steps, zeta) > LIMIT) zeta -= this.half;
    return zeta;
  }

  private valueOf({ level, tilt, terms, error, slope }: Fit, distance: number): Known {
    const z = (2 * distance) / this.half;
    let [a, b] = [terms[this.nodes - 1], 0];
    for (let k = this.nodes - 2; k > 0; k--) [a, b] = [terms[k] + (z * a - b), a];
    return { log: level + tilt * distance + log(terms[0] + (0.5 * z * a - b)), error, slope };
  }

  /** What a panel's polynomials are made of. Functionals off the axis are at most what they are on it, `growth` larger, rising ones `shift` further right. */
  private sampled(middle: number, falling: boolean): Samples | undefined {
    const { half, steps, nodes, cosines } = this;
    const [turn, reach] = [ellipseHeight(half, RHO), ellipseReach(half, RHO)];
    const shift = falling ? 0 : (1 - steps.phases.length) * log(cosPi((turn / 2) * INVERSE_PI)) + 1e-9;
    const places = Array.from({ length: nodes }, (_, i) => middle - half * cosines[nodes + i]);
    const asked = falling ? [middle - reach, ...places] : [...places, middle + reach + shift];
    const known = this.source.at(Float64Array.from(asked), falling);
    if (known === undefined) return undefined;
    const tops = asked.map((_, i): Pair => [known[0].at(i), known[1].at(i)]);
    const ends = falling
      ? [...places, middle + reach]
      : [middle - reach, ...places.map((place) => place - shift)];
    const growth = (steps.spread * turn * turn) / 2 + 1e-8;
    return { middle, places, values: falling ? tops.slice(1) : tops.slice(0, -1), ends, growth, tops };
  }

  private fitOf({ middle, places, values, ends, tops, growth }: Samples, which: Which): Fit {
    const { nodes } = this;
    const [first, last] = [values[0][which].log, values[nodes - 1][which].log];
    const tilt = (last - first) / (places[nodes - 1] - places[0]);
    const level = (last + first) / 2;
    // the functional is known on one side of a cell, and e^{−tilt ζ} largest on the other
    const above = tops.map((top, i) => top[which].log + log1p(top[which].error) - tilt * (ends[i] - middle));
    const most = exp(greatest(above) - level + 1e-8);
    const sample = values.map((value, i) => {
      const { log: own, error, slope } = value[which];
      const place = U * (Math.abs(middle) + 3 * this.half);
      return {
        size: exp(own - level - tilt * (places[i] - middle)),
        error: error + U * (8 + 3 * Math.abs(own) + 2 * Math.abs(level)) + (slope + Math.abs(tilt)) * place,
      };
    });
    const interpolation = (most * exp(growth - (nodes - 1) * log(RHO) + 1e-9) * 4) / (RHO - 1);
    const { terms, error, slope } = fitted(sample, this.cosines, interpolation, most);
    const rounding = U * (8 + 4 * Math.abs(level) + 4 * Math.abs(tilt) * (this.half + Math.abs(middle)));
    return { level, tilt, terms, error: error + rounding, slope: slope / this.half + Math.abs(tilt) };
  }
}

/** Chebyshev coefficients of a sample from left to right; what their sum is off, relatively, and a bound of its relative slope: |T_k| ≤ 1 turns each coefficient's error, and each of Clenshaw's roundings, into one of the sum. */
function fitted(
  sample: readonly { readonly size: number; readonly error: number }[],
  cosines: Float64Array,
  interpolation: number,
  most: number,
): Pick<Fit, 'terms' | 'error' | 'slope'> {
  const n = sample.length;
  const size = greatest(sample.map(({ size }) => size));
  const wrong = greatest(sample.map(({ size, error }) => size * error));
  const terms = new Float64Array(n);
  let [rest, rounding, steep] = [0, 0, 0];
  for (let k = 0; k < n; k++) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += sample[n - 1 - i].size * cosines[k * n + i];
    terms[k] = (sum * (k === 0 ? 1 : 2)) / n;
    if (k > 0) rest += Math.abs(terms[k]);
    // |T_k′| ≤ k²
    steep += k * k * Math.abs(terms[k]);
    rounding += 3 * U * Math.abs(terms[k]) * (k + 1) * (k + 2) + 2 * U * (n / 2 + 6) * size;
  }
  const error = interpolation + LEBESGUE * wrong + rounding;
  const least = Math.max(0, terms[0] - rest - error);
  if (error < 0.5 * least) return { terms, error: error / least, slope: (steep + n * n * n * error) / least };
  // no more is known than that it lies between 0 and the most
  terms.fill(0);
  terms[0] = 0.5 * most;
  return { terms, error: 1, slope: 0 };
}
