import { checkLength } from './arguments.js';
import { added, calling, even, type Loop, results, scratch } from './call.js';
import { floats } from './floats.js';

/** Methods of the kernel for masses of one step: of normal mixtures, and on a lattice. */
export interface MassKernel {
  /**
   * The outputs x at which y(x) = log u₊(x) − log u₋(−x), u(x) = Σ w e^{a(x − a/2)}, is each of ascending losses. They are ∓∞ where a loss is not between the two of `ends`, and
   * within the outputs there.
   *
   * @returns The outputs, and bounds of the error of y there.
   */
  mixtureOutputs(
    losses: Float64Array,
    plus: NormalMixture,
    minus: NormalMixture,
    ends: OutputEnds,
  ): { x: Float64Array; off: Float64Array };
  /**
   * The masses of two mixtures, each at its shifts or at their mirror images (−1), between outputs x where the loss may be `off`. Their error bounds
   * hold for cuts at rounded outputs, for losses that are off, and for the roundings of the sums.
   */
  mixtureMasses(
    found: { readonly x: Float64Array; readonly off: Float64Array },
    base: SignedMixture,
    other: SignedMixture,
  ): IntervalMasses;
  /** Two lattice measures from the masses of a step between edges. Ensures: their δ curves lie above and below that of the step. */
  latticeMeasures(step: CutStep, window: LatticeWindow): { upper: Float64Array; lower: Float64Array };
}

/** A normal mixture with its shifts multiplied by a sign, 1 or −1. */
export type SignedMixture = readonly [parts: NormalMixture, sign: 1 | -1];

export interface IntervalMasses {
  readonly p: Float64Array;
  readonly q: Float64Array;
  /**
   * Bound, under Q₀, on the probability by which `p` and `q` of an interval may refer to intervals that are cut differently. It
   * comes on top of a relative error of 1e-15.
   */
  readonly cut: Float64Array;
  /** Bound like `cut`, of the probability under P₀; 0 where absent. */
  readonly cutBase?: Float64Array;
}

/** Lattice points `first` to `last`, `step` apart. */
export interface LatticeWindow {
  readonly step: number;
  readonly first: number;
  readonly last: number;
}

/** A release on a Poisson sample, by its masses between the losses of half cells, and beyond them (assembly/sums/lattice-cells.ts). */
export interface CutStep {
  readonly masses: IntervalMasses;
  /** Edges of the masses: ascending unsampled losses, ∓∞ at the ends. */
  readonly edges: Float64Array;
  readonly rate: number;
  /** Whether P and Q of the sampled step are exchanged, for addition of a record. */
  readonly adds: boolean;
  /** Relative error of the masses of atoms, beyond that of differences of Φ; undefined for other laws. */
  readonly relative: number | undefined;
  /** Q-mass below the first cell; `certain` is the Q-mass that is certainly at the loss +∞. */
  readonly below: number;
  readonly certain: number;
}

/** The two outputs between which outputs are looked for, and their losses. */
export interface OutputEnds {
  readonly outputs: readonly [low: number, high: number];
  readonly losses: readonly [low: number, high: number];
}

/** Σ w N(a, 1) as its parts, shifts a ≥ 0 ascending. */
export interface NormalMixture {
  readonly shift: Float64Array;
  readonly weight: Float64Array;
}

const partsOf = ({ shift, weight }: NormalMixture): Float64Array => Float64Array.of(...shift, ...weight);

export const MASSES: { readonly [K in keyof MassKernel]: Loop<MassKernel[K]> } = {
  mixtureOutputs: {
    price: 250,
    terms: (losses, plus, minus) => (plus.shift.length + minus.shift.length) * losses.length,
    call(losses, plus, minus, ends) {
      const n = losses.length;
      const found = floats(2 * n);
      const [sides, sizes] = [[plus, minus].map(partsOf), [plus.shift.length, minus.shift.length]];
      const operands = [losses, n, sides[0], sizes[0], sides[1], sizes[1], ...ends.outputs, ...ends.losses];
      const gives = () => ({ x: found.subarray(0, n), off: found.subarray(n) });
      return calling(gives, [...operands, results(found, 2)]);
    },
  },
  mixtureMasses: {
    price: 43,
    terms: ({ x }, [base], [other]) => (base.shift.length + other.shift.length) * x.length,
    call({ x, off }, ...mixtures) {
      const n = x.length - 1;
      checkLength('off', off, x.length, ', like "x"');
      const rows = floats(4 * n);
      const sides = mixtures.flatMap(([parts, sign]) => [partsOf(parts), parts.shift.length, sign]);
      const [p, q, cut, cutBase] = [0, 1, 2, 3].map((i) => rows.subarray(i * n, (i + 1) * n));
      const operands = [x, off, n, ...sides, scratch(2 * n + 8), added(rows, even(n), 4)];
      return calling({ p, q, cut, cutBase }, operands);
    },
  },
  latticeMeasures: {
    price: 60,
    terms: ({ edges }) => edges.length,
    call({ masses, edges, rate, adds, relative, below, certain }, { step, first, last }) {
      const n = last - first + 1;
      checkLength('edges', edges, 2 * n + 1);
      const { p, q, cut, cutBase = floats(2 * n) } = masses;
      const [upper, lower] = [floats(n), floats(n)];
      const numbers = [step, first, rate, adds ? 1 : 0, relative ?? -1, below, certain];
      const room = [scratch(19 * n + 27), results(upper), results(lower)];
      return calling({ upper, lower }, [p, q, cut, cutBase, edges, n, ...numbers, ...room]);
    },
  },
};
