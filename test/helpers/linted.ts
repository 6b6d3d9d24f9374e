import { expect } from 'vitest';
import type { Mechanism } from '../../src/index.js';
import { type Claim, lint } from '../../src/lint/index.js';
import type { RecognisedRun, RunFacts } from '../../src/read/index.js';
import { wasm } from './runs.js';

/** A run as a file says it. */
export const runOf = (mechanism: Mechanism, facts: RunFacts = {}): RecognisedRun => ({
  format: 'mechanism',
  mechanism,
  facts,
  notes: [],
});

/** Which rules find something. */
export function ids(claim: Claim, run?: RecognisedRun): string[] {
  return lint(wasm, claim, { ...(run && { run }), tolerance: 1e-3 }).findings.map(({ id }) => id);
}

/** The one finding. */
export function only(claim: Claim, run?: RecognisedRun) {
  const { findings } = lint(wasm, claim, { ...(run && { run }), tolerance: 1e-3 });
  expect(findings).toHaveLength(1);
  return findings[0];
}
