import { Recent } from '../../../numeric/recent.js';
import { log } from '../../../numeric/scalar.js';
import type { Nearby } from '../step/gaussian-decay.js';
import type { Cumulant, Decay, SpectralLaw } from '../step/spectral-law.js';
import type { Part, Phase, PhaseCell } from './phase-cell.js';
import { changeBy, type PhaseDisc } from './phase-disc.js';

/** Laws of single phases that are kept: those of two directions' lines and bounds. */
const MAX_LAWS = 2048;

/** Where the laws of single phases come from: whole ones, or those without outputs above a cut. */
export interface PhaseSource {
  /** The largest output, or ∞. */
  readonly cut: number;
  readonly law: (phase: Phase) => SpectralLaw;
  /** Bounds of |φ| for all phases near one. */
  readonly decayNear: (phase: Phase, c: number, nearby: Nearby) => Decay;
}

/** The laws of the phases in the place of many, and bounds of what that changes (docs/proofs/many-phases.md). */
export class PhaseLaws {
  private readonly laws = new Recent<string, SpectralLaw>(MAX_LAWS);
  private readonly cumulants = new Recent<string, Cumulant>(MAX_LAWS);

  constructor(
    readonly root: PhaseCell,
    private readonly source: PhaseSource,
  ) {}

  get cut(): number {
    return this.source.cut;
  }

  of(phase: Phase): SpectralLaw {
    return this.laws.of(`${phase.mu}/${phase.q}`, () => this.source.law(phase));
  }

  decayNear(phase: Phase, c: number, nearby: Nearby): Decay {
    return this.source.decayNear(phase, c, nearby);
  }

  /** log M(c) of one step of a phase. */
  cumulant(phase: Phase, c: number): Cumulant {
    return this.cumulants.of(`${phase.mu}/${phase.q}/${c}`, () => this.of(phase).cumulant(c, 1));
  }

  /** log M(c) of one step of a phase, from below. */
  logLeast(phase: Phase, c: number): number {
    const { value, error } = this.cumulant(phase, c);
    return value - error;
  }

  disc(cell: PhaseCell, phase: Phase): PhaseDisc {
    return cell.disc(phase, this.cut);
  }

  /**
   * Bounds of what a part's rule changes in log M of all of its steps on Re z = c, |z| up to each size.
   *
   * @param least |φ| of the rule's middle node is at least so much there.
   */
  changes({ cell, rule }: Part, c: number, sizes: Float64Array, least: Float64Array): Float64Array {
    const best = new Float64Array(sizes.length);
    if (rule === undefined) return best;
    best.fill(Infinity);
    const node = rule.nodes[rule.middle];
    const logM = this.logLeast(node, c);
    const disc = this.disc(cell, node);
    for (const { rho, moves, real } of cell.discs(disc, rule.place)) {
      const share = cell.remainder(rule.nodes.length, rho, rule.place, rule.lacking);
      for (let i = 0; i < sizes.length; i++) {
        const changes = disc.changes(moves, real, c, sizes[i], logM);
        best[i] = Math.min(best[i], changeBy(changes, share, cell.count, least[i]));
      }
    }
    return best;
  }

  /** The same at z = c; and what weights that do not add up to the count change. */
  changeAt(part: Part, c: number): number {
    const { rule } = part;
    if (rule === undefined) return 0;
    const [change] = this.changes(part, c, Float64Array.of(Math.abs(c)), Float64Array.of(1));
    return change + rule.lacking[0] * Math.abs(this.cumulant(rule.nodes[rule.middle], c).value);
  }
}

/** log q and log μ of a phase. */
export function phaseOf(mu: number, q: number, count: number): Phase {
  return { logRate: log(q), logMu: log(mu), mu, q, count };
}
