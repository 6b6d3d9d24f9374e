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

/** Brackets of log δ at default settings are no wider than this, in every corner; and those of one direction alone. */
const WIDTH = 1e-6;
const WIDTH_OF_ONE = 2e-6;

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
      expect(check(one, run), JSON.stringify(one)).toBeLessThanOrEqual(WIDTH_OF_ONE);
      const { lower, upper } = run.logDelta(one.epsilon);
      expect(upper - lower, JSON.stringify(one)).toBeLessThanOrEqual(WIDTH);
      expect(upper + one.relativeError).toBeGreaterThanOrEqual(one.logDelta);
      const exact = group.filter(({ epsilon }) => epsilon === one.epsilon).map(({ logDelta }) => logDelta);
      if (exact.length > 1) expect(lower - one.relativeError).toBeLessThanOrEqual(Math.max(...exact));
    }
  });

  test('on short grids, both engines', () => {
    for (const engine of [wasm, reference]) {
      const run = runOf(triples(group[0]), { engine, maxGridLength: 2 ** 12, tolerance: 1e-3 });
      for (const one of group) check(one, run);
    }
  });
});
