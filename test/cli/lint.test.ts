import { describe, expect, it } from 'vitest';
import { CIFAR_FLAGS, gdp } from './harness.js';

const CLAIM = '{"epsilon": 1, "delta": 1e-5, "noiseMultiplier": 1, "sampling": "all"}';

describe('gdp lint', () => {
  it('a claim that describes its run: exit code 1 on a finding', async () => {
    const { code, stdout, stderr } = await gdp(['lint', '-'], CLAIM);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^epsilon-too-small \(error\)\n {2}the run is not \(1, 1e-5\)-DP/);
    expect(stdout).toMatch(
      /\n {2}epsilon\(1e-5\): \[4\.377\d*, 4\.377\d*\]\n {2}way out: publish epsilon 4\.378/,
    );
    expect(stdout).toMatch(/\n1 finding; \d+ rules checked, \d+ skipped \(the claim says too little\)\n$/);
    const honest = await gdp(['lint', '-'], CLAIM.replace('"epsilon": 1', '"epsilon": 4.38'));
    expect(honest).toMatchObject({ code: 0, stderr: '' });
    expect(honest.stdout).toMatch(/^0 findings; \d+ rules checked/);
  });

  it('a run and a claim, as JSON', async () => {
    const { code, stdout } = await gdp(
      ['lint', 'test/read/fixtures/checkpoint.pt', '--claim', '-', '--json'],
      '{"steps": 500, "samplingRate": 0.004, "delta": 1e-3, "datasetSize": 60000}',
    );
    expect(code).toBe(1);
    const { findings, checked, skipped } = JSON.parse(stdout);
    const ids = findings.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['delta-too-large', 'steps-mismatch', 'divisor-cut']);
    expect(findings[1].evidence.bracket).toEqual({ lower: 5500, upper: 5500 });
    expect(findings[2].evidence.bracket).toEqual({ lower: 239, upper: 240 });
    expect(checked).toContain('sampling-rate-understated');
    expect(skipped[0]).toMatchObject({ id: 'epsilon-too-small', needs: 'epsilon, delta and the run' });
  });

  it('a run alone is held to the number it prints', async () => {
    const statement =
      'DP-SGD with sampling rate = 0.427% and noise_multiplier = 4 iterated over 100 steps satisfies differential privacy with eps = 0.001 and delta = 1e-05.';
    const { code, stdout, stderr } = await gdp(['lint', '-'], statement);
    expect(code).toBe(1);
    expect(stdout).toContain('epsilon-too-small');
    expect(stderr).toContain('rounds its sampling rate');
    expect(await gdp(['lint', 'examples/mnist-tutorial.json'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/no rule could be checked, as no number is claimed: give .* --claim\n$/),
    });
  });

  it.each([
    ['report', '--delta', '1e-6'],
    ['epsilon', '--delta', '1e-6'],
    ['delta', '--epsilon', '2'],
    ['mu', '--alpha-min', '1e-8'],
  ])('what gdp %s answers is clean, and a number of it too small is not', async (...words) => {
    const { stdout } = await gdp([...words, ...CIFAR_FLAGS, '--json']);
    const honest = await gdp(['lint', '-'], stdout);
    expect(honest).toMatchObject({ code: 0, stderr: '' });
    expect(honest.stdout).toMatch(/^0 findings; [1-9]/);
    const forged = JSON.parse(stdout);
    const field = words[0] === 'mu' ? 'mu' : 'epsilon';
    forged[field] = words[0] === 'delta' ? 0.1 : { lower: 0.1, upper: 0.1 };
    const found = await gdp(['lint', '-'], JSON.stringify(forged));
    expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining(`${field}-too-small`) });
  });

  it('a certificate is a run, and states no number that a rule holds against it', async () => {
    const { stdout } = await gdp(['certify', ...CIFAR_FLAGS, '--epsilon', '2']);
    expect(await gdp(['lint', '-', '--claim', 'docs/guide/claim.json'], stdout)).toMatchObject({ code: 1 });
    expect((await gdp(['lint', '-'], stdout)).stderr).toContain('no number is claimed');
  });

  it.each([
    [['lint'], '', 'gdp lint needs a FILE'],
    [['lint', '-', '--claim', '-'], '', 'only one of FILE and --claim can be -'],
    [['lint', '-'], '{"epsilon": -1}', 'standard input: "epsilon" must be a finite number >= 0, got -1'],
    [['lint', '-'], '{"epsilon": 1, "sigma": 2}', 'standard input: "sigma" is unknown: a claim has epsilon'],
    [
      ['lint', 'examples/mnist-tutorial.json', '--claim', '-'],
      '{"eps": 1}',
      'standard input: "eps" is unknown',
    ],
    [
      ['lint', 'examples/mnist-tutorial.json', '--claim', '-'],
      '{"eps":',
      'standard input: it is not valid JSON',
    ],
    [['lint', 'examples/mnist-tutorial.json', '--claim', 'absent.json'], '', 'absent.json: no such file'],
    [['lint', 'absent.json'], '', 'absent.json: no such file'],
    [['lint', 'examples'], '', 'examples: it is a directory'],
    [['lint', '-'], 'nonsense', 'standard input: it is not valid JSON: it starts with "nonsense"'],
    [['lint', '-'], '{"a": 1}', 'standard input: it is JSON with the key "a"'],
  ])('%j on %j', async (argv, stdin, sentence) => {
    const { code, stdout, stderr } = await gdp(argv, stdin);
    expect(stderr).toContain(`gdp: ${sentence}`);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});
