import type { Kernel } from '../../../kernel/kernel.js';
import { Once, Recent } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import { nodesIn, type Part, type PhaseCell, SIZES } from './phase-cell.js';
import { changeBy } from './phase-disc.js';
import type { PhaseLaws } from './phase-laws.js';

// Plans: nothing here enters a bracket. A plan follows from the phases, the tilt and the frequencies alone.

/** Places of a line at which |φ| is looked at: where it is small it may change more, but for this much (a logarithm). */
export const PLACES = 12;
const SPARE = 4;
/** A cell is halved rather than given more nodes than this, so often at most. */
const ENOUGH = 7;
const MOST_HALVINGS = 12;
/** Nodes in place of phases, of these, at most: bounds have their price. */
const WORTH = 0.7;
/** |φ| of a step that bounds are guessed for. */
const GUESSED = 0.7;
/** Nodes of cells of so many halvings, where runs are looked at. */
const COARSE_NODES = 5;
const COARSE_HALVINGS = 2;
const MAX_PLANS = 64;

/** What may change in log M of the whole run, for |z| up to a size. */
interface Wanted {
  readonly size: number;
  readonly change: number;
}

/** Which few phases stand for many. */
export class PhasePlans {
  private readonly plans = new Recent<string, readonly Part[]>(MAX_PLANS);
  private readonly few = new Once(() => coarseOf(this.laws.root, 0));

  constructor(
    private readonly laws: PhaseLaws,
    /** What few phases may change in log M of the whole run. */
    readonly most: number,
  ) {}

  /** A handful, for guesses. */
  get coarse(): readonly Part[] {
    return this.few.value;
  }

  /** Few phases for log M(c) within a change. */
  at(c: number, change: number): readonly Part[] {
    return this.plans.of(`${c}/${change}`, () =>
      this.planned(this.laws.root, c, [{ size: Math.abs(c), change: change / 2 }], 0),
    );
  }

  /** Few phases for log M(c + iτ), τ ≤ tau: where |φ| of all steps is small they need not be so good. */
  line(kernel: Kernel, c: number, tau: number): readonly Part[] {
    return this.plans.of(`line/${c}/${tau}`, () => {
      const logMost = log(this.most);
      const profile = this.profile(kernel, c, tau);
      const wanted = [{ size: Math.abs(c), change: this.most / 2 }];
      let largest = -Infinity;
      for (let i = PLACES; i > 0; i--) {
        // the largest |φ| from the place before on: what lies between the two is bounded here
        largest = Math.max(largest, profile[i - 1]);
        const spare = logMost - SPARE - largest;
        const change = spare > 1 ? 0.7 * spare : this.most * exp(Math.min(-logMost, -0.9 * largest));
        wanted.push({ size: Math.sqrt(c * c + ((tau * i) / PLACES) ** 2), change });
      }
      return this.planned(this.laws.root, c, wanted, 0);
    });
  }

  /** About log|φ| of all steps at equal steps up to a frequency. */
  private profile(kernel: Kernel, c: number, tau: number): Float64Array {
    const made = new Float64Array(PLACES + 1);
    for (const part of this.coarse)
      for (const phase of nodesIn(part)) {
        const line = this.laws.of(phase).line(kernel, c, tau / PLACES, PLACES + 1, phase.count);
        for (let i = 0; line !== undefined && i <= PLACES; i++) made[i] += line.logModulus[i];
      }
    return made;
  }

  private planned(cell: PhaseCell, c: number, wanted: readonly Wanted[], depth: number): readonly Part[] {
    const { phases } = cell;
    const itself = [{ cell, rule: undefined }];
    if (phases.length <= SIZES[0]) return itself;
    const m = this.sizeFor(cell, c, wanted);
    const made =
      m !== undefined && this.serves(cell, c, wanted, m) ? [{ cell, rule: cell.rule(m) }] : undefined;
    if (made !== undefined && m !== undefined && m <= ENOUGH) return made;
    const halves = depth < MOST_HALVINGS ? cell.halves() : [];
    if (halves.length === 0) return made ?? itself;
    const parts = halves.flatMap((half) => this.planned(half, c, wanted, depth + 1));
    const best = made !== undefined && countOf(made) <= countOf(parts) ? made : parts;
    return countOf(best) < WORTH * phases.length ? best : itself;
  }

  /** Whether a rule is as good about its own middle node as it is about the cell's middle. */
  private serves(cell: PhaseCell, c: number, wanted: readonly Wanted[], m: number): boolean {
    const rule = cell.rule(m);
    if (rule === undefined) return true;
    const around = { node: rule.nodes[rule.middle], place: rule.place };
    return this.sizeFor(cell, c, wanted, [m], around) !== undefined;
  }

  /** The nodes that a cell needs, guessed from the box around its middle; undefined where none of the rules serves. */
  private sizeFor(
    cell: PhaseCell,
    c: number,
    wanted: readonly Wanted[],
    sizes: readonly number[] = SIZES,
    { node, place } = { node: cell.centre, place: 0 },
  ): number | undefined {
    const { laws } = this;
    const disc = laws.disc(cell, node);
    const logM = disc.nearLogM(c);
    const share = cell.count / laws.root.count;
    let needed = 0;
    // the largest frequencies are most often the ones that ask too much
    for (let k = wanted.length - 1; k >= 0; k--) {
      const { size, change } = wanted[k];
      let least: number | undefined;
      for (const { rho, moves, real } of cell.discs(disc, place)) {
        const changes = disc.changes(moves, real, c, size, logM);
        for (const m of sizes) {
          if (least !== undefined && m >= least) break;
          if (2 * changeBy(changes, cell.remainder(m, rho, place), cell.count, GUESSED) <= share * change)
            least = m;
        }
        if (least !== undefined && least <= needed) break;
      }
      if (least === undefined) return undefined;
      needed = Math.max(needed, least);
    }
    return needed;
  }
}

/** How many laws parts ask for. */
export function countOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + nodesIn(part).length, 0);
}

/** Cells in which runs are looked at. */
export function coarseOf(cell: PhaseCell, depth = 0): readonly Part[] {
  const halves = depth < COARSE_HALVINGS && cell.phases.length > COARSE_NODES ? cell.halves() : [];
  if (halves.length === 0) return [{ cell, rule: cell.rule(COARSE_NODES) }];
  return halves.flatMap((half) => coarseOf(half, depth + 1));
}
