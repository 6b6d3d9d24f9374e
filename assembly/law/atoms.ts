/** The law of steps with finitely many losses. Numbers after contour.md are sections of docs/proofs/contour.md. */
import { U } from '../../src/kernel/constants.js';
import { vlog } from '../functions/elementary.js';
import { abs, add, all, mul, WIDTH } from '../lane/lanes.js';
import { NOTHING } from '../sums/loss-mesh.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';
import { hasRoom, spend, takeZeros } from '../lane/room.js';
import { LogPhi } from './law.js';
import { Nodes } from './nodes.js';
import { FarDecay, TiltDecay } from './step-law.js';
import { SumLaw } from './sum-law.js';
import { wholeWindow } from './window.js';

/**
 * −log of the relative accuracy of sums along contours. Nodes at the ends that are negligible at this accuracy are left out; the error bound accounts
 * for them.
 */
const DEPTH: f64 = 42;
/** Limit of nodes times frequencies of a contour. */
const MOST_TERMS: f64 = 6e6;

/**
 * The table of a law of finitely many losses. The numbers at its address are: the number of losses; a bound of the relative errors of their masses; a
 * bound of the errors of losses beyond 8 roundings of each; logs of the P-mass and of the Q-mass with infinite or omitted loss; the ascending losses;
 * and their P-masses, all above 0.
 */
class AtomTable extends Nodes {
  constructor(at: usize) {
    super();
    this.n = <usize>loadF64(at);
    if (hasRoom(11 * <f64>this.n)) this.lay(at);
  }

  /** Stores the losses and masses at the address in the rows that `axisMesh` has. Sums over them have no quadrature error. */
  private lay(at: usize): void {
    const n = this.n;
    const stride = this.stride;
    this.mesh = takeZeros(8 * stride);
    const losses = at + 40;
    const row = stride << 3;
    for (let k: usize = 0; k < n << 3; k += 8) {
      storeF64(this.mesh + row + k, loadF64(losses + k));
      storeF64(this.mesh + 5 * row + k, loadF64(losses + (n << 3) + k));
    }
    const last = this.mesh + 6 * row - 8;
    if (n < stride) storeF64(last, 1);
    this.fill(loadF64(at, 8), loadF64(at, 16), row);
    // padding to a full vector has weight 0
    if (n < stride) storeF64(last, NOTHING);
    this.isKnown = true;
  }

  /** Fills the rows of log masses, of their errors and of the losses' errors. Both errors are the stated ones and a few roundings. */
  private fill(massError: f64, lossError: f64, row: usize): void {
    spend(10 * <f64>this.n);
    for (let k = this.mesh; k < this.mesh + row; k += WIDTH) {
      const log = vlog(load(k + 5 * row));
      store(k + 5 * row, log);
      // 16 roundings are for the exponential of the log mass, as in `axisMesh`
      store(k + 3 * row, add(all(massError), mul(all(U), add(all(16), mul(all(2), abs(log))))));
      store(k + 6 * row, add(all(lossError), mul(all(8 * U), abs(load(k + row)))));
    }
  }

  leftOut(_c: f64, _logNorm: f64): f64 {
    return 0;
  }
  ruleError(_c: f64, _logNorm: f64): f64 {
    return 0;
  }
}

/** The law of `count` steps with finitely many losses. */
export class Atoms extends SumLaw {
  private table: Nodes | null = null;

  /** @param at Address of the law's numbers (`AtomTable`). */
  constructor(
    private at: usize,
    count: f64,
  ) {
    super(wholeWindow(loadF64(at, 24), loadF64(at, 32)), DEPTH, count, Infinity, Infinity);
  }

  protected nodesFor(_c: f64): Nodes {
    const known = this.table;
    if (known !== null) return known;
    const made = new AtomTable(this.at);
    this.table = made;
    return made;
  }
  protected mostTerms(): f64 {
    return MOST_TERMS;
  }

  /** φ − 1 by sums over the losses: there is no quadrature error. */
  override phiLessOne(line: LogPhi, c: f64, own: usize): bool {
    const table = this.nodesFor(c);
    if (!table.isKnown || !hasRoom(2 * <f64>table.n)) return false;
    return this.sumsOver(line, c, table.mesh, table.n, 0, own) < Infinity;
  }

  /** There is no bound of |φ|: for atoms it need not decrease with the frequency. */
  decayAt(_c: f64): TiltDecay | null {
    return null;
  }
  farAt(_c: f64): FarDecay | null {
    return null;
  }
}
