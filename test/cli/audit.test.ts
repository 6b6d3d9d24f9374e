import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-audit-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const THRESHOLD = 'examples/audit-threshold.json';
const ONE_RUN = 'examples/audit-one-run.json';

describe('gdp audit', () => {
  it('bounds without a claim', async () => {
    const { code, stdout, stderr } = await gdp(['audit', THRESHOLD, '--delta', '1e-5,0', '--brackets']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^mu at least {13}\[0\.878105\d*, 0\.878105\d*\]$/m);
    expect(stdout).toMatch(/^epsilon\(1e-5\) at least {2}\[1\.954338\d*, 1\.954338\d*\]$/m);
    expect(stdout).toMatch(/^false positives at most \[0\.011629\d*/m);
    expect(stdout).toMatch(/^verdict {17}no claim was tested; there is evidence of leakage$/m);
    expect(stdout).toContain('the threshold was fixed before the scores were seen');
  });

  it('refutes a claim, with exit code 1 and a picture', async () => {
    const claim = file('claim.json', '{"epsilon": 1, "delta": 1e-5}');
    const picture = join(folder, 'roc.svg');
    const argv = ['audit', THRESHOLD, '--claim', claim, '--json', '--svg', picture];
    const { code, stdout, stderr } = await gdp(argv);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `gdp: wrote ${picture}\n` });
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({ verdict: 'refuted', claim: '(1, 1e-5)-DP', confidence: 0.95 });
    expect(found.pValue.upper).toBeLessThan(0.05);
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(['muLower', 'epsilonLower', 'fprUpper', 'tprLower', 'pValue', 'verdict']),
    );
    expect(readFileSync(picture, 'utf8')).toMatch(
      /^<svg.*Claim and evidence.*claimed at most: \(1, 1e-5\)-DP/s,
    );
  });

  it('a run and its report are the same claim', async () => {
    const run = file('run.json', '{"kind": "dp-sgd", "noiseMultiplier": 2, "samplingRate": 1, "steps": 2}');
    const report = file('report.json', (await gdp(['report', run, '--json'])).stdout);
    const [byRun, byReport] = await Promise.all(
      [run, report].map((claim) => gdp(['audit', ONE_RUN, '--claim', claim, '--json'])),
    );
    expect(byRun).toEqual(byReport);
    expect(byRun).toMatchObject({ code: 1, stderr: '' });
    const weaker = await gdp(['audit', ONE_RUN, '--claim', file('mu.json', '{"mu": 1}')]);
    expect(weaker.code).toBe(0);
    expect(weaker.stdout).toContain(
      'consistent: the evidence does not refute the claim, and does not prove it',
    );
  });

  it('scores as CSV pay for their thresholds', async () => {
    const { code, stdout } = await gdp(['audit', 'examples/audit-scores.csv', '--json']);
    expect(code).toBe(0);
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({ verdict: 'no claim', claim: null, pValue: null });
    expect(found.counts).toEqual({ nonMembers: 100, members: 100 });
    expect(found.muLower.lower).toBeGreaterThan(0.5);
    expect(found.muLower.upper).toBeLessThan(2);
    expect(found.assumed[1]).toContain('every one that there could have been is paid for');
  });

  it.each([
    [['audit'], '', 'gdp audit needs EVIDENCE'],
    [['audit', '-', '--claim', '-'], '', 'only one of EVIDENCE and --claim can be -'],
    [
      ['audit', '-'],
      '{"kind": "treshold"}',
      'standard input: "evidence.kind" must be one of threshold, scores',
    ],
    [
      ['audit', '-'],
      '{"kind": "threshold", "falsePositives": 6, "nonMembers": 5, "truePositives": 0, "members": 5}',
      'standard input: "evidence.falsePositives" must be a whole number from 0 to 5, got 6',
    ],
    [
      ['audit', '-'],
      '{"kind": "one-run", "canaries": 10, "guesses": 20, "correct": 5}',
      'standard input: "evidence.guesses" must be a whole number from 0 to 10, got 20',
    ],
    [
      ['audit', '-'],
      'a,b\n1,2\n',
      'standard input: its first line must name the columns "score" and "member"',
    ],
    [['audit', '-'], 'score,member\n1,2\n', 'standard input: line 2: "member" must be 1, 0, true or false'],
    [['audit', '-'], 'score,member\nx,1\n', 'standard input: line 2: "score" must be a number'],
    [['audit', '-'], '', 'standard input: it is empty, expected JSON'],
    [
      ['audit', THRESHOLD, '--confidence', '1'],
      '',
      '"--confidence" must be a number from 0.5 to 1 - 1e-15, got "1"',
    ],
    [['audit', THRESHOLD, '--delta', '1'], '', '"--delta" must be a number in [0, 1), got "1"'],
    [['audit', THRESHOLD, '--claim', 'absent.json'], '', 'absent.json: no such file'],
    [['audit', 'absent.json'], '', 'absent.json: no such file'],
  ])('%j on %j', async (argv, stdin, sentence) => {
    const { code, stdout, stderr } = await gdp(argv, stdin);
    expect(stderr).toContain(`gdp: ${sentence}`);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('a window of mu is no claim about all rates', async () => {
    const claim = file('window.json', '{"mu": 1, "alphaMin": 1e-3}');
    const { code, stderr } = await gdp(['audit', THRESHOLD, '--claim', claim]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('window only') });
  });
});
