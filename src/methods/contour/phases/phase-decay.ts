import { Once, Recent } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import type { Decay } from '../step/spectral-law.js';
import type { PhaseCell } from './phase-cell.js';
import { movedBy } from './phase-disc.js';
import type { PhaseLaws } from './phase-laws.js';

/** Cells of so many halvings at least and at most, and where lines are long: as many as keep the frequency (and so much of the tilt) times what losses differ by below an angle. Speed and the lengths of lines hang on them. */
const FEWEST_HALVINGS = 3;
const MOST_HALVINGS = 5;
const LONG_HALVINGS = 9;
const ANGLE = 0.25;
const TILTS = 4;
/** In runs of few steps |φ| of a step is far from 1 where that of all is small: so many samples, this far apart in deviations of the whole loss. */
const FEW_STEPS = 4000;
const SAMPLES = 64;
const APART = 1;
const MAX_KEPT = 16;
const MAX_CELLS = 2048;
/** Outputs at which losses are compared, from where a tilt of 0 or less has them. */
const LIKELY = [-1, 0, 1.5] as const;

type Bounds = Pick<Decay, 'within' | 'beyond'>;

/** Bounds of |φ| of each of `count` steps, and how far their losses lie from one another where outputs are likely. */
interface CountedBounds extends Bounds {
  readonly count: number;
  readonly moved: number;
}

const NOTHING: Bounds = { within: () => 0, beyond: () => ({ log: 0, power: 0 }) };

/** Bounds of |φ| of many phases, from one phase of each of some cells and what all others of it may differ by. */
export class PhaseDecays {
  private readonly known = new Recent<string, readonly CountedBounds[]>(MAX_KEPT);
  private readonly cells = new Recent<string, CountedBounds>(MAX_CELLS);

  constructor(private readonly laws: PhaseLaws) {}

  /** Of the average step. */
  at(c: number): Decay {
    const all = this.laws.root.count;
    const within =
      (most: number): Decay['within'] =>
      (from, to) => {
        let sum = 0;
        for (const { count, within } of this.cellsFor(c, to, most))
          sum += count * Math.min(0, within(from, to));
        return sum / all;
      };
    return {
      within: within(MOST_HALVINGS),
      finer: within(LONG_HALVINGS),
      beyond: (from) => {
        let [height, power] = [0, 0];
        for (const { count, beyond } of this.cellsFor(c, 0, MOST_HALVINGS)) {
          const far = beyond(from);
          height += count * far.log;
          power += count * far.power;
        }
        return { log: height / all, power: power / all };
      },
    };
  }

  /** The cells for frequencies up to tau: halved until losses in them are near enough, or one phase is left. */
  private cellsFor(c: number, tau: number, most: number): readonly CountedBounds[] {
    const rung = Math.ceil(log(Math.max(1e-9, tau, TILTS * Math.abs(c))) / Math.LN2);
    return this.known.of(`${c}/${rung}/${most}`, () =>
      this.halved(this.laws.root, c, exp(rung * Math.LN2), most),
    );
  }

  private halved(
    cell: PhaseCell,
    c: number,
    angle: number,
    most: number,
    depth = 0,
  ): readonly CountedBounds[] {
    const single = cell.phases.length === 1 || depth === most;
    if (single || depth >= FEWEST_HALVINGS) {
      const bounds = this.cells.of(`${c}/${cell.centre.mu}/${cell.centre.q}/${cell.phases.length}`, () =>
        this.boundsOf(cell, c),
      );
      if (single || bounds.moved * angle <= ANGLE) return [bounds];
    }
    const halves = cell.halves();
    return halves.length === 0
      ? [this.boundsOf(cell, c)]
      : halves.flatMap((half) => this.halved(half, c, angle, most, depth + 1));
  }

  private boundsOf(cell: PhaseCell, c: number): CountedBounds {
    const { laws } = this;
    const { count, phases } = cell;
    if (phases.length === 1) {
      const { variance } = laws.cumulant(phases[0], c);
      return { ...this.withSamples(laws.of(phases[0]).decay(c), variance), count, moved: 0 };
    }
    const node = cell.centre;
    const { error, variance } = laws.cumulant(node, c);
    const logM = laws.logLeast(node, c);
    const disc = laws.disc(cell, node);
    const radii = cell.realRadii(0);
    const moves = disc.moves(radii);
    const change = moves ? movedBy(disc.changes(moves, moves, c, Math.abs(c), logM)) : Infinity;
    if (moves === undefined || !(change < 1)) return { ...NOTHING, count, moved: Infinity };
    const moved = (x: number): number => disc.movedAt(moves, x);
    const decay = laws.decayNear(node, c, {
      moved,
      most: (1 + change) * (1 + 2 * error),
      variation: disc.variation(moves, radii, c, logM) / (1 - change),
    });
    return {
      ...this.withSamples(decay, variance),
      count,
      moved: Math.max(...LIKELY.map((x) => moved(x + Math.max(0, c * node.mu)))),
    };
  }

  /** Bounds from samples as well where they are of use. */
  private withSamples(decay: Decay, variance: number): Bounds {
    const { count } = this.laws.root;
    const step = APART / Math.sqrt(count * variance);
    const sampled = new Once(() => decay.sampled?.(step, SAMPLES) ?? (() => 0));
    return {
      beyond: (from) => decay.beyond(from),
      within: (from, to) => {
        const bound = decay.within(from, to);
        if (!(count <= FEW_STEPS && to < (SAMPLES - 1) * step)) return bound;
        return Math.min(bound, sampled.value(from, to));
      },
    };
  }
}
