/** The outputs of a Poisson-subsampled Gaussian step under a tilt: φu^c at the nodes of panels, rows as `panelMesh` makes them. u = 2⁻⁵³. */
import { U } from '../src/kernel/constants.js';
import { vexp } from './elementary.js';
import { abs, add, all, div, join, lane0, lane1, mul, pmax, requireBlock, sub, WIDTH } from './lanes.js';
import { load, loadF64, store, storeF64 } from './memory.js';

/** The larger lane. */
/* @inline */ function largest(x: v128): f64 {
  return lane0(pmax(x, all(lane1(x))));
}

/** c·y − x²/2 at a node of a table. */
/* @inline */ function heightAt(node: usize, row: usize, c: v128): v128 {
  const x = load(node + 5 * row);
  return sub(mul(c, load(node + row)), mul(all(0.5), mul(x, x)));
}

/**
 * The largest c·log u − x²/2 on each of the first m panels of `size` nodes, to `out`, and the same of c·log|u| at the angle that the table was made for, m numbers (an even
 * one) further; nine rows of `stride` at `table`.
 */
export function panelTops(table: usize, stride: usize, m: usize, size: usize, c: f64, out: usize): void {
  requireBlock(table, 9 * stride);
  const row = stride << 3;
  const side = size << 3;
  const second = (m + (m & 1)) << 3;
  const C = all(c);
  for (const last = table + m * side; table < last; table += side, out += 8) {
    let on = all(-Infinity);
    let off = all(-Infinity);
    for (let node = table; node < table + side; node += WIDTH) {
      const height = heightAt(node, row, C);
      on = pmax(on, height);
      off = pmax(off, add(height, mul(C, load(node + 8 * row))));
    }
    storeF64(out, largest(on));
    storeF64(out + second, largest(off));
  }
}

/** Heights below e^{this} of the top make no cells. */
/* @inline */ const LEAST_CELL: f64 = 4.2e-18;
/** Cells between two nodes, at most, and the gap from which there are so many. Speed alone hangs on them. */
/* @inline */ const MOST_CELLS: usize = 2;
/* @inline */ const WIDE_GAP: f64 = 0.08;
/** Parts of a law that bound |φ|: their least mass, and their number beside the law itself. Speed alone hangs on them. */
/* @inline */ const LEAST_PART: f64 = 1e-5;
/* @inline */ const MOST_PARTS: usize = 18;

/**
 * φu^c at the first n nodes of a table of nine rows of `stride`, in units of e^{top}. To `out` 64 numbers, of which are used Σ f, Σ fy, Σ fy², Σ f|y|, Σ f|y|e, Σ fe (f the weights,
 * e their relative errors), Σ f times the error of y, 0, the number of cells and that of parts; and of each part P_B, 2 numbers: 1 − P_B and V_B, both from above. Then two rows of n, f and
 * e. Then five rows of 2n, cells between neighbouring nodes as `decayBounds` takes them: low ends of the loss, high ends, masses of the tilted law from below, means of the loss, and how
 * far off these are at most. Behind them four rows of n are scratch.
 *
 * Cells. y″ = μ²w(1 − w) with a share w of B in u that rises: K = μ²w_b(1 − w_a) is no less between two nodes a and b. There log φu^c exceeds its chord less
 * max(0, cK − 1)gap²/8, and the larger of its ends by at most (1 + max(0, −c)K)gap²/8; and the mean of the exponential of a chord is at least the root of its ends' product: so
 * the integral is at least gap·√(f_a f_b)·(1 − max(0, cK − 1)gap²/8). Of what that counts, with L = log f_b/f_a, the mean output lies (coth(L/2)/2 − 1/L)·gap behind the middle, which
 * (L/12)/(1 + L²/60) is within L⁵/10⁵ and within ½; y is at most its chord, and at least that less
 * K·gap²/8.
 *
 * Parts. With s = μx − μ²/2, the density of the loss is φu^c(1 + (1 − q)/q·e^{−s})/(μM); of either summand log has a slope with at most three zeros, so at most two maxima, and
 * V_B ≤ 4/μ·(max_B φu^c + (1 − q)/q·max_B φu^c e^{−s})/M for B = {x ≥ x₀}.
 *
 * @param drift μ²/2 + log((1 − q)/q).
 * @param edge c·y − x²/2 at the cut, less `top`; −∞ without a cut. @param cut The cut.
 * @param unit What the masses of cells are multiplied by; without it there are none, and no parts. @param steepness 4/(μM) in the same units.
 */
export function tiltedPanels(
  table: usize,
  stride: usize,
  n: usize,
  size: usize,
  c: f64,
  top: f64,
  mu: f64,
  drift: f64,
  edge: f64,
  cut: f64,
  unit: f64,
  steepness: f64,
  out: usize,
): void {
  requireBlock(table, 9 * stride);
  requireBlock(out, 16 * n + 64);
  const row = stride << 3;
  const span = n << 3;
  const weights = out + 512;
  const cells = weights + 2 * span;
  const room = MOST_CELLS * span;
  const heights = cells + 5 * room;
  const C = all(c);
  const fixed = U * 2 * Math.abs(top);
  const each = all(3 * U * Math.abs(c));
  const size0 = Math.abs(c);
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    let mass = all(0);
    let first = all(0);
    let second = all(0);
    let magnitude = all(0);
    let wrong = all(0);
    let wrongSize = all(0);
    let shift = all(0);
    for (let k = lane; k < span; k += 16) {
      const node = table + k;
      const y = load(node + row);
      const loss = abs(y);
      const lossError = load(node + 7 * row);
      const height = sub(heightAt(node, row, C), all(top));
      const power = vexp(height);
      const f = mul(load(node + 6 * row), power);
      const e = add(add(load(node + 3 * row), add(mul(each, loss), all(fixed))), mul(all(size0), lossError));
      store(weights + k, f);
      store(weights + span + k, e);
      store(heights + k, height);
      store(heights + span + k, power);
      store(
        heights + 3 * span + k,
        div(all(1), add(all(1), vexp(sub(all(drift), mul(all(mu), load(node + 5 * row)))))),
      );
      const fy = mul(f, y);
      const fs = mul(f, loss);
      mass = add(mass, f);
      first = add(first, fy);
      second = add(second, mul(fy, y));
      magnitude = add(magnitude, fs);
      wrongSize = add(wrongSize, mul(fs, e));
      wrong = add(wrong, mul(f, e));
      shift = add(shift, mul(f, lossError));
    }
    join(mass, out, lane);
    join(first, out + 8, lane);
    join(second, out + 16, lane);
    join(magnitude, out + 24, lane);
    join(wrongSize, out + 32, lane);
    join(wrong, out + 40, lane);
    join(shift, out + 48, lane);
  }
  storeF64(out, 0, 56);
  if (!(unit > 0)) return;
  const side = size << 3;
  storeF64(out, <f64>cellsOf(table, row, side, span, c, mu, unit, cells, room, heights), 64);
  storeF64(out, <f64>partsOf(side, span, drift, edge, edge - mu * cut, steepness, heights, out + 80), 72);
}

/**
 * The cells, to five rows of `room` bytes at `out`. Of the scratch rows the third takes the mass of each, at its right node; the first and the last the largest height between its nodes and the
 * largest height − μx, both from above.
 */
function cellsOf(
  table: usize,
  row: usize,
  side: usize,
  span: usize,
  c: f64,
  mu: f64,
  unit: f64,
  out: usize,
  room: usize,
  heights: usize,
): usize {
  const powers = heights + span;
  const shares = heights + 3 * span;
  const square = mu * mu * (1 + 1e-9);
  let count: usize = 0;
  let x0: f64 = -Infinity;
  let y0: f64 = 0;
  let error0: f64 = 0;
  let height0: f64 = -Infinity;
  let power0: f64 = 0;
  let share0: f64 = 0;
  // panels go from right to left, the nodes of each from left to right
  for (let panel = span; panel > 0;) {
    panel -= side;
    for (let k = panel; k < panel + side; k += 8) {
      const x = loadF64(table + 5 * row + k);
      const height = loadF64(heights + k);
      const power = loadF64(powers + k);
      const share = loadF64(shares + k);
      const y = loadF64(table + row + k);
      const error = loadF64(table + 7 * row + k);
      const gap = x - x0;
      const eighth = x0 > -Infinity ? 0.125 * gap * gap : 0;
      const curve = square * share * (1 - share0);
      const bent = c * curve > 1 ? 1 - (c * curve - 1) * eighth : 1.0;
      let mass: f64 = 0;
      if (power0 > LEAST_CELL && power > LEAST_CELL && bent > 0) {
        // equal parts, short ones, on which all of that stands as well
        const parts = gap > WIDE_GAP ? <f64>MOST_CELLS : 1;
        const share1 = 1 / parts;
        const rise = share1 * (height - height0);
        const rise2 = rise * rise;
        const far = 1e-5 * rise2 * rise2 * Math.abs(rise);
        const bow = curve * eighth;
        const step = share1 * (y - y0);
        const off = step * (far < 0.5 ? far : 0.5) + 0.5 * bow + error0 + error;
        const middle = y0 + step * (0.5 + rise / (12 + 0.2 * rise2)) - 0.5 * bow;
        const ratio = lane0(vexp(all(rise)));
        let own = unit * share1 * gap * bent * power0 * Math.sqrt(ratio);
        for (let part: f64 = 0; part < parts; part += 1) {
          const low = part * step - bow;
          storeF64(out, y0 + (low > 0 ? low : 0) - error0 - error);
          storeF64(out + room, y0 + (part + 1) * step + error0 + error);
          storeF64(out + 2 * room, own);
          storeF64(out + 3 * room, middle + part * step);
          storeF64(out + 4 * room, off);
          out += 8;
          count++;
          mass += own;
          own *= ratio;
        }
      }
      storeF64(powers + span + k, mass);
      const bump = (c < 0 ? 1 - c * curve : 1.0) * eighth;
      const before = height0 - mu * x0;
      const slant = height - mu * x;
      storeF64(heights + k, (height0 > height ? height0 : height) + bump);
      storeF64(shares + k, (before > slant ? before : slant) + bump);
      x0 = x;
      y0 = y;
      error0 = error;
      height0 = height;
      power0 = power;
      share0 = share;
    }
  }
  return count;
}

/** The parts {x ≥ x₀} of ever more mass, pairs to `out`; the first is all of the law. Returns their number. */
function partsOf(
  side: usize,
  span: usize,
  drift: f64,
  edge: f64,
  slantedEdge: f64,
  steepness: f64,
  heights: usize,
  out: usize,
): usize {
  const masses = heights + 2 * span;
  const slants = heights + 3 * span;
  let count: usize = 1;
  let part: f64 = 0;
  let next: f64 = LEAST_PART;
  let high = edge;
  let steep = slantedEdge;
  let pair = out + 16;
  for (let panel: usize = 0; panel < span; panel += side) {
    for (let k = panel + side; k > panel;) {
      k -= 8;
      const height = loadF64(heights + k);
      const slant = loadF64(slants + k);
      if (height > high) high = height;
      if (slant > steep) steep = slant;
      const mass = loadF64(masses + k);
      part += mass;
      if (!(mass > 0 && part >= next && count <= MOST_PARTS)) continue;
      next *= 2;
      storeF64(pair, 1 - part * (1 - 1e-9));
      storeF64(pair, varied(high, steep, drift, steepness), 8);
      pair += 16;
      count++;
    }
  }
  storeF64(out, 0);
  storeF64(out, varied(high, steep, drift, steepness), 8);
  return count;
}

/** V_B from the logarithms of both maxima. */
function varied(high: f64, steep: f64, drift: f64, steepness: f64): f64 {
  return steepness * (lane0(vexp(all(high))) + lane0(vexp(all(steep + drift))));
}
