import { expect, test } from 'vitest';
import { audit } from '../../src/audit/index.js';
import { account, dpSgd, gaussian, repeat, select } from '../../src/index.js';
import { alternatives, formatReport, report, reportJson } from '../../src/report/index.js';
import { bracketText } from '../../src/text/decimal.js';
import { wasm } from '../helpers/runs.js';

const options = { adjacency: 'add-remove', tolerance: 1e-4 } as const;
const deltas = [1e-5];

test('a search has a section of its own: what was tried, before and after, and what is not covered', () => {
  const inner = dpSgd({ noiseMultiplier: 1, samplingRate: 0.1, steps: 1 });
  const run = account(
    wasm,
    select({ runs: { kind: 'negative-binomial', eta: 1, mean: 10 }, inner }),
    options,
  );
  const others = alternatives(wasm, run, { deltas });
  expect(others.map(({ change }) => change)).toEqual(['one-try']);
  const base = account(wasm, inner, options).epsilon(1e-5);
  expect(others[0].numbers!.epsilonAtDelta[0].epsilon).toEqual(base);
  const made = report(run, { deltas, alternatives: others });
  expect(made.sampling).toBe('poisson');
  const text = formatReport(made);
  const section = text.slice(text.search(/search for settings/i));
  for (const words of [
    'negative binomial number of tries, eta 1, mean 10',
    '1 of ',
    'One try',
    'Best of the tries',
    'Not covered: candidates that depend on earlier scores',
    'a final retraining',
  ])
    expect(section.replace(/\s+/g, ' ')).toContain(words);
  expect(section).toContain(bracketText(base));
  expect(section).toContain(bracketText(run.epsilon(1e-5)));
});

test('a run without a search or evidence says nothing of them', () => {
  const text = formatReport(report(account(wasm, gaussian({ noiseMultiplier: 1 }), options), { deltas }));
  expect(text).not.toMatch(/Before and after|attacks on it found/i);
});

test('evidence of an attack is held against the run', () => {
  const run = account(wasm, repeat(gaussian({ noiseMultiplier: 1 }), 1), options);
  const counts = {
    kind: 'threshold',
    falsePositives: 5,
    nonMembers: 1000,
    truePositives: 100,
    members: 1000,
  } as const;
  const made = report(run, { deltas, audit: audit(counts, { claim: run, deltas }) });
  const text = formatReport(made);
  expect(text).toMatch(/attacks on it found/i);
  expect(text).toContain('0.8781');
  expect(text).toContain('consistent');
  expect(JSON.parse(reportJson(made)).audit.verdict).toBe('consistent');
  const broken = report(run, {
    deltas,
    audit: audit({ ...counts, truePositives: 400 }, { claim: run, deltas }),
  });
  expect(formatReport(broken)).toContain('refuted');
  expect(() => report(run, { audit: { verdict: 'consistent' } as never })).toThrow('"audit"');
});
