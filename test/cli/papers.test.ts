import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deltaGdp, normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-papers-'));
const written = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const json = async (...argv: string[]) => {
  const { stdout, stderr, code } = await gdp([...argv, '--json']);
  if (stdout === '') throw new Error(stderr);
  return { ...JSON.parse(stdout), stderr, code };
};

const POINTS = Array.from({ length: 200 }, (_, i) => {
  const alpha = (i + 1) / 201;
  return { alpha, beta: Math.min(1 - alpha, normalCdf(-normalQuantile(alpha) - 1)) };
});
const CURVE = written('curve.json', JSON.stringify({ kind: 'trade-off', points: POINTS }));
const TABLE = written(
  'curve.csv',
  `alpha,beta\n${POINTS.map(({ alpha, beta }) => `${alpha},${beta}`).join('\n')}\n`,
);
const GAUSSIAN = written('gaussian.json', '{"kind":"gaussian","noiseMultiplier":4}');
const RESPONSE = written('response.json', '{"kind":"pure-dp","epsilon":0.25}');

describe('curves as files', () => {
  test.each([CURVE, TABLE])('%s has mu 1', async (file) => {
    const { mu, stderr } = await json('mu', file);
    expect(mu).toContainValue(1, { absolute: 2e-14 });
    expect(mu).toBeNoWiderThan(1e-12);
    expect(stderr).toMatch(/breakpoints of a trade-off function/);
    expect((await json('convert', file, '--to', 'gdp')).values[0]).toBeNoWiderThan(1e-12);
    expect((await json('identify', file)).verdict).toBe('gdp');
  });

  test('two PMFs, as JSON and as a table; a profile as a table', async () => {
    const [x, y] = [
      [0.7, 0.2, 0.1],
      [0.1, 0.2, 0.7],
    ];
    const exact = -2 * normalQuantile(0.2);
    const files = [
      written('pmf.json', JSON.stringify({ kind: 'loss-pmf', x, y })),
      written('bare.json', JSON.stringify({ x, y })),
      written('pmf.csv', `x,y\n${x.map((p, i) => `${p},${y[i]}`).join('\r\n')}`),
    ];
    for (const file of files) {
      // vertices (0.1, 0.3), (0.3, 0.1): one mu at each
      const { mu } = await json('mu', file);
      expect(mu).toContainValue(-normalQuantile(0.1) - normalQuantile(0.3), { absolute: 1e-12 });
      expect((await json('delta', file, '--epsilon', '0')).delta).toContainValue(0.6, { absolute: 1e-14 });
      expect((await json('report', file)).mechanism.kind).toBe('trade-off');
      expect(await json('identify', file)).toMatchObject({ verdict: 'gdp', tailMu: { lower: 0, upper: 0 } });
      expect((await gdp(['mu', file])).stdout).not.toMatch(/tail/);
    }
    expect(exact).toBeGreaterThan(0);
    const table = written('profile.csv', 'epsilon,delta\n1,1e-5\n');
    expect((await json('delta', table, '--epsilon', '1')).delta).toContainValue(1e-5, { relative: 1e-12 });
    const wrong = await gdp(['mu', written('bad.csv', 'alpha,beta\n0.1,x\n')]);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/line 2 must be two numbers/) });
  });

  test('a value below the chords is a staircase where that is said', async () => {
    const file = written('stairs.json', JSON.stringify({ kind: 'trade-off', points: POINTS, linear: false }));
    const { mu, stderr } = await json('mu', file);
    expect(mu.lower).toBeGreaterThan(1.001);
    expect(stderr).toBe('');
  });
});

describe('gdp noise', () => {
  test('a row of GM table I, every formula, the threshold and the unsafe ones named', async () => {
    const { noises, thresholds } = await json('noise', '--epsilon', '10', '--delta', '0.01');
    const sigma = (name: string) => noises.find((each: { name: string }) => each.name === name).sigma;
    // δ_{1/σ}(10) = 0.01 at the optimum
    const { lower, upper } = sigma('optimal');
    expect(deltaGdp(1 / upper, 10)).toBeLessThanOrEqual(0.01);
    expect(deltaGdp(1 / (lower * (1 - 1e-12)), 10)).toBeGreaterThan(0.01);
    expect(noises).toHaveLength(8);
    expect(sigma('Dwork-2014').upper).toBeCloseTo(Math.sqrt(2 * Math.log(125)) / 10, 12);
    expect(thresholds['dwork-2014'].upper).toBeLessThan(10);
    const { stdout } = await gdp(['noise', '--epsilon', '10', '--delta', '0.01']);
    expect(stdout).toMatch(/NOT \(epsilon, delta\)-DP/);
  });

  test('at epsilon 0: sensitivity/(2√2 inverf δ)', async () => {
    const { noises } = await json('noise', '--epsilon', '0', '--delta', '1e-5');
    expect(noises).toHaveLength(1);
    expect(noises[0].sigma).toContainValue(39894.22804, { absolute: 1e-5 });
    const { code, stderr } = await gdp(['noise', '--delta', '1e-5']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--epsilon/)]);
  });
});

describe('--group', () => {
  test('G_μ becomes G_kμ: mu, delta, epsilon and the curve', async () => {
    const mu = 3 / 4;
    expect((await json('mu', GAUSSIAN, '--group', '3')).mu).toContainValue(mu, { absolute: 1e-12 });
    const { delta, group, mechanism } = await json('delta', GAUSSIAN, '--epsilon', '1', '--group', '3');
    expect(delta).toContainValue(deltaGdp(mu, 1), { relative: 1e-12 });
    expect([group, mechanism]).toEqual([3, undefined]);
    const { epsilon } = await json('epsilon', GAUSSIAN, '--delta', '1e-5', '--group', '3');
    expect(deltaGdp(mu, epsilon.upper)).toBeLessThanOrEqual(1e-5 * (1 + 1e-9));
    const { beta } = await json('tradeoff', GAUSSIAN, '--alpha', '0.1', '--group', '3');
    expect(beta).toContainValue(normalCdf(-normalQuantile(0.1) - mu), { absolute: 1e-13 });
  });

  test('four of a quarter-DP are 1-DP at most, by the chain', async () => {
    // f(α) = 1 − chain of α → min(e^{1/4} α, 1 − e^{−1/4}(1 − α))
    const e = Math.exp(0.25);
    let power = 0.05;
    for (let i = 0; i < 4; i++) power = Math.min(e * power, 1 - (1 - power) / e);
    const { beta } = await json('tradeoff', RESPONSE, '--alpha', '0.05', '--group', '4');
    expect(beta).toContainValue(1 - power, { absolute: 1e-12 });
    expect(beta).toBeNoWiderThan(1e-9);
    const { epsilonAtDelta } = await json('report', RESPONSE, '--group', '4', '--delta', '1e-6');
    expect(epsilonAtDelta[0].epsilon.upper).toBeLessThan(1 + 1e-6);
    expect(epsilonAtDelta[0].epsilon.upper).toBeGreaterThan(0.99);
    const { code } = await gdp(['mu', RESPONSE, '--group', '0']);
    expect(code).toBe(2);
  });
});

describe('formulas by name, heads and tails', () => {
  test('Laplace, the SGD family, ICEA', async () => {
    const laplace = await json(
      'measure',
      '--formula',
      'laplace:2',
      '--epsilon-head',
      '3',
      '--resolution',
      '1e5',
    );
    expect(laplace.headMu).toContainValue(1.800905193347812, { absolute: 1e-6 });
    const sgd = await json('identify', '--formula', 'sgd-family:1,2,1');
    expect(sgd.tailMu).toContainValue(Math.SQRT1_2, { absolute: 1e-12 });
    expect((await json('identify', '--formula', 'icea:300,1000')).code).toBe(1);
    const { code, stderr } = await gdp(['identify', '--formula', 'laplac:2']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/laplace, sgd-family, icea/)]);
  });

  test('a tail is decided by its ceiling and the steps before it', async () => {
    const tail = (mu: string, from: string) =>
      json('measure', '--formula', 'sgd-family:1,2,1', '--tail', '--epsilon-head', from, '--mu', mu);
    // δ̂(ε) = 2e^{−ε²} from ε = 2 on is under δ_1.3, looked at one by one, and not under δ_0.6
    for (let i = 0; i < 2000; i++) {
      const epsilon = 2 + i / 100;
      expect(2 * Math.exp(-(epsilon ** 2))).toBeLessThanOrEqual(deltaGdp(1.3, epsilon));
    }
    expect(await tail('1.3', '2')).toMatchObject({ holds: 'yes', code: 0, part: 'tail' });
    expect(await tail('0.6', '2')).toMatchObject({ holds: 'no', code: 1 });
    const head = await json('measure', '--formula', 'laplace:2', '--mu', '1.81', '--epsilon-head', '3');
    expect(head).toMatchObject({ holds: 'yes', part: 'head' });
  });
});

describe('gdp tradeoff of several', () => {
  test('the product and the hull', async () => {
    const other = written('other.json', '{"kind":"gaussian","noiseMultiplier":3}');
    const mu = Math.hypot(1 / 4, 1 / 3);
    const product = await json('tradeoff', GAUSSIAN, other, '--tensor', '--alpha', '0.1');
    expect(product.beta).toContainValue(normalCdf(-normalQuantile(0.1) - mu), { absolute: 1e-12 });
    const hull = await json('tradeoff', GAUSSIAN, other, '--hull', '--alpha', '0.1');
    expect(hull.beta).toContainValue(normalCdf(-normalQuantile(0.1) - 1 / 3), { absolute: 1e-12 });
    expect((await gdp(['tradeoff', GAUSSIAN, other])).code).toBe(2);
    expect((await gdp(['tradeoff', GAUSSIAN, other, '--hull', '--symmetrise'])).code).toBe(2);
    expect((await gdp(['tradeoff', GAUSSIAN, '--tensor'])).code).toBe(2);
  });
});

test('one direction of the neighbours, and symmetrised', async () => {
  const sampled = written(
    'sampled.json',
    '{"kind":"poisson-subsampled","rate":0.5,"inner":{"kind":"gaussian","noiseMultiplier":1}}',
  );
  const at = async (...argv: string[]) => (await json('tradeoff', sampled, '--alpha', '0.5', ...argv)).beta;
  // T(P, (P + Q)/2) = ½(1 − α) + ½G_1(α), and its inverse by bisection
  const f = (alpha: number) => (1 - alpha + normalCdf(-normalQuantile(alpha) - 1)) / 2;
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (f(middle) > 0.5) low = middle;
    else high = middle;
  }
  expect(await at('--direction', 'remove')).toContainValue(f(0.5), { absolute: 1e-12 });
  expect(await at('--direction', 'add')).toContainValue(low, { absolute: 1e-9 });
  const symmetric = await at('--direction', 'add', '--symmetrise');
  expect(symmetric.upper).toBeLessThanOrEqual(Math.min(f(0.5), low) + 1e-9);
  expect(symmetric).toOverlap(await at());
});

describe('answers read again', () => {
  test('a report, and whether it reproduces', async () => {
    const { stdout } = await gdp(['report', GAUSSIAN, '--json', '--delta', '1e-5']);
    const file = written('report.json', stdout);
    const again = await gdp(['epsilon', file, '--delta', '1e-5']);
    expect(again.stderr).toMatch(/reproduced, every bit/);
    const changed = stdout.replace(/"noiseMultiplier": 4/, '"noiseMultiplier": 5');
    expect(changed).not.toBe(stdout);
    const other = await gdp(['epsilon', written('changed.json', changed), '--delta', '1e-5']);
    expect(other.stderr).toMatch(/NOT reproduced/);
  });

  test('the JSON of one verb feeds the others', async () => {
    for (const argv of [
      ['epsilon', GAUSSIAN],
      ['delta', GAUSSIAN, '--epsilon', '1'],
      ['mu', GAUSSIAN],
      ['tradeoff', GAUSSIAN],
      ['identify', GAUSSIAN],
      ['measure', GAUSSIAN],
      ['certify', GAUSSIAN, '--epsilon', '1'],
      ['compare', GAUSSIAN],
      ['convert', '--from', 'zcdp:0.5', '--to', 'gdp'],
      ['calibrate', '--epsilon', '1', '--delta', '1e-5', '--sampling-rate', '1', '--steps', '1'],
    ]) {
      const { stdout, stderr } = await gdp([...argv, '--json']);
      if (stdout === '') throw new Error(`${argv[0]}: ${stderr}`);
      const read = await gdp(['mu', written(`${argv[0]}.out.json`, stdout)]);
      expect(read.code, `${argv[0]}: ${read.stderr}`).toBe(0);
    }
    const group = await gdp(['mu', GAUSSIAN, '--group', '2', '--json']);
    expect((await gdp(['mu', written('group.json', group.stdout)])).code).toBe(2);
  });
});
