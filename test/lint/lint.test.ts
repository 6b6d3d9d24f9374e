import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  account,
  dpSgd,
  gaussian,
  laplace,
  measure,
  poissonSubsampled,
  pureDp,
  repeat,
  replacedGaussian,
  select,
  zcdp,
} from '../../src/index.js';
import { type Claim, claimOf, LINT_RULES, lint, parseClaim } from '../../src/lint/index.js';
import { recognise } from '../../src/read/index.js';
import { report, reportJson } from '../../src/report/index.js';
import { ids, only, runOf } from '../helpers/linted.js';
import { LONG_TESTS } from '../helpers/long.js';
import { wasm } from '../helpers/runs.js';

const MNIST = runOf(dpSgd({ noiseMultiplier: 1.1, samplingRate: 256 / 60000, steps: 14063 }));
const SMALL = runOf(dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 }));

/** Contains `value` and is at most 1e-3 of it wide. */
function expectHolds({ lower, upper }: { lower: number; upper: number }, value: number): void {
  expect(lower).toBeLessThanOrEqual(value);
  expect(upper).toBeGreaterThanOrEqual(value);
  expect(upper - lower).toBeLessThanOrEqual(1e-3 * value);
}

describe('numbers', () => {
  // μ = 1: ε(1e-5) from δ_1(ε) = 1e-5 in 30 digits
  const plain = runOf(gaussian({ noiseMultiplier: 1 }));

  it('an epsilon below what the run supports', () => {
    const finding = only({ epsilon: 4, delta: 1e-5 }, plain);
    expect(finding).toMatchObject({ id: 'epsilon-too-small', severity: 'error' });
    expectHolds(finding.evidence.bracket, 4.37717809568122);
    expect(finding.wayOut).toMatch(/^publish epsilon 4\.3\d+ at delta 1e-5$/);
    expect(ids({ epsilon: 4.3773, delta: 1e-5 }, plain)).toEqual([]);
    expect(ids({ epsilon: 8, delta: 1e-5 }, plain)).toEqual([]);
  });

  it('an epsilon far above what the run supports', () => {
    // a claim of tensorflow/privacy 173; the run has 0.4110
    const run = { noiseMultiplier: 1.1, samplingRate: 0.004166666666666667, steps: 480, delta: 1e-5 };
    const finding = only({ ...run, epsilon: 16890.31 });
    expect(finding).toMatchObject({ id: 'epsilon-far-too-large', severity: 'warning' });
    expect(finding.wayOut).toMatch(/^publish epsilon 0\.411\d?,/);
    expect(ids({ epsilon: 9, delta: 1e-5 }, plain)).toEqual(['epsilon-far-too-large']);
    // accountants that are known to be loose, and small numbers, are no mistakes
    expect(ids({ epsilon: 9, delta: 1e-5, method: 'rdp' }, plain)).toEqual([]);
    expect(ids({ ...run, epsilon: 0.9 })).toEqual([]);
    // a claim that pays for more than the run, or is about another
    expect(ids({ ...run, epsilon: 16, searches: 40, searchesPaid: true })).toEqual([]);
  });

  it('an epsilon rounded down is told from one that is wrong', () => {
    expect(only({ epsilon: 4.37, delta: 1e-5 }, plain)).toMatchObject({ severity: 'error' });
    expect(only({ epsilon: 4.377, delta: 1e-5 }, plain)).toMatchObject({
      id: 'epsilon-too-small',
      severity: 'warning',
    });
    // 4.38 is rounded up
    expect(ids({ epsilon: 4.38, delta: 1e-5 }, plain)).toEqual([]);
  });

  it('an epsilon without a delta', () => {
    const finding = only({ epsilon: 4 }, plain);
    expect(finding.id).toBe('epsilon-without-delta');
    expect(finding.evidence.bracket).toEqual({ lower: Infinity, upper: Infinity });
    expect(ids({ epsilon: 1 }, runOf(laplace({ scale: 1, sensitivity: 1 })))).toEqual([]);
    expect(ids({ epsilon: 0.9 }, runOf(laplace({ scale: 1, sensitivity: 1 })))).toEqual([
      'epsilon-without-delta',
    ]);
  });

  it('says of a run whose losses are bounded that it has pure privacy, and from which epsilon on', () => {
    const many = runOf(repeat(laplace({ scale: 10, sensitivity: 1 }), 1000));
    // 1,000 times 1/10
    const { sentence, wayOut, evidence } = only({ epsilon: 99 }, many);
    expect(sentence).toBe(
      'epsilon 99 without a delta is pure differential privacy, which the run has from epsilon 100.0 on',
    );
    expect(wayOut).toMatch(/^publish epsilon 100\.0, or state the delta; /);
    expect(evidence.bracket).toEqual({ lower: 100, upper: 100 });
    expect(ids({ epsilon: 100 }, many)).toEqual([]);
    expect(only({ epsilon: 4 }, plain).sentence).toMatch(/, which the run does not have$/);
  });

  it('a mu that is too small, and one without its window', () => {
    // μ(1e-6) = 0.474 for q = .01, σ = 1, T = 1000
    expect(ids({ mu: 0.4394, alphaMin: 1e-6 }, SMALL)).toEqual(['mu-too-small']);
    expect(ids({ mu: 0.4745, alphaMin: 1e-6 }, SMALL)).toEqual([]);
    const { id, evidence } = only({ mu: 0.53 }, SMALL);
    expect(id).toBe('mu-without-window');
    expect(evidence.bracket.lower).toBeCloseTo(Math.sqrt(1000), 9);
    expect(ids({ mu: 1 }, plain)).toEqual([]);
    expect(ids({ mu: 0.99 }, plain)).toEqual(['mu-too-small']);
  });

  it('a mu that holds for the window it names, from above 1e-6, and for no usual one', () => {
    const { id, severity, evidence, wayOut } = only({ mu: 0.445, alphaMin: 1e-3 }, SMALL);
    expect([id, severity]).toEqual(['mu-window-narrow', 'warning']);
    // μ(1e-6) = 0.474
    expect(evidence.bracket.lower).toBeGreaterThan(0.473);
    expect(evidence.bracket.upper).toBeLessThan(0.4745);
    expect(wayOut).toContain('for error rates down to 1e-6');
    // no question where the claim holds from 1e-6 too, names that window itself, or is about one Gaussian
    for (const claim of [
      { mu: 0.4745, alphaMin: 1e-3 },
      { mu: 0.4745, alphaMin: 1e-6 },
    ])
      expect(ids(claim, SMALL)).toEqual([]);
    expect(ids({ mu: 1, alphaMin: 0.01 }, plain)).toEqual([]);
  });

  it('a rho below what the noise alone gives', () => {
    expect(ids({ rho: 0.5 }, plain)).toEqual([]);
    expect(ids({ rho: 0.49 }, plain)).toEqual(['rho-too-small']);
    expect(ids({ rho: 5 }, runOf(repeat(gaussian({ noiseMultiplier: 1 }), 10)))).toEqual([]);
    const sampled = only({ rho: 499 }, SMALL);
    expect(sampled.sentence).toContain('sampling does not lower rho');
    expect(sampled.evidence.bracket.lower).toBeCloseTo(500, 6);
    for (const mechanism of [
      zcdp({ rho: 0.5 }),
      pureDp({ epsilon: 1 }),
      laplace({ scale: 1, sensitivity: 1 }),
    ]) {
      expect(ids({ rho: 0.5 }, runOf(mechanism))).toEqual([]);
    }
  });

  it('a delta above 1/N', () => {
    expect(only({ delta: 1e-3, datasetSize: 60000 }).evidence.bracket.upper).toBe(1 / 60000);
    expect(ids({ delta: 1e-5, datasetSize: 60000 })).toEqual([]);
    expect(ids({ delta: 1 / 60000, datasetSize: 60000 })).toEqual([]);
    expect(ids({ delta: 1e-3 }, runOf(plain.mechanism, { datasetSize: 60000 }))).toEqual(['delta-too-large']);
  });

  it('an approximation sold as a bound', () => {
    const { id, evidence } = only({ epsilon: 2, delta: 1e-5, method: 'clt' }, SMALL);
    expect(id).toBe('clt-as-bound');
    expect(evidence.bracket.lower).toBeGreaterThan(1);
    expect(ids({ epsilon: 2, delta: 1e-5, method: 'clt', approximate: true }, SMALL)).toEqual([]);
    expect(ids({ epsilon: 2, delta: 1e-5, method: 'pld' }, SMALL)).toEqual([]);
    const opacus = recognise('{"history": [[1.1, 0.004, 100]], "mechanism": "gdp"}');
    expect(ids({ epsilon: 0.7, delta: 1e-5 }, opacus)).toEqual(['clt-as-bound']);
    expect(
      ids({ epsilon: 0.7, delta: 1e-5 }, recognise('{"history": [[1.1, 0.004, 100]], "mechanism": "rdp"}')),
    ).toEqual([]);
  });

  it('a classical sigma beyond its range', () => {
    // what σ = √(2 ln 125000)/10 delivers, from δ_μ(ε) = 1e-5 in 30 digits
    const beyond = only({ epsilon: 10, delta: 1e-5, method: 'dwork-2014' });
    expect(beyond).toMatchObject({ id: 'classical-sigma-invalid', severity: 'error' });
    expectHolds(beyond.evidence.bracket, 10.3938823812222761);
    expect(only({ epsilon: 4, delta: 1e-5, method: 'dwork-2014' })).toMatchObject({ severity: 'warning' });
    expect(ids({ epsilon: 0.9, delta: 1e-5, method: 'dwork-2014' })).toEqual([]);
    expect(ids({ epsilon: 0.9, delta: 1e-5, method: 'dwork-2014', noiseMultiplier: 4 })).toEqual([
      'noise-below-formula',
    ]);
    // √(2 ln 125000)/0.9 = 5.38311696
    expect(ids({ epsilon: 0.9, delta: 1e-5, method: 'dwork-2014', noiseMultiplier: 5.3832 })).toEqual([]);
  });
});

describe('settings', () => {
  it('gradient accumulation multiplies the rate', () => {
    const run = runOf(dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 500 }));
    const claim = { batchSize: 100, datasetSize: 10000 };
    expect(ids(claim, run)).toEqual([]);
    const finding = only({ ...claim, accumulation: 8, epsilon: 100, delta: 1e-5 }, run);
    expect(finding).toMatchObject({ id: 'sampling-rate-mismatch', severity: 'error' });
    expect(finding.evidence.bracket).toEqual({ lower: 0.08, upper: 0.08 });
    expect(finding.wayOut).toMatch(/epsilon\(1e-5\) is then \[\d/);
    expect(only({ batchSize: 50, datasetSize: 10000 }, run)).toMatchObject({ severity: 'warning' });
  });

  it('the lowest rate of any phase counts', () => {
    const run = recognise('{"history": [[1, 0.01, 10], [1, 0.001, 10]]}');
    expect(only({ batchSize: 100, datasetSize: 10000 }, run).severity).toBe('error');
  });

  it('epochs make steps, rounded up', () => {
    const claim = { epochs: 60, batchSize: 256, datasetSize: 60000 };
    expect(ids(claim, MNIST)).toEqual([]);
    const short = runOf(dpSgd({ noiseMultiplier: 1.1, samplingRate: 256 / 60000, steps: 14062 }));
    expect(only(claim, short).evidence).toEqual({
      quantity: 'steps',
      bracket: { lower: 14063, upper: 14063 },
    });
  });

  it('steps, noise and rate of the claim beside those of the file', () => {
    const twoPhases = recognise('{"history": [[1.3, 0.004, 5000], [0.9, 0.004, 500]]}');
    expect(ids({ steps: 500, noiseMultiplier: 0.9, samplingRate: 0.004 }, twoPhases)).toEqual([
      'steps-mismatch',
    ]);
    expect(ids({ steps: 5500, noiseMultiplier: 1.3 }, twoPhases)).toEqual(['noise-mismatch']);
    expect(ids({ samplingRate: 0.002 }, twoPhases)).toEqual(['sampling-rate-understated']);
  });

  it('microbatching halves the noise', () => {
    const claim = { microbatching: true, noiseMultiplier: 1 };
    const few = (noiseMultiplier: number) => runOf(dpSgd({ noiseMultiplier, samplingRate: 0.01, steps: 30 }));
    const { id, evidence } = only(claim, few(1));
    expect(id).toBe('microbatching-not-halved');
    const halved = only({ epsilon: 0, delta: 1e-5 }, few(0.5));
    expect(evidence.bracket).toEqual(halved.evidence.bracket);
    expect(ids(claim, few(0.5))).toEqual(['noise-mismatch']);
  });

  it('shuffled batches are not Poisson', () => {
    const { id, evidence, sentence } = only({ sampling: 'shuffled' }, SMALL);
    expect(id).toBe('shuffled-as-poisson');
    // by its name on the page and in reports
    expect(sentence).toContain('the loader is "Shuffled epochs"');
    // ten epochs: ten Gaussians, μ = √10
    const ten = only({ epsilon: 0, delta: 1e-5 }, runOf(repeat(gaussian({ noiseMultiplier: 1 }), 10)));
    expect(evidence.bracket).toEqual(ten.evidence.bracket);
    expect(ids({ sampling: 'poisson' }, SMALL)).toEqual([]);
    const unamplified = { sampling: 'shuffled', epsilon: ten.evidence.bracket.upper, delta: 1e-5 } as const;
    expect(ids(unamplified, SMALL)).toEqual([]);
  });

  it('loaders', () => {
    // an independent program's value of ten balls-and-bins epochs of 100 batches
    const { id, evidence } = only({ sampling: 'balls-and-bins', adjacency: 'add-remove' }, SMALL);
    expect(id).toBe('shuffled-as-poisson');
    expect(evidence.bracket).toContainValue(1.7014984358);
    expect(ids({ sampling: 'balls-and-bins', epsilon: 1.83, delta: 1e-5 }, SMALL)).toEqual([]);
    expect(ids({ sampling: 'fixed' }, SMALL)).toEqual(['shuffled-as-poisson']);
    // nothing is proved where records come and go: which neighbours are meant?
    expect(ids({ epsilon: 8, delta: 1e-5, sampling: 'shuffled' })).toEqual(['loader-without-theorem']);
    expect(ids({ epsilon: 8, delta: 1e-5, sampling: 'shuffled', adjacency: 'zero-out' })).toEqual([]);
    expect(ids({ epsilon: 8, delta: 1e-5, sampling: 'balls-and-bins', adjacency: 'replace-one' })).toEqual([
      'loader-without-theorem',
    ]);
    for (const sampling of ['poisson', 'fixed', 'all'] as const)
      expect(ids({ epsilon: 8, delta: 1e-5, sampling, adjacency: 'replace-one' })).toEqual([]);
  });

  it('adjacency', () => {
    const noisy = poissonSubsampled(laplace({ scale: 2, sensitivity: 1 }), { rate: 0.1 });
    const { id, evidence, wayOut } = only({ adjacency: 'replace-one' }, runOf(noisy));
    // a Gaussian's epsilon(1e-5) at sigma 1 goes from 4.38 to 10.0
    expect(wayOut).toContain('epsilon may be more than twice as large');
    expect(id).toBe('adjacency-mismatch');
    expect(evidence.quantity).toContain('add-remove');
    for (const adjacency of ['add-remove', 'zero-out', 'replace-one'] as const)
      expect(ids({ adjacency }, SMALL)).toEqual([]);
    // what is proved of Gaussian noise on Poisson samples is held against the number claimed
    const own = account(wasm, SMALL.mechanism, { adjacency: 'add-remove' }).epsilon(1e-5).upper;
    expect(ids({ adjacency: 'zero-out', epsilon: own, delta: 1e-5 }, SMALL)).toEqual([]);
    expect(ids({ adjacency: 'replace-one', epsilon: own, delta: 1e-5 }, SMALL)).toEqual([
      'epsilon-too-small',
    ]);
    // plain Gaussians are accounted as claimed: σ = 2 under replace-one is μ = 1
    const plain = runOf(gaussian({ noiseMultiplier: 2 }));
    expect(ids({ adjacency: 'replace-one', mu: 1 }, plain)).toEqual([]);
    expect(ids({ adjacency: 'replace-one', mu: 0.9 }, plain)).toEqual(['mu-too-small']);
  });

  it('a search that is not paid for', () => {
    const { id, evidence } = only({ searches: 20 }, SMALL);
    expect(id).toBe('search-not-paid');
    const all = only({ epsilon: 0, delta: 1e-5 }, runOf(repeat(SMALL.mechanism, 20)));
    expect(evidence.bracket).toEqual(all.evidence.bracket);
    expect(ids({ searches: 20, searchesPaid: true }, SMALL)).toEqual([]);
    expect(ids({ searches: 1 }, SMALL)).toEqual([]);
  });
});

describe('a divisor that Opacus cut', () => {
  const file = (name: string) =>
    recognise(readFileSync(new URL(`../read/fixtures/${name}`, import.meta.url)));
  // two phases at rate 0.004: int(q n) is 239 of 59,999 records and 240 of 60,000
  const checkpoint = file('checkpoint.pt');

  it('is found by the size of the data set where one record changes it', () => {
    const finding = only({ datasetSize: 60_000 }, checkpoint);
    expect(finding).toMatchObject({
      id: 'divisor-cut',
      severity: 'warning',
      evidence: { bracket: { lower: 239, upper: 240 } },
    });
    expect(finding.sentence).toContain('240, but 239 with one record fewer');
    expect(only({ datasetSize: 59_999 }, checkpoint).sentence).toContain('239, but 240 with one record more');
  });

  it('is none where no record changes it, nobody is added, or no engine of Opacus wrote the file', () => {
    expect(ids({ datasetSize: 60_100 }, checkpoint)).toEqual([]);
    expect(ids({ datasetSize: 60_000, adjacency: 'zero-out' }, checkpoint)).not.toContain('divisor-cut');
    expect(ids({ datasetSize: 60_000 }, file('state-2.pkl'))).toEqual([]);
    expect(lint(wasm, { epsilon: 100, delta: 1e-5 }, { run: checkpoint }).skipped).toContainEqual({
      id: 'divisor-cut',
      needs: 'datasetSize, add-remove adjacency and a checkpoint of Opacus with Poisson samples',
    });
  });
});

describe('lint', () => {
  it('a claim may describe its run by itself', () => {
    const self = { epsilon: 0.72, delta: 1e-5, noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 };
    expect(ids(self)).toEqual(['epsilon-too-small']);
    expect(ids({ epsilon: 1, delta: 1e-5, mechanism: gaussian({ noiseMultiplier: 1 }) })).toEqual([
      'epsilon-too-small',
    ]);
    expect(ids({ epsilon: 1, delta: 1e-5, noiseMultiplier: 1, sampling: 'all' })).toEqual([
      'epsilon-too-small',
    ]);
  });

  it('says which rules had enough to go by', () => {
    const { findings, checked, skipped } = lint(wasm, { epsilon: 1, delta: 1e-5 });
    expect({ findings, checked }).toEqual({ findings: [], checked: [] });
    expect(skipped.map(({ id }) => id)).toEqual(LINT_RULES);
    expect(new Set(LINT_RULES).size).toBe(LINT_RULES.length);
  });

  it('holds a statement of TF-privacy to its own number', () => {
    const statement =
      'DP-SGD with sampling rate = 0.427% and noise_multiplier = 1.1 iterated over 14063 steps satisfies differential privacy with eps = 2 and delta = 1e-05.';
    const run = recognise(statement);
    expect(claimOf(run)).toEqual({ epsilon: 2, delta: 1e-5 });
    expect(ids(claimOf(run), run)).toEqual(['epsilon-too-small']);
    const honest = recognise(statement.replace('eps = 2 ', 'eps = 3.01 '));
    expect(ids(claimOf(honest), honest)).toEqual([]);
  });

  it('holds a report and an answer to the numbers that they state', () => {
    const run = account(wasm, dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 }));
    const json = reportJson(report(run, { deltas: [1e-6, 1e-9] }));
    const honest = recognise(json);
    const claim = claimOf(honest);
    const [epsilon, { mu, alphaMin }] = [run.epsilon(1e-6), measure(run)];
    expect(claim).toEqual({ epsilon: epsilon.upper, delta: 1e-6, mu: mu.upper, alphaMin });
    const { findings, checked } = lint(wasm, claim, { run: honest });
    expect(findings).toEqual([]);
    expect(checked).toEqual(expect.arrayContaining(['epsilon-too-small', 'mu-too-small']));
    for (const [field, id] of [['epsilon', 'epsilon-too-small'] as const, ['mu', 'mu-too-small'] as const]) {
      const forged = recognise(JSON.stringify({ ...JSON.parse(json), [field]: { lower: 0.1, upper: 0.11 } }));
      expect(ids(claimOf(forged), forged)).toEqual([id]);
    }
  });

  it.runIf(LONG_TESTS)('spends on mu what a question may cost', () => {
    const mechanism = repeat(replacedGaussian({ noiseMultiplier: 4, rate: 0.0017 }), 188);
    const run = { ...runOf(mechanism), facts: { adjacency: 'replace-one' as const } };
    const alphaMin = 1e-300;
    const asked = account(wasm, mechanism, { adjacency: 'replace-one', tolerance: 1e-4 });
    const { mu } = measure(asked, { alphaMin });
    expect(asked.limitedBy).toBe('effort');
    const { findings } = lint(wasm, { mu: 0.001, alphaMin }, { run });
    expect(findings[0].evidence.bracket).toEqual(mu);
  });

  it('claims nothing that an answer says to be unknown', () => {
    const stated = { mechanism: { kind: 'gaussian', noiseMultiplier: 1 }, adjacency: 'add-remove' };
    const unknown = { lower: 1, upper: 'Infinity' };
    const endless = recognise(JSON.stringify({ ...stated, epsilon: unknown, delta: 1e-5, mu: unknown }));
    expect(claimOf(endless)).toEqual({ delta: 1e-5 });
    const small = { mu: { lower: 1, upper: 1 }, alphaMin: 0, delta: { lower: 1, upper: 1 } };
    expect(claimOf(recognise(JSON.stringify({ ...stated, ...small })))).toEqual({});
  });

  it('gives every finding an id, a bracket and a way out', () => {
    const claim: Claim = {
      epsilon: 0.1,
      delta: 1e-2,
      mu: 0.01,
      rho: 0.01,
      method: 'clt',
      adjacency: 'replace-one',
      sampling: 'shuffled',
      noiseMultiplier: 3,
      steps: 3,
      datasetSize: 1000,
      batchSize: 100,
      accumulation: 2,
      searches: 5,
    };
    const { findings } = lint(wasm, claim, { run: SMALL, tolerance: 1e-3 });
    expect(findings.length).toBeGreaterThanOrEqual(9);
    for (const { id, sentence, evidence, wayOut } of findings) {
      expect(LINT_RULES).toContain(id);
      expect(evidence.bracket.lower).toBeLessThanOrEqual(evidence.bracket.upper);
      expect(sentence).toMatch(/^[^\n]{20,}$/);
      expect(wayOut).toMatch(/^[^\n]{10,}$/);
    }
  });

  it.each([
    [null, '"claim" must be an object'],
    [[], '"claim" must be an object'],
    [{ eps: 1 }, '"eps" is unknown: a claim has epsilon, delta'],
    [{ epsilon: -1 }, '"epsilon" must be a finite number >= 0, got -1'],
    [{ epsilon: 'Infinity' }, '"epsilon" must be'],
    [{ epsilon: Infinity }, '"epsilon" must be'],
    [{ delta: 1 }, '"delta" must be a number in [0, 1)'],
    [{ samplingRate: 0 }, '"samplingRate" must be a number in (0, 1]'],
    [{ steps: 1.5 }, '"steps" must be a whole number'],
    [{ sampling: 'random' }, '"sampling" must be one of poisson'],
    [{ microbatching: 1 }, '"microbatching" must be true or false'],
    [{ mechanism: { kind: 'x' } }, '"mechanism.kind" must be one of the'],
    [JSON.parse('{"__proto__": 1}'), '"__proto__" is unknown'],
  ])('refuses the claim %j', (claim, sentence) => {
    expect(() => parseClaim(claim)).toThrow(sentence);
  });
});

describe('searches and attacks', () => {
  const plain = runOf(gaussian({ noiseMultiplier: 1 }));
  const told = { epsilon: 4.4, delta: 1e-5 };

  it('a search that is told of, where one run is accounted for', () => {
    const finding = only({ ...told, tuning: 'grid search over 40 settings' }, plain);
    expect(finding).toMatchObject({ id: 'search-accounted-as-one-run', severity: 'warning' });
    // the geometric row of 40 tries on average
    expect(finding.evidence.bracket.upper).toBeCloseTo(7.873156849, 2);
    expect(finding.evidence.bracket.lower).toBeGreaterThan(7.5);
    for (const tuning of ['none: the settings are those of the paper', 'fixed beforehand on public data'])
      expect(ids({ ...told, tuning }, plain)).toEqual([]);
    expect(ids({ ...told, tuning: 'best of 10 tries', searchesPaid: true }, plain)).toEqual([]);
  });

  it('a search that is accounted for as one', () => {
    const searched = runOf(
      select({
        runs: { kind: 'negative-binomial', eta: 1, mean: 10 },
        inner: gaussian({ noiseMultiplier: 1 }),
      }),
    );
    expect(ids({ epsilon: 6.7, delta: 1e-5, tuning: 'best of 10 tries', searches: 10 }, searched)).toEqual(
      [],
    );
    expect(ids({ epsilon: 4.4, delta: 1e-5, tuning: 'best of 10 tries' }, searched)).toEqual([
      'epsilon-too-small',
    ]);
  });

  it('evidence that refutes the claim, or the run', () => {
    const evidence = {
      kind: 'threshold',
      falsePositives: 2,
      nonMembers: 1000,
      truePositives: 900,
      members: 1000,
    } as const;
    const finding = only({ epsilon: 1, delta: 1e-5, evidence });
    expect(finding).toMatchObject({ id: 'refuted-by-evidence', severity: 'error' });
    expect(finding.evidence.bracket.lower).toBeGreaterThan(4);
    expect(ids({ ...told, evidence }, plain)).toEqual(['refuted-by-evidence']);
    expect(ids({ ...told, evidence: { ...evidence, truePositives: 3 } }, plain)).toEqual([]);
  });
});

it('a run that nothing recognised, and a width that is none, are refused whatever is claimed', () => {
  for (const run of [5, null, 'x', {}, { facts: 5 }, { facts: {} }])
    expect(() => lint(wasm, { epsilon: 1 }, { run } as never)).toThrow(
      '"run" must be a run that was recognised',
    );
  for (const tolerance of [5, null, 'x', Number.NaN, -1])
    expect(() => lint(wasm, { epsilon: 1 }, { tolerance } as never)).toThrow(
      '"tolerance" must be a number in',
    );
});
