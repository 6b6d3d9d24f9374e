/** The law of one step, by the text of assembly/law in JavaScript. Each question builds it anew, in a room of its own. */

import { isSpent } from '../../assembly/lane/room.js';
import { Allocation as WholeEpochs } from '../../assembly/law/allocation.js';
import { Bins } from '../../assembly/law/bins.js';
import { CutPowers, GaussianAndRest } from '../../assembly/law/gaussian-and-rest.js';
import { Composed, type Law, LogPhi } from '../../assembly/law/law.js';
import { PhaseStep } from '../../assembly/law/phase-step.js';
import { StepLaw } from '../../assembly/law/step-law.js';
import { wholeLaw } from '../../assembly/law/whole-law.js';
import { EPOCHS, MIXTURE } from '../../src/kernel/constants.js';
import type { KernelStep } from '../../src/kernel/questions.js';
import { type Allocation, allocationStep } from '../../src/methods/contour/kernel-step.js';
import { placed, read, roomy } from './run-laws.js';

/** The points c + iτ, τ = k·dTau, k < n. */
export interface LineNodes {
  readonly c: number;
  readonly dTau: number;
  readonly n: number;
}

/** count·log φ(τ) at the nodes of a line, φ(τ) = M(c + iτ)/M(c). The rounding error is ∞ where |φ| is only bounded. */
export interface LineRows {
  readonly logModulus: Float64Array;
  readonly phase: Float64Array;
  readonly error: Float64Array;
  readonly quadrature: Float64Array;
}

interface Moments {
  readonly value: number;
  readonly error: number;
  readonly mean: number;
  readonly variance: number;
}

/** Bounds of |φ| of one step at one tilt. */
export interface Decay {
  /** Of log|φ| between consecutive ascending frequencies. */
  bounds(taus: Float64Array, enough?: number): Float64Array;
  /** Of log|φ| at frequencies and beyond each, by sums off the axis; undefined where there are none. */
  readonly far: ((taus: Float64Array) => Float64Array) | undefined;
  /** log|φ(τ)| ≤ log − power·log(τ/from) for every τ ≥ from. */
  beyond(from: number): { readonly log: number; readonly power: number };
}

/** The law of a step. */
export class AskedLaw {
  /** @param make The law of `count` steps for questions at the tilt c, in a room that is open. */
  constructor(private readonly make: (count: number, c: number) => Law) {}

  private open(count: number, c: number): Law {
    roomy();
    return this.make(count, c);
  }

  cumulant(c: number, count = 1): Moments {
    const { value, error, mean, variance } = this.open(count, c).cumulant(c);
    return { value, error, mean, variance };
  }

  /** To a few digits, without error bound. */
  approximate(c: number, count = 1): Omit<Moments, 'error'> {
    const { value, mean, variance } = this.open(count, c).approximate(c);
    return { value, mean, variance };
  }

  /** Undefined where that would cost too much. */
  line({ c, dTau, n }: LineNodes, count = 1): LineRows | undefined {
    const law = this.open(count, c);
    const rows = new LogPhi(c, dTau, n, 32 * Math.ceil(n / 32));
    if (!law.addTo(rows, c, 1) || isSpent()) return undefined;
    const [logModulus, phase, error, quadrature] = [0, 1, 2, 3].map((row) =>
      read(rows.rows + 8 * row * rows.room, n),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    return { logModulus, phase, error, quadrature };
  }

  decay(c: number): Decay {
    const opened = (): Law => {
      const law = this.open(1, c);
      law.openDecay(c);
      return law;
    };
    const law = this.open(1, c);
    const hasFar = law instanceof StepLaw && law.farAt(c) !== null;
    return {
      bounds: (taus, enough = -Infinity) => {
        const made = opened();
        const out = placed(new Float64Array(taus.length));
        made.addDecay(placed(taus), taus.length, enough, false, out);
        return read(out, taus.length - 1);
      },
      far: hasFar
        ? (taus) => {
            const paths = (this.open(1, c) as StepLaw).farAt(c)!;
            return taus.map((tau) => paths.logBound(tau));
          }
        : undefined,
      beyond: (from) => {
        const made = opened();
        return { log: made.tailLog(from), power: made.tailPower(from) };
      },
    };
  }
}

const phaseStep = ({ mu, rate, own }: KernelStep): PhaseStep => new PhaseStep(mu, rate, placed(own ?? []));

const isCut = ({ mu }: KernelStep): boolean => mu > 0 || mu === MIXTURE;

/** A step without truncation, as `untruncated` of assembly/law/directions.ts makes it, its integrals good to about e^{−digits}. */
export function lawOfStep(step: KernelStep, digits = 42): AskedLaw {
  return new AskedLaw((count, c) => {
    const depth = digits + Math.log(count) + Math.log(2 + Math.abs(c));
    if (isCut(step)) {
      const own = phaseStep(step);
      return own.law(own.window(Infinity, Infinity, -Infinity), depth, count);
    }
    const at = placed(step.own!);
    return step.mu === EPOCHS ? new WholeEpochs(new Bins(at), count) : wholeLaw(step.mu, at, depth, count);
  });
}

/** A sampled Gaussian or a mixture under the window that begins to cut at `cut`; both numbers are ∞ where all outputs are kept. */
export function windowedLaw(
  step: KernelStep,
  [cut, width]: readonly [cut: number, width: number],
  depth: number,
): AskedLaw {
  return new AskedLaw((count) => {
    const own = phaseStep(step);
    return own.law(own.window(cut, width, -Infinity), depth, count);
  });
}

/** A law without its largest outputs, and logs of bounds of the masses that they have and of those that are left. */
export interface TruncatedLaw {
  readonly law: AskedLaw;
  readonly cut: number;
  readonly logLostP: number;
  readonly logLostQ: number;
  readonly logMassP: number;
  readonly logMassQ: number;
  /** About the largest tilt at which M is known. */
}

/** A sampled Gaussian or a mixture without about e^{logMass} of the mass of Q, under an edge of this width. */
export function truncatedLaw(step: KernelStep, logMass: number, depth: number, width: number): TruncatedLaw {
  roomy();
  const own = phaseStep(step);
  const window = own.window(own.cutFor(logMass, width), width, -Infinity);
  const { cut, logLostP, logLostQ } = window;
  const run = new Composed();
  run.lose(logLostP, logLostQ, 1);
  const { logMassP, logMassQ } = run;
  const law = windowedLaw(step, [cut, width], depth);
  return { law, cut, logLostP, logLostQ, logMassP, logMassQ };
}

/** A full epoch without outputs where |η| > reach, of mass `most` at most; undefined where none of use loses so little. */
export function cutEpoch(
  epoch: Allocation,
  most: number,
): { readonly law: AskedLaw; readonly lost: number; readonly reach: number } | undefined {
  const { own } = allocationStep(epoch);
  roomy();
  const powers = new CutPowers(placed(own!));
  if (!powers.lose(Math.log(most))) return undefined;
  const { h: reach, lost } = powers;
  const law = new AskedLaw((count) => {
    const at = placed(own!);
    const cut = new CutPowers(at);
    cut.cut(reach);
    return new GaussianAndRest(new Bins(at), cut, count);
  });
  return { law, lost, reach };
}
