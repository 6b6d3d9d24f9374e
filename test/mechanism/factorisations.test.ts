import { describe, expect, it } from 'vitest';
import {
  account,
  bandMf,
  dpSgd,
  gaussian,
  matrixMechanism,
  repeat,
  treeAggregation,
} from '../../src/index.js';
import { columnSensitivity, matrixSensitivity } from '../../src/mechanism/factor-sensitivity.js';
import { spelledOut } from '../../src/mechanism/mechanism.js';
import { stepsOf } from '../../src/mechanism/steps.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

/** All sets of at most k of n steps, any two at least b apart. */
function* patterns(n: number, k: number, b: number, from = 0): Generator<number[]> {
  yield [];
  if (k > 0)
    for (let i = from; i < n; i++) for (const rest of patterns(n, k - 1, b, i + b)) yield [i, ...rest];
}

const normOf = (x: readonly number[]) => Math.sqrt(x.reduce((sum, each) => sum + each * each, 0));

/** The farthest that gradients in [−1, 1] move Cx: the norm is convex, so signs are enough. */
function farthest(rows: readonly (readonly number[])[], k: number, b: number): number {
  let most = 0;
  for (const steps of patterns(rows.length, k, b))
    for (let signs = 0; signs < 2 ** steps.length; signs++) {
      const moved = rows.map((row) =>
        steps.reduce((sum, i, m) => sum + ((signs >> m) & 1 ? -row[i]! : row[i]!), 0),
      );
      most = Math.max(most, normOf(moved));
    }
  return most;
}

const toeplitz = (column: readonly number[], n: number) =>
  Array.from({ length: n }, (_, t) =>
    Array.from({ length: n }, (_, i) => (t >= i ? (column[t - i] ?? 0) : 0)),
  );

describe('sensitivity of a factorisation', () => {
  it('is around the farthest move over every set of steps and signs', () => {
    const random = seeded(1603);
    let [exact, cases] = [0, 0];
    for (let round = 0; round < 250; round++) {
      const n = 1 + Math.floor(random() * 6);
      const [k, b] = [1 + Math.floor(random() * 4), 1 + Math.floor(random() * 4)];
      const signed = round % 2 === 0;
      const entry = () => (random() < 0.2 ? 0 : signed ? 2 * random() - 1 : random());
      const rows = Array.from({ length: n }, (_, t) =>
        Array.from({ length: n }, (_, i) => (t >= i ? entry() : 0)),
      );
      const found = matrixSensitivity(rows, { parts: k, apart: b });
      const most = farthest(rows, k, b);
      expect(found).toContainValue(most, { relative: 1e-14 });
      if (!signed) {
        cases++;
        if (found.upper <= most * (1 + 1e-12)) exact++;
      }
      const column = Array.from({ length: 1 + Math.floor(random() * n) }, entry);
      const line = columnSensitivity(column, n, { parts: k, apart: b });
      expect(line).toContainValue(farthest(toeplitz(column, n), k, b), { relative: 1e-14 });
    }
    expect(exact / cases).toBeGreaterThan(0.6);
  });

  it('takes what the steps have of a column', () => {
    const pattern = { parts: 3, apart: 1 };
    expect(columnSensitivity([3, 2, 9], 2, pattern)).toEqual(columnSensitivity([3, 2], 2, pattern));
  });

  it('is exact for columns that fall, and for few bands', () => {
    const random = seeded(77);
    for (let round = 0; round < 100; round++) {
      const n = 2 + Math.floor(random() * 7);
      const [k, b] = [1 + Math.floor(random() * 4), 1 + Math.floor(random() * 4)];
      const falling = Array.from({ length: 1 + Math.floor(random() * n) }, () => random()).sort(
        (x, y) => y - x,
      );
      const banded = Array.from({ length: Math.min(b, n) }, () => 2 * random() - 1);
      for (const column of [falling, banded]) {
        const most = farthest(toeplitz(column, n), k, b);
        for (const found of [
          columnSensitivity(column, n, { parts: k, apart: b }),
          matrixSensitivity(toeplitz(column, n), { parts: k, apart: b }),
        ]) {
          expect(found).toContainValue(most, { relative: 1e-14 });
          if (column === banded) expect(found).toBeNoWiderThan(1e-12);
        }
        expect(columnSensitivity(column, n, { parts: k, apart: b })).toBeNoWiderThan(1e-12);
      }
    }
  });

  it('holds for vectors in the plane', () => {
    const random = seeded(5);
    for (let round = 0; round < 300; round++) {
      const rows = toeplitz([1, 2 * random() - 1, 2 * random() - 1], 4);
      const angles = rows.map(() => 2 * Math.PI * random());
      const moved = rows.flatMap((row) =>
        [Math.cos, Math.sin].map((part) => row.reduce((sum, c, i) => sum + c * part(angles[i]!), 0)),
      );
      const { upper } = matrixSensitivity(rows, { parts: 4, apart: 1 });
      expect(normOf(moved)).toBeLessThanOrEqual(upper);
      const [first] = [rows.map((row) => row[0]!)];
      expect(normOf(moved)).toBeLessThanOrEqual(columnSensitivity(first, 4, { parts: 4, apart: 1 }).upper);
    }
  });

  it('stays bounded, and wide rather than wrong, for long columns', () => {
    const column = Array.from({ length: 65536 }, (_, u) => 1 / Math.sqrt(u + 1));
    const one = Math.sqrt(column.reduce((sum, c) => sum + c * c, 0));
    const found = columnSensitivity(column, 65536, { parts: 65536, apart: 1 });
    expect(found.lower).toBeLessThanOrEqual(one);
    expect(found.upper).toBeGreaterThanOrEqual(65536 * one);
    expect(columnSensitivity(column, 65536, { parts: 8, apart: 8192 })).toBeNoWiderThan(1e-9);
  });
});

describe('matrix mechanisms', () => {
  it('are no worse than their Gaussian where a gradient depends on what was released', () => {
    const rows = [
      [1, 0],
      [0.5, 1],
    ];
    const run = account(wasm, matrixMechanism({ noiseMultiplier: 1.25, matrix: rows, participations: 2 }), {
      adjacency: 'zero-out',
    });
    const [sigma, h] = [1.25, 1 / 400];
    const density = (x: number) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    const seconds: ((y: number) => number)[] = [
      () => 1,
      (y) => (y > 0.5 ? 1 : -1),
      (y) => (y > 0.5 ? -1 : 1),
      (y) => Math.tanh(3 * y),
      (y) => Math.sin(5 * y),
    ];
    for (const epsilon of [-1, 0, 0.5, 2])
      for (const [place, second] of seconds.entries()) {
        const gamma = Math.exp(epsilon);
        let [remove, add] = [0, 0];
        for (let y = -12; y < 13; y += h) {
          // the second row, given the first: shifts of a Gaussian
          const d = (0.5 + second(y)) / sigma;
          const [p, q] = [density((y - 1) / sigma) / sigma, density(y / sigma) / sigma];
          // mass of p N(d) above γ q N(0), and the other way
          const part = (a: number, b: number, shift: number) => {
            const cut = Math.log(b / a);
            const size = Math.abs(shift);
            if (size === 0) return Math.max(0, a - b);
            return a * normalCdf(size / 2 - cut / size) - b * normalCdf(-size / 2 - cut / size);
          };
          remove += h * part(p, gamma * q, d);
          add += h * part(q, gamma * p, d);
        }
        const { upper } = run.delta(epsilon);
        expect(remove).toBeLessThanOrEqual(upper * (1 + 1e-7));
        expect(add).toBeLessThanOrEqual(upper * (1 + 1e-7));
        if (place === 0) expect(remove).toBeGreaterThan(upper * (1 - 1e-7));
      }
  });

  it('are accounted as Gaussians, alone and with other steps', () => {
    // DP-FTRL by partial sums: the column of ones, once: √n
    const column = Array.from({ length: 100 }, () => 1);
    const sums = matrixMechanism({ noiseMultiplier: 10, column, places: 'kept' });
    for (const adjacency of ['add-remove', 'zero-out', 'replace-one'] as const) {
      const run = account(wasm, repeat(sums, 3), { adjacency });
      const mu = Math.sqrt(3) * (adjacency === 'replace-one' ? 2 : 1);
      const plain = account(wasm, gaussian({ noiseMultiplier: 1 / mu }), { adjacency: 'add-remove' });
      expect(run.epsilon(1e-5)).toContainValue(plain.epsilon(1e-5).upper, { relative: 1e-12 });
      expect(run.epsilon(1e-5)).toBeNoWiderThan(1e-9);
    }
    // of signs that cancel only a bracket is known
    const signed = matrixMechanism({ noiseMultiplier: 2, column: [1, -0.9], steps: 4, participations: 4 });
    const { lower, upper } = account(wasm, signed, { adjacency: 'zero-out' }).epsilon(1e-5);
    expect(lower).toBeLessThan(upper);
    expect(lower).toBeGreaterThan(1);
    expect(
      account(wasm, matrixMechanism({ noiseMultiplier: 0, column: [1] }), { adjacency: 'zero-out' }).epsilon(
        1e-5,
      ).lower,
    ).toBe(Infinity);
    expect(
      account(wasm, matrixMechanism({ noiseMultiplier: 0, column: [0] }), { adjacency: 'zero-out' }).epsilon(
        1e-5,
      ).upper,
    ).toBe(0);
  });

  it('banded factorisations and trees are the steps that dominate them', () => {
    const bands = bandMf({ noiseMultiplier: 2, samplingRate: 0.1, bands: 4, steps: 1999 });
    expect(spelledOut(bands)).toEqual(dpSgd({ noiseMultiplier: 2, samplingRate: 0.1, steps: 500 }));
    const banded = account(wasm, bandMf({ noiseMultiplier: 2, samplingRate: 0.1, bands: 4, steps: 2000 }), {
      adjacency: 'zero-out',
    });
    expect(banded.epsilon(1e-5)).toContainValue(5.5554682145, { relative: 2e-10 });
    const tree = account(wasm, treeAggregation({ noiseMultiplier: 1, steps: 1000 }), {
      adjacency: 'zero-out',
    });
    expect(tree.epsilon(1e-5)).toContainValue(17.85658683, { relative: 1e-9 });
    // nodes of a tree that hold a leaf, by counting: complete nodes that are published after some step
    for (let steps = 1; steps <= 40; steps++) {
      let most = 0;
      for (let leaf = 0; leaf < steps; leaf++) {
        let nodes = 0;
        for (let size = 1; size <= steps; size *= 2)
          if ((Math.floor(leaf / size) + 1) * size <= steps) nodes++;
        most = Math.max(most, nodes);
      }
      expect(stepsOf(treeAggregation({ noiseMultiplier: 1, steps }))).toMatchObject([{ count: most }]);
    }
  });

  it('names what is wrong', () => {
    const refused = (options: object, message: RegExp) =>
      expect(() => matrixMechanism({ noiseMultiplier: 1, ...options })).toThrow(message);
    refused({}, /"column" must be given, or else "matrix"/);
    refused({ column: [1], matrix: [[1]] }, /not both/);
    refused({ column: [] }, /"column" must be an array of 1 to 65536 numbers, got an array of 0/);
    refused({ column: [1, Number.NaN] }, /"column\[1\]" must be 0 or a number of size/);
    refused({ column: [1, 1], steps: 0 }, /"steps" must be a whole number from 1/);
    refused(
      {
        matrix: [
          [1, 2],
          [0, 1],
        ],
      },
      /"matrix\[0\]\[1\]" must be 0, above the diagonal, got 2/,
    );
    refused({ matrix: [[1], [1, 1]] }, /"matrix\[0\]" must be as long as the matrix/);
    refused({ matrix: [[1]], steps: 2 }, /"steps" must be left out/);
    refused({ column: [1], participations: 0 }, /"participations" must be a whole number/);
  });
});

describe('what was asked before', () => {
  it('is not the answer to a factorisation whose numbers have changed since', () => {
    const options = { noiseMultiplier: 200, steps: 3 };
    const [column, matrix] = [
      [1, 0.5],
      [
        [1, 0],
        [0.5, 1],
      ],
    ];
    for (const asked of [false, true])
      for (const mechanism of [
        matrixMechanism({ ...options, column }),
        matrixMechanism({ noiseMultiplier: 200, matrix }),
      ]) {
        const ask = () => account(wasm, mechanism, { adjacency: 'zero-out' }).delta(0);
        if (asked) ask();
        const first = (mechanism.column ?? mechanism.matrix![0]) as number[];
        first[0] = 100;
        // one step of norm 100 beside one of 0.5: the advantage of a Gaussian is 2Φ(μ/2) − 1
        expect(ask()).toContainValue(2 * normalCdf(Math.hypot(100, 0.5) / 400) - 1, { relative: 1e-12 });
      }
  });
});
