import type { Kernel } from '../../src/kernel/kernel.js';
import type { KernelTable } from '../../src/kernel/kernel-table.js';

const partOf = (values: Float64Array, from: number, n: number): Float64Array => values.slice(from, from + n);

const STEPS = [
  { mu: 1.3, q: 0.01 },
  { mu: 0.2, q: 1e-6 },
  { mu: 4, q: 1 },
  { mu: 8, q: 1 - 1e-9 },
];
const WINDOWS = [
  { from: -Infinity, to: Infinity, width: Infinity },
  { from: -Infinity, to: 1.2, width: 0.11 },
  { from: 0.3, to: Infinity, width: 0.11 },
  { from: -0.4, to: 2.2, width: 0.3 },
];

/** What the kernel's methods on outputs make of n of them, under windows and tilts of all kinds. */
export function outputRows(kernel: Kernel, n: number): Float64Array[] {
  const at = { h: 11 / n, first: -Math.ceil(n / 3), n };
  const found: Float64Array[] = [];
  const note = ({ values }: KernelTable): void => {
    found.push(values.slice());
  };
  for (const step of STEPS)
    for (const window of WINDOWS) {
      const heights = kernel.windowRows(at, 0, window);
      const mesh = kernel.axisMesh(step, at, heights);
      [heights, mesh].forEach(note);
      const a = 1.2 / step.mu;
      const losses = kernel.turnedLosses(step, at, a);
      const rows = kernel.windowRows(at, a, window);
      const bounds = kernel.windowBounds(at, a, window);
      [losses, rows, bounds].forEach(note);
      for (const c of [0.5, -7, 1e15]) {
        const cells = kernel.tiltedCells(mesh, step, at, c, { log: 0.1, error: 1e-12 });
        const strips = kernel.stripCells(step, c, at, { ...window, end: 7 }, -0.3);
        const turn = { angle: 1.2, sine: 0.9, cosine: 0.4, dip: 0.4, tau: c < 0 ? 0 : 3 };
        const rows5 = cells.table.values;
        for (let row = 0; row < 5; row++) found.push(partOf(rows5, row * (rows5.length / 5), cells.n));
        const room = strips.table.values.length / 2;
        found.push(partOf(strips.table.values, 0, n + 3), partOf(strips.table.values, room, n + 1));
        const tilt = { c, a, unit: -2 };
        note(kernel.pathModuli({ at, losses, heights: bounds }, tilt));
        const terms = kernel.pathTerms({ at, losses, heights: rows }, tilt, 1e-15, -30);
        found.push(terms.rows.slice(), kernel.stripSum(strips, c, turn));
        found.push(kernel.densityVariation(mesh, step, at, c, 0.01), Float64Array.of(cells.n, terms.m));
      }
    }
  return found;
}
