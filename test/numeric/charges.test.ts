/** Loops that no kernel function does are charged by the shapes of what goes in, before they run. */
import { describe, expect, test } from 'vitest';
import { workDone } from '../../assembly/lane/room.js';
import { Place } from '../../assembly/law/bins.js';
import { Ray } from '../../assembly/sums/inner-sums.js';
import { account, type Engine, parseMechanism } from '../../src/index.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { laplacePair } from '../../src/law/exponential-pair.js';
import { severalBinsPair } from '../../src/law/largest-batch.js';
import { cellLaw } from '../../src/law/lattice/cell-law.js';
import { splineRun } from '../../src/methods/closed/spline-run.js';
import { allocationStep, logMomentAbove } from '../../src/methods/contour/kernel-step.js';
import { TiltedTable } from '../../src/methods/grid/tilted-table.js';
import { Allowance, attempt, charge } from '../../src/numeric/meter.js';
import { ALLOWANCE, PRICES } from '../../src/numeric/prices.js';
import { alternatives, report } from '../../src/report/index.js';
import { binsOf, roomy } from '../helpers/run-laws.js';
import { reference, wasm } from '../helpers/runs.js';

/** What the kernel charges for an interval of the normal distribution. */
const INTERVAL = 33;

/** What a question costs that asks this. */
function costOf(ask: () => unknown): number {
  const allowance = new Allowance(Infinity);
  allowance.ask(ask);
  return allowance.cost;
}

/** The kernel, and the calls that it was asked for. */
function watched({ kernel }: Engine): { kernel: Kernel; calls: string[] } {
  const calls: string[] = [];
  const get = (target: Kernel, name: string): unknown => {
    calls.push(name);
    return target[name as keyof Kernel];
  };
  return { kernel: new Proxy(kernel, { get } as ProxyHandler<Kernel>), calls };
}

/** Asked with an allowance that does not reach: what is done before it ends. */
function endsBefore(work: (kernel: Kernel) => unknown): string[] {
  const { kernel, calls } = watched(wasm);
  // the last of several ways may overdraw by 2e5 units, so this is not the last
  const ended = new Allowance(1000).ask(() =>
    attempt(
      0.5,
      () => work(kernel),
      () => 'ended',
    ),
  );
  expect(ended).toBe('ended');
  return calls;
}

const mixture = (n: number): { x: Float64Array; off: Float64Array } => ({
  x: Float64Array.from({ length: n + 1 }, (_, k) => -8 + (16 * k) / n),
  off: new Float64Array(n + 1),
});
const nothing = { shift: Float64Array.of(0), weight: Float64Array.of(1) };
const moved = { shift: Float64Array.of(0, 1, 2), weight: Float64Array.of(0.5, 0.25, 0.25) };
const mixed = (kernel: Kernel, n: number): unknown =>
  kernel.mixtureMasses(mixture(n), [nothing, -1], [moved, 1]);

const law = cellLaw(laplacePair(1), 0.3, 'remove');
const STEP = 2 ** -10;
const discretised = (kernel: Kernel, step = STEP): ReturnType<typeof law.discretise> =>
  law.discretise(kernel, step, -40);
const measure = discretised(wasm.kernel).upper;
const composed = (kernel: Kernel, maxLength = 2 ** 20): unknown =>
  TiltedTable.compose(kernel, [{ measure, count: 8 }], 0, maxLength);

/** Units of a ray of n nodes; all else of it is alike. */
function costOfRay(n: number): number {
  roomy();
  const bins = binsOf({ mu: 1 / 50, bins: 12, visited: 12 });
  const before = workDone();
  expect(bins.valuesOn(new Place(6, 10, 0), new Ray(0, 2 ** -7, -1000, n))).not.toBeNull();
  return workDone() - before;
}

describe('charges', () => {
  test('the nodes of a ray, and the power of a series at each', () => {
    const [one, two, three] = [100, 200, 300].map(costOfRay);
    // a power of ten coefficients, which stand for themselves and twelve bins
    expect(two! - one!).toBeGreaterThan(100 * 55 * 3);
    expect(Math.abs(three! - 2 * two! + one!)).toBeLessThan(5);
    // a spent allowance pays for none
    const step = allocationStep({ mu: 1, bins: 12, visited: 12 });
    const ask = (): number => logMomentAbove(wasm.kernel, step, 3);
    expect(new Allowance(0).ask(() => attempt(0.5, ask, () => NaN))).toBe(NaN);
  });

  test('values of the B-splines of a test of many releases', () => {
    const { shape } = laplacePair(1 / 16.2);
    const run = splineRun(shape, 1000)!;
    const costs = [0.03, 0.07].map((omega) => costOf(() => run.test(omega)));
    // hundreds of boxes, at a node for every two of them
    for (const cost of costs) expect(cost).toBeGreaterThan(1e6);
  });

  test('parts of the masses of a mixture', () => {
    const cost = costOf(() => mixed(wasm.kernel, 2000));
    expect(cost).toBeGreaterThanOrEqual(4 * 2000 * (PRICES.part + INTERVAL));
    expect(cost).toBeLessThan(1.1 * 4 * 2000 * (PRICES.part + INTERVAL));
    expect(endsBefore((kernel) => mixed(kernel, 2000))).toEqual(['mixtureMasses']);
    expect(costOf(() => mixed(reference.kernel, 2000))).toBe(cost);
  });

  test('half cells of a lattice', () => {
    const cells = law.cells(STEP, -40);
    const cost = costOf(() => discretised(wasm.kernel));
    expect(cost).toBeGreaterThan(2 * cells * PRICES.cell);
    expect(costOf(() => discretised(wasm.kernel, STEP / 2))).toBeGreaterThan(1.9 * cost);
    expect(endsBefore((kernel) => discretised(kernel))).toEqual([]);
    expect(costOf(() => discretised(reference.kernel))).toBe(cost);
  });

  test('points of a composition, moved about between the transforms', () => {
    const points = measure.mass.length;
    const cost = costOf(() => composed(wasm.kernel));
    expect(cost).toBeGreaterThan(PRICES.moved * points + PRICES.moved * 3 * points);
    expect(endsBefore((kernel) => composed(kernel))).toEqual([]);
    expect(costOf(() => composed(reference.kernel))).toBe(cost);
    // a window that is too long ends before it is folded and transformed
    expect(costOf(() => composed(wasm.kernel, 16))).toBeLessThan(cost / 2);
  });

  test('products of sums of several batches', () => {
    const pair = (bins: number): number =>
      costOf(() => severalBinsPair({ mu: 0.5, bins, perRecord: 3, share: 0.5 }));
    const longest = severalBinsPair({ mu: 0.5, bins: 40, perRecord: 3, share: 0.5 }).atoms;
    expect(longest).toBeDefined();
    // the last product of either law has the sums of all batches but three, times those of three
    expect(pair(40)).toBeGreaterThan(2 * pair(10));
    expect(endsBefore(() => severalBinsPair({ mu: 0.5, bins: 40, perRecord: 3, share: 0.5 }))).toEqual([]);
  });

  test('several questions at once have so many allowances, and shares one in part', () => {
    for (const [times, reach] of [
      [1, 100],
      [2, 200],
      [0.4, 40],
    ] as const) {
      const spend = (units: number): string =>
        new Allowance(100).ask(
          () =>
            attempt(
              1 - 1e-9,
              () => {
                charge(units);
                return 'paid';
              },
              () => 'ended',
            ),
          false,
          times,
        );
      expect([spend(reach - 1), spend(reach + 1)]).toEqual(['paid', 'ended']);
    }
  });

  test('the numbers of a report cost two questions at most, an alternative 0.4', () => {
    const inner = {
      kind: 'capped-poisson',
      noiseMultiplier: 4.7,
      rate: 0.0027,
      datasetSize: 1150,
      batchCap: 5,
    };
    const mechanism = parseMechanism({ kind: 'repeat', count: 4, inner });
    const effort = 1e-3;
    for (const engine of [wasm, reference]) {
      const run = account(engine, mechanism, { adjacency: 'zero-out', effort });
      report(run);
      expect(run.limitedBy).toBe('effort');
      const overdrawn = 2e5 * 50;
      expect(run.cost).toBeLessThan(2 * ALLOWANCE * effort + overdrawn);
      alternatives(engine, run);
      expect(run.cost).toBeLessThan(0.4 * ALLOWANCE * effort + overdrawn);
    }
  });
});
