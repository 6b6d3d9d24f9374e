import { describe, expect, it } from 'vitest';
import { compose, dpSgd } from '../../src/mechanism/mechanism.js';
import { formatReport } from '../../src/report/text.js';
import { sampleReport } from '../helpers/sample-report.js';

const infinite = { lower: Infinity, upper: Infinity };

describe('formatReport', () => {
  it('is plain ASCII, at most 80 columns wide', () => {
    const lines = formatReport(sampleReport()).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.length).toBeLessThan(130);
    expect(formatReport(sampleReport())).toMatch(/^[\n\x20-\x7e]+$/);
    expect(formatReport(sampleReport())).not.toMatch(/ \n|NaN|undefined/);
  });

  it('prints what the guarantee is about', () => {
    const text = formatReport(sampleReport());
    expect(text).toContain('data sets that differ by one record, added or removed');
    expect(text).toContain('Poisson');
    expect(text).toContain('gdp-kernel 1.2.3, wasm engine');
    expect(text).toMatch(/ 1\.3 +0\.004 +5000\n/);
    expect(text).toMatch(/ 0\.9 +0\.004 +500\n/);
    expect(text).toContain('1e-5    [1.1529678, 1.1529683]');
  });

  it('rounds the ends outwards', () => {
    const epsilon = { lower: 1.15296794999, upper: 1.15296805001 };
    const text = formatReport(sampleReport({ epsilonAtDelta: [{ delta: 1e-5, epsilon }] }));
    const [, lower, upper] = /1e-5 +\[(\S+), (\S+)\]/.exec(text)!;
    expect(Number(lower)).toBeLessThanOrEqual(epsilon.lower);
    expect(Number(upper)).toBeGreaterThanOrEqual(epsilon.upper);
    expect(Number(upper) - Number(lower)).toBeLessThan(2 * (epsilon.upper - epsilon.lower));
  });

  it('rounds the risk sentences up', () => {
    const text = formatReport(sampleReport()).replace(/\s+/g, ' ');
    // (1 + 0.11101)/2 = 0.555505
    expect(text).toContain('more often than 55.56 % of the time');
    expect(text).toContain('rightly does so in at most 0.251 % of the runs with it');
  });

  it('says that an attack can only guess where nothing is revealed', () => {
    const zero = { lower: 0, upper: 0 };
    const text = formatReport(sampleReport({ advantage: zero })).replace(/\s+/g, ' ');
    expect(text).toContain('more often than 50.00 % of the time');
  });

  it('says that nothing is guaranteed where nothing is', () => {
    const text = formatReport(
      sampleReport({
        epsilonAtDelta: [{ delta: 1e-5, epsilon: infinite }],
        mu: infinite,
        tailMu: infinite,
        advantage: { lower: 1, upper: 1 },
        truePositiveRate: [{ falsePositiveRate: 0.001, truePositiveRate: { lower: 1, upper: 1 } }],
        regret: { lower: 0, upper: 0 },
      }),
    ).replace(/\s+/g, ' ');
    expect(text).toContain('1e-5 infinite');
    expect(text).toContain('no finite mu is certified');
    expect(text).toContain('No guarantee against membership inference');
    expect(text).not.toContain('rightly does so');
  });

  it('names the tier and what follows from it', () => {
    expect(formatReport(sampleReport({ tier: 'I' }))).toMatch(/Tier +I: regret is below 0.01/);
    expect(formatReport(sampleReport({ tier: 'II' }))).toMatch(/Tier +II: regret is at least 0.01/);
    expect(formatReport(sampleReport({ tier: 'undecided' }))).toMatch(/Tier +undecided/);
  });

  it('keeps long and empty histories to a page', () => {
    const parts = Array.from({ length: 300 }, (_, i) =>
      dpSgd({ noiseMultiplier: 1 + i / 7, samplingRate: 1 / 3, steps: 2 ** 40 }),
    );
    const long = formatReport(sampleReport({ mechanism: compose(parts) }));
    expect(long).toContain('... and 288 more phases, all counted.');
    expect(Math.max(...long.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(formatReport(sampleReport({ mechanism: compose([]) }))).toContain('nothing was released');
  });
});
