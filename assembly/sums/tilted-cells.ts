/**
 * Bounds of a tilted law between the quadrature nodes of a Poisson-subsampled Gaussian step. They are masses and means on cells of losses, and the
 * total variation of the density.
 */
import { DENSITY_ERROR, INVERSE_SQRT_2PI, U } from '../../src/kernel/constants.js';
import { vexp, vlog, vlog1p } from '../functions/elementary.js';
import { tiltedLaw } from './mesh-sums.js';
import { all, lane0, requireBlock } from '../lane/lanes.js';
import { loadF64, storeF64 } from '../lane/memory.js';

/** Cells with a smaller weight, relative to the largest, are left out. Only speed and width depend on it. */
const LEAST_CELL: f64 = 4.2e-18;

/* @inline */ function exp(x: f64): f64 {
  return lane0(vexp(all(x)));
}

/**
 * Stores two cells between each pair of neighbouring nodes, with lower bounds of the tilted law's masses and means of the loss
 * (docs/proofs/contour.md 13). The n nodes are at `mesh`, in eight rows of `stride` (even) numbers. The cells go to five rows of 2·stride numbers at
 * `cells`. Returns the number of cells. `work` is room for what `tiltedLaw` gives: two rows of `stride` and 8 numbers.
 *
 * The loss at an output x is y = log u, u = A + B. Here A = 1 − q and B = qe^s, s = μx − μ²/2. y″ = μ²w(1 − w), where the share w of B in u
 * increases. So y″ ≤ K = μ²w_b(1 − w_a) between two nodes a and b at the distance h. There log φWu^c is at least its chord minus max(0, cK − 1)h²/8;
 * φ is the normal density, W the window. The mean of the exponential of a chord is at least the geometric mean of its ends. So the integral is at
 * least h·√(f_a f_b)·(1 − max(0, cK − 1)h²/8), f = φWu^c.
 *
 * Let L = log f_b/f_a. The mean output of this mass lies (coth(L/2)/2 − 1/L)·h behind the middle. (L/12)/(1 + L²/60) approximates that within L⁵/10⁵
 * and within ½. y is at most its chord, and at least that minus K·h²/8.
 * @param tilt Five numbers: c, μ, h, log M(c) and a bound of its error.
 */
export function tiltedCells(
  mesh: usize,
  stride: usize,
  n: usize,
  tilt: usize,
  work: usize,
  cells: usize,
): f64 {
  requireBlock(cells, 10 * stride);
  const c = loadF64(tilt);
  const mu = loadF64(tilt, 8);
  const h = loadF64(tilt, 16);
  const logM = loadF64(tilt, 24);
  const error = loadF64(tilt, 32);
  const weight = work;
  const errors = weight + (stride << 3);
  const sums = errors + (stride << 3);
  tiltedLaw(mesh, stride, c, weight, errors, sums);
  let wrong = error;
  for (let j: usize = 0; j < n << 3; j += 8) {
    const own = loadF64(errors + j);
    if (loadF64(weight + j) > LEAST_CELL && !(own <= wrong)) wrong = own;
  }
  const sure = 1 - error - wrong - 1e-9;
  const unit = sure > 0 ? exp(loadF64(sums) - logM) * INVERSE_SQRT_2PI * sure * (0.5 * h) : 0;
  const eighth = (h * h) / 8;
  const row = stride << 3;
  const loss = mesh + row;
  const height = mesh + 5 * row;
  const lossError = mesh + 6 * row;
  const shares = mesh + 7 * row;
  const first = cells;
  for (let j: usize = 8; j < n << 3; j += 8) {
    const before = loadF64(weight + j - 8);
    const behind = loadF64(weight + j);
    if (!(before > LEAST_CELL && behind > LEAST_CELL)) continue;
    const curve = mu * mu * (1 + 1e-9) * loadF64(shares + j) * (1 - loadF64(shares + j - 8));
    const excess = c * curve - 1;
    const bent = excess > 0 ? 1 - excess * eighth : 1;
    if (!(bent > 0)) continue;
    // each gap is halved: the bounds stated above apply to either half
    const start = loadF64(loss + j - 8);
    const whole = loadF64(loss + j) - start;
    const rise = 0.5 * (c * whole + loadF64(height + j) - loadF64(height + j - 8));
    const square = rise * rise;
    const bow = curve * eighth;
    const step = 0.5 * whole;
    const off = loadF64(lossError + j) + loadF64(lossError + j - 8);
    const most = 1e-5 * square * square * (rise < 0 ? -rise : rise);
    const away = step * (most < 0.5 ? most : 0.5) + 0.5 * bow + off;
    const middle = start + step * (0.5 + rise / (12 + 0.2 * square)) - 0.5 * bow;
    const ratio = Math.sqrt(behind / before);
    const mass = unit * bent * before * Math.sqrt(ratio);
    const between = step > bow ? step - bow : 0;
    putCell(cells, row, start - off, start + step + off, mass, middle, away);
    putCell(cells + 8, row, start + between - off, start + whole + off, mass * ratio, middle + step, away);
    cells += 16;
  }
  return <f64>((cells - first) >> 3);
}

/** Stores a cell: both ends of its losses, its mass, the mean loss, and the error of the mean. Exact. */
/* @inline */ function putCell(
  at: usize,
  row: usize,
  low: f64,
  high: f64,
  mass: f64,
  mean: f64,
  off: f64,
): void {
  storeF64(at, low);
  storeF64(at + 2 * row, high);
  storeF64(at + 4 * row, mass);
  storeF64(at + 6 * row, mean);
  storeF64(at + 8 * row, off);
}

/**
 * Six numbers to `out` about g = φWu^c/y′·√2π at the n outputs h·first, … of a mesh; |(log g)″| ≤ bend/h². Up to a factor g is the tilted density of
 * the loss y = log u, φ the normal density, W the window. They are: log g at the first, at the last but one, and at the last output; the log of the
 * largest g; Σ max(g)·(|Δ log g| + bend + 4·DENSITY_ERROR) over gaps, divided by the largest g; and the error of the logs. e^{bend/8} times the sum
 * bounds the variation of g (contour.md 12).
 * @param tilt Six numbers: c, μ, q, h, first and bend.
 */
export function densityVariation(
  mesh: usize,
  stride: usize,
  n: usize,
  tilt: usize,
  logs: usize,
  out: usize,
): void {
  requireBlock(mesh, 8 * stride);
  const c = loadF64(tilt);
  const mu = loadF64(tilt, 8);
  const q = loadF64(tilt, 16);
  const h = loadF64(tilt, 24);
  const first = loadF64(tilt, 32);
  const bend = loadF64(tilt, 40);
  requireBlock(logs, stride);
  const row = stride << 3;
  const loss = mesh + row;
  const height = mesh + 5 * row;
  const size = c < 0 ? -c : c;
  const half = 0.5 * (mu * mu);
  const odds = (1 - q) / q;
  const logMu = lane0(vlog(all(mu)));
  let top: f64 = -Infinity;
  let worst: f64 = 0;
  for (let j: usize = 0; j < n << 3; j += 8) {
    const x = h * (first + <f64>(j >> 3));
    const y = loadF64(loss + j);
    const steep = lane0(vlog1p(all(odds * exp(half - mu * x))));
    const own = steep + (c * y + loadF64(height + j) - logMu);
    storeF64(logs + j, own);
    if (!(own <= top)) top = own;
    const off = loadF64(mesh + 3 * row + j) + size * (loadF64(mesh + 6 * row + j) + 4 * U * (y < 0 ? -y : y));
    if (!(off <= worst)) worst = off;
  }
  let sum: f64 = 0;
  for (let j: usize = 8; j < n << 3; j += 8) {
    const before = loadF64(logs + j - 8);
    const behind = loadF64(logs + j);
    const apart = behind - before;
    const larger = apart > 0 ? behind : before;
    sum += exp(larger - top) * ((apart < 0 ? -apart : apart) + bend + 4 * DENSITY_ERROR);
  }
  const last = logs + ((n - 1) << 3);
  storeF64(out, loadF64(logs));
  storeF64(out, n > 1 ? loadF64(last - 8) : -Infinity, 8);
  storeF64(out, loadF64(last), 16);
  storeF64(out, top, 24);
  storeF64(out, sum, 32);
  storeF64(out, worst, 40);
}
