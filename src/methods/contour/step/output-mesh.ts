import { subsampledLoss } from '../../../law/subsampling.js';
import { U } from '../../../numeric/constants.js';
import { free } from '../../../numeric/meter.js';
import { exp, expm1, log1p } from '../../../numeric/scalar.js';
import type { ShiftedOutputs } from './shifted-mesh.js';

/** Meshes kept of one step, of 10 kB as a rule: those of the real axis, of the line at hand and of the bounds of |φ|. */
export const KEPT = 4;
/** Nodes that are scanned for the few that matter to a line or a bound, at most. */
export const MAX_SCANNED = 2 ** 16;
/** A mesh that is asked for more grows by this many outputs beyond it. */
const MARGIN = 4;

/** One step of a Poisson-subsampled Gaussian at the outputs x = h·j, in deviations: what sums over outputs share whatever their tilt. */
export interface OutputMesh {
  readonly h: number;
  /** j of the first node. */
  readonly first: number;
  /** φ(x) √2π = e^{−x²/2}. */
  readonly base: Float64Array;
  /** y(x) = log u, u − 1 (∞ where it overflows), and the absolute error of y. */
  readonly loss: Float64Array;
  readonly excess: Float64Array;
  readonly lossError: Float64Array;
}

const FIELDS = ['base', 'loss', 'excess', 'lossError'] as const;

/** The nodes begin … end − 1 of a mesh. */
export interface Stretch {
  readonly mesh: OutputMesh;
  readonly begin: number;
  readonly end: number;
}

/** The meshes of one step: loss y(x) = log u, u = 1 − q + q e^{μx − μ²/2}. */
export class OutputMeshes {
  private readonly kept: OutputMesh[] = [];

  constructor(
    private readonly mu: number,
    private readonly q: number,
    private readonly room: number,
  ) {}

  /** The nodes at the multiples of h from below `from` to above `to`; undefined if there are more than `limit`. */
  covering(h: number, from: number, to: number, limit: number): Stretch | undefined {
    const first = Math.floor(from / h);
    const last = Math.ceil(to / h);
    if (!(last - first < limit)) return undefined;
    // the sums over it cost more
    const mesh = free(() => this.meshOf(h, first, last));
    return { mesh, begin: first - mesh.first, end: last + 1 - mesh.first };
  }

  private meshOf(h: number, first: number, last: number): OutputMesh {
    const { kept } = this;
    const at = kept.findIndex((mesh) => mesh.h === h);
    const [known] = at < 0 ? [] : kept.splice(at, 1);
    let mesh = known;
    if (mesh === undefined) mesh = this.make(h, first, last, undefined);
    else if (first < mesh.first || last >= mesh.first + mesh.loss.length) {
      const margin = Math.ceil(MARGIN / h);
      const low = first < mesh.first ? first - margin : mesh.first;
      const high = Math.max(
        last >= mesh.first + mesh.loss.length ? last + margin : 0,
        mesh.first + mesh.loss.length - 1,
      );
      mesh = this.make(h, low, high, mesh);
    }
    kept.unshift(mesh);
    if (kept.length > this.room) kept.pop();
    return mesh;
  }

  private make(h: number, first: number, last: number, old: OutputMesh | undefined): OutputMesh {
    const { mu, q } = this;
    const n = last - first + 1;
    const array = (): Float64Array => new Float64Array(n);
    const mesh = { h, first, base: array(), loss: array(), excess: array(), lossError: array() };
    const { base, loss, excess, lossError } = mesh;
    const oldBegin = old === undefined ? n : old.first - first;
    const oldEnd = old === undefined ? n : oldBegin + old.loss.length;
    for (let i = 0; i < n; i++) {
      if (i === oldBegin) i = oldEnd;
      if (i >= n) break;
      const x = h * (first + i);
      const s = mu * x - (mu * mu) / 2;
      const v = s > 30 ? Infinity : q * expm1(s);
      const y = s > 30 ? subsampledLoss(s, q) : log1p(v);
      base[i] = exp(-(x * x) / 2);
      loss[i] = y;
      excess[i] = s > 30 ? expm1(y) : v;
      const share = s > 30 ? 1 : (v + q) / (1 + v);
      const rounding = s > 30 ? 2 * Math.abs(s) : 6 * (Math.abs(v) / (1 + v));
      lossError[i] = U * (share * (3 * Math.abs(mu * x) + 2 * mu * mu) + rounding + 2 * Math.abs(y));
    }
    if (old !== undefined) for (const field of FIELDS) mesh[field].set(old[field], oldBegin);
    return mesh;
  }
}

/** A Poisson-subsampled Gaussian step with its outputs. */
export interface SampledPair {
  readonly mu: number;
  readonly q: number;
  readonly meshes: OutputMeshes;
  /** Those off the real axis. */
  readonly shifted: ShiftedOutputs;
}

/** log(φu^c √2π) at a node. */
export function logMass({ h, first, loss }: OutputMesh, c: number, j: number): number {
  const x = h * (first + j);
  return c * loss[j] - (x * x) / 2;
}

/** Its largest value over a stretch. */
export function topOf({ mesh, begin, end }: Stretch, c: number): number {
  let top = -Infinity;
  for (let j = begin; j < end; j++) top = Math.max(top, logMass(mesh, c, j));
  return top;
}
