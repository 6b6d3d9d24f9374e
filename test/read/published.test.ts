import { expect, it } from 'vitest';
import { account, certify, dpSgd } from '../../src/index.js';
import { recognise } from '../../src/read/index.js';
import { report, reportJson } from '../../src/report/index.js';
import { wasm } from '../helpers/runs.js';

const mechanism = dpSgd({ noiseMultiplier: 2, samplingRate: 0.1, steps: 10 });
const run = account(wasm, mechanism, { adjacency: 'add-remove' });

it('reads reports and certificates back, and nothing of their numbers', () => {
  const published = recognise(reportJson(report(run, { deltas: [1e-6] })));
  expect(published).toMatchObject({
    format: 'report',
    mechanism,
    facts: { adjacency: 'add-remove', delta: 1e-6, sampling: 'poisson' },
  });
  const certificate = recognise(JSON.stringify(certify(run, { epsilon: 1 })));
  expect(certificate).toMatchObject({ format: 'certificate', mechanism });
  expect(certificate.facts.delta).toBeUndefined();
});

it('refuses what only looks like one', () => {
  const fake = { format: 'gdp-kernel-report/9', mechanism, adjacency: 'add-remove' };
  expect(() => recognise(JSON.stringify(fake))).toThrow(/format must be one of|"format"/);
  expect(() =>
    recognise(JSON.stringify({ ...fake, format: 'gdp-kernel-report/1', adjacency: 'near' })),
  ).toThrow(/adjacency/);
});

it('says of an answer for groups that it states no run', () => {
  const answer = {
    delta: 1e-5,
    epsilon: { lower: 5.39, upper: 5.4 },
    method: 'spectral',
    engine: 'wasm',
    group: 3,
  };
  expect(() => recognise(JSON.stringify(answer))).toThrow(/answer for groups of records/);
});
