import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ComposedRun } from '../../src/index.js';
import { reference, runOf, wasm } from '../helpers/runs.js';

/** Written by golden/make-runs.py: exact δ(ε), each with the relative error of its own computation. */
interface Case {
  readonly phases: readonly { sigma: number; q: number; steps: number }[];
  readonly direction: 'remove' | 'add';
  readonly epsilon: number;
  readonly logDelta: number;
  readonly relativeError: number;
  readonly method: string;
}

const cases: Case[] = JSON.parse(readFileSync(new URL('../golden/runs.json', import.meta.url), 'utf8'));

const groups = new Map<string, Case[]>();
for (const one of cases) {
  const key = one.phases.map(({ sigma, q, steps }) => `σ ${sigma}, q ${q}, T ${steps}`).join('; ');
  groups.set(key, [...(groups.get(key) ?? []), one]);
}

test('there are goldens', () => {
  expect(cases.length).toBeGreaterThanOrEqual(120);
});

/**
 * Where the bracket of log δ may be wider than 1e-3 at default settings: losses that differ by orders of
 * magnitude from step to step (small σ at low rates), a million steps at low rates (the mesh has to be
 * finer than the longest FFT allows), and δ below 1e-9, where the largest losses of single steps rule.
 */
function inHardCorner({ phases, logDelta }: Case): boolean {
  if (logDelta < Math.log(1e-9)) return true;
  return phases.some(({ sigma, q, steps }) => q <= 0.01 && (sigma <= 0.6 || steps >= 1e6));
}

function check(one: Case, run: ComposedRun): number {
  const { direction, epsilon, logDelta, relativeError } = one;
  const part = run.directions.find((d) => d.direction === direction || d.direction === 'both');
  if (part === undefined) throw new Error(`no direction ${direction}`);
  const { lower, upper } = part.logDelta(epsilon);
  const at = `${direction} at ε ${epsilon}: [${lower}, ${upper}] against ${logDelta}`;
  expect(lower, at).toBeLessThanOrEqual(upper);
  expect(lower - relativeError, at).toBeLessThanOrEqual(logDelta);
  expect(upper + relativeError, at).toBeGreaterThanOrEqual(logDelta);
  expect(upper, at).toBeLessThanOrEqual(0);
  return upper - lower;
}

const triples = (one: Case) => one.phases.map(({ sigma, q, steps }) => [sigma, q, steps] as const);

describe.each([...groups])('exact δ of %s', (_, group) => {
  test('at default settings', () => {
    const run = runOf(triples(group[0]));
    for (const one of group) {
      const width = check(one, run);
      if (!inHardCorner(one)) expect(width, JSON.stringify(one)).toBeLessThanOrEqual(1e-3);
      else if (one.logDelta > Math.log(1e-9)) expect(width, JSON.stringify(one)).toBeLessThanOrEqual(0.1);
    }
  });

  test('on short grids, both engines', () => {
    for (const engine of [wasm, reference]) {
      const run = runOf(triples(group[0]), { engine, maxGridLength: 2 ** 12, tolerance: 1e-3 });
      for (const one of group) check(one, run);
    }
  });
});
