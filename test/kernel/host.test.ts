import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareExact,
  doubleOf,
  type ExactDecimal,
  exactDecimal,
  minus,
  plus,
  times,
  ZERO,
} from '../../src/numeric/exact-decimal.js';

const bytes = readFileSync('build/kernel.wasm');
const module = new WebAssembly.Module(bytes);
type Scalar = (...args: number[]) => number;
const host = new WebAssembly.Instance(module).exports as unknown as Record<string, Scalar>;
const exactly = (x: number): ExactDecimal => exactDecimal(x)!;
const FUNCTIONS = Object.keys(host).filter((name) => /^(?:gdp|zcdp|ledger)_/.test(name));

/** Exact values: test/golden/make-gdp.py. */
function golden(): { mu: number; epsilon: number; delta: number }[] {
  const data = gunzipSync(readFileSync('test/golden/gdp-delta.f64.gz'));
  const count = data.length / 40;
  return Array.from({ length: count }, (_, i) => {
    const at = (column: number) => data.readDoubleLE(8 * (5 * i + column));
    return { mu: at(0), epsilon: at(1), delta: at(2) };
  });
}
const GOLDEN = golden().filter(({ mu, epsilon }) => mu <= 1e6 && epsilon >= 0 && epsilon <= 1e12);

describe('the kernel for hosts', () => {
  it('imports nothing and exports what docs/host-kernel.md tells of', () => {
    expect(WebAssembly.Module.imports(module)).toEqual([]);
    const page = readFileSync('docs/host-kernel.md', 'utf8');
    for (const name of FUNCTIONS) expect(page).toContain(`${name}(`);
    expect(FUNCTIONS).toHaveLength(14);
  });

  it('encloses delta', () => {
    expect(GOLDEN.length).toBeGreaterThan(5000);
    for (const { mu, epsilon, delta } of GOLDEN) {
      const [lower, upper] = [host.gdp_delta_lower(mu, epsilon), host.gdp_delta_upper(mu, epsilon)];
      // the golden value is rounded to nearest
      expect(lower).toBeLessThanOrEqual(delta * (1 + 2.3e-16));
      expect(upper).toBeGreaterThanOrEqual(delta * (1 - 2.3e-16));
      const log = Math.abs(Math.log(delta));
      if (delta > 1e-290) expect(upper - lower).toBeLessThanOrEqual(delta * (1e-14 + 5e-15 * log));
    }
  });

  it('finds epsilon and mu whose delta is on the side it says', () => {
    const deltas = fc.double({ min: -290, max: -0.01, noNaN: true }).map((power) => 10 ** power);
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 50, noNaN: true }), deltas, (mu, delta) => {
        const [low, high] = [host.gdp_epsilon_lower(mu, delta), host.gdp_epsilon_upper(mu, delta)];
        expect(low).toBeLessThanOrEqual(high);
        expect(high - low).toBeLessThanOrEqual(1e-12 * (mu + high));
        expect(host.gdp_delta_lower(mu, high)).toBeLessThanOrEqual(delta);
        if (low > 0) expect(host.gdp_delta_upper(mu, low)).toBeGreaterThanOrEqual(delta);
        // and back: the noise for this epsilon is the noise it came from
        if (high > 0) {
          expect(host.gdp_mu_upper(high, delta)).toBeGreaterThanOrEqual(mu * (1 - 1e-15));
          expect(host.gdp_mu_lower(low, delta)).toBeLessThanOrEqual(mu * (1 + 1e-15));
          expect(host.gdp_delta_upper(host.gdp_mu_lower(high, delta), high)).toBeLessThanOrEqual(
            delta * (1 + 1e-12),
          );
        }
      }),
      { numRuns: 300 },
    );
    expect(host.gdp_epsilon_upper(1, 1e-5)).toBeCloseTo(4.377178095681225, 12);
    expect(host.gdp_epsilon_upper(1, 0.9)).toBe(0);
  });

  it('keeps ledgers that never say less than was spent', () => {
    const amounts = fc.double({ min: 0, max: 10, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(amounts, fc.nat(1000)), { maxLength: 30 }), (releases) => {
        const budget = 5000;
        let spent = 0;
        let exact = ZERO;
        for (const [cost, count] of releases) {
          const after = host.zcdp_spend(spent, cost, count, budget);
          const wanted = plus(exact, times(exactly(cost), exactly(count)));
          if (Number.isNaN(after)) {
            // refused: what is asked is over, or within rounding of it
            expect(doubleOf(wanted, 'up')).toBeGreaterThan(budget * (1 - 1e-12));
            continue;
          }
          exact = wanted;
          spent = after;
          expect(compareExact(exactly(spent), exact)).not.toBe(-1);
          const left = exactly(host.ledger_left(spent, budget));
          expect(compareExact(minus(exactly(budget), exact), left)).not.toBe(-1);
        }
        // each spending may be rounded by the least double there is
        const least = 2 * releases.length * Number.MIN_VALUE;
        expect(spent - doubleOf(exact, 'down')).toBeLessThanOrEqual(1e-13 * spent + least);
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: 1e-8, max: 100, noNaN: true }), fc.nat(1000), (mu, count) => {
        const spent = host.gdp_spend(0, mu, count, 1e20);
        const exact = times(times(exactly(mu), exactly(mu)), exactly(count));
        expect(compareExact(exactly(spent), exact)).not.toBe(-1);
        const published = exactly(host.gdp_spent_mu(spent));
        expect(compareExact(times(published, published), exactly(spent))).not.toBe(-1);
      }),
    );
    expect(host.zcdp_spend(0.5, 0.125, 4, 1)).toBe(1);
    expect(host.zcdp_spend(0.5, 0.125, 5, 1)).toBeNaN();
    expect(host.ledger_left(0, 1)).toBe(1);
    expect(host.ledger_left(1, 1)).toBe(0);
  });

  it('answers NaN to what has no answer', () => {
    const bad = [Number.NaN, -1, Number.POSITIVE_INFINITY];
    for (const x of bad) {
      for (const name of ['gdp_delta_upper', 'gdp_delta_lower', 'gdp_epsilon_upper', 'gdp_epsilon_lower']) {
        expect(host[name](x, 0.5)).toBeNaN();
        expect(host[name](1, x)).toBeNaN();
      }
      for (const name of ['gdp_mu_upper', 'gdp_mu_lower']) {
        expect(host[name](x, 0.5)).toBeNaN();
        expect(host[name](1, x)).toBeNaN();
      }
      expect(host.zcdp_spend(x, 1, 1, 10)).toBeNaN();
      expect(host.zcdp_spend(0, x, 1, 10)).toBeNaN();
      expect(host.zcdp_spend(0, 1, x, 10)).toBeNaN();
      expect(host.zcdp_spend(0, 1, 1, x)).toBeNaN();
      expect(host.gdp_spend(0, x, 1, 10)).toBeNaN();
      expect(host.ledger_left(x, 10)).toBeNaN();
      expect(host.gdp_spent_mu(x)).toBeNaN();
    }
    expect(host.zcdp_spend(0, 1, 1.5, 10)).toBeNaN();
    expect(host.ledger_left(11, 10)).toBeNaN();
    for (const delta of [0, 1e-301, 1]) expect(host.gdp_epsilon_upper(1, delta)).toBeNaN();
  });
});

const interpreter = spawnSync('spectest-interp', ['--version']).status === 0;
const title = interpreter ? 'in another runtime' : 'in another runtime (NOT TESTED: wabt is not installed)';

describe.skipIf(!interpreter)(title, () => {
  it('has the same bits as here', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gdp-host-'));
    const view = new DataView(new ArrayBuffer(8));
    const value = (x: number) => {
      view.setFloat64(0, x);
      return { type: 'f64', value: Number.isNaN(x) ? 'nan:canonical' : String(view.getBigUint64(0)) };
    };
    const calls: [string, number[]][] = [
      ...GOLDEN.filter((_, i) => i % 40 === 0).flatMap(({ mu, epsilon }): [string, number[]][] => [
        ['gdp_delta_upper', [mu, epsilon]],
        ['gdp_delta_lower', [mu, epsilon]],
      ]),
      ...[0.01, 0.5, 3, 40].flatMap((x) =>
        [1e-300, 1e-30, 1e-5, 0.3].flatMap((delta) =>
          ['gdp_epsilon_upper', 'gdp_epsilon_lower', 'gdp_mu_upper', 'gdp_mu_lower'].map(
            (name): [string, number[]] => [name, [x, delta]],
          ),
        ),
      ),
      ['zcdp_spend', [0.1, 0.2, 3, 1]],
      ['gdp_spend', [0.1, 0.2, 3, 1]],
      ['ledger_left', [0.1, 1]],
      ['gdp_spent_mu', [2]],
    ];
    const commands = calls
      .filter(([name, args]) => !Number.isNaN(host[name](...args)))
      .map(([name, args], i) => ({
        type: 'assert_return',
        line: i + 2,
        action: { type: 'invoke', field: name, args: args.map(value) },
        expected: [value(host[name](...args))],
      }));
    expect(commands.length).toBeGreaterThan(300);
    writeFileSync(join(folder, 'kernel.wasm'), bytes);
    const first = { type: 'module', line: 1, filename: 'kernel.wasm' };
    const script = join(folder, 'host.json');
    writeFileSync(script, JSON.stringify({ source_filename: 'host.wast', commands: [first, ...commands] }));
    const { stdout } = spawnSync('spectest-interp', [script], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(stdout.trim().split('\n').at(-1)).toBe(
      `${commands.length + 1}/${commands.length + 1} tests passed.`,
    );
  });
});
