import { describe, expect, it } from 'vitest';
import { cappedPoisson, dividedSgd, gaussian, randomizedResponse } from '../../src/mechanism/kinds/index.js';
import { select } from '../../src/mechanism/kinds/select.js';
import { compose, dpSgd, repeat, withoutReplacement } from '../../src/mechanism/mechanism.js';
import { completeDetails } from '../../src/report/details.js';
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
    expect(text).toContain('right more than 55.56 % of the time');
    expect(text).toContain('says "used" in more than 0.251 % of the runs with it');
  });

  it('says that an attack can only guess where nothing is revealed', () => {
    const zero = { lower: 0, upper: 0 };
    const text = formatReport(sampleReport({ advantage: zero })).replace(/\s+/g, ' ');
    expect(text).toContain('right more than 50.00 % of the time');
  });

  it('says where phases were taken in groups, and nowhere else', () => {
    const flat = (text: string) => text.replace(/\s+/g, ' ');
    const said = 'similar ones were combined in 8 groups. Each is bounded by its worst and its best phase';
    expect(flat(formatReport(sampleReport({ groups: 8 })))).toContain(said);
    expect(flat(formatReport(sampleReport({})))).not.toContain('similar ones were combined');
  });

  it('says that nothing is guaranteed where nothing is', () => {
    const text = formatReport(
      sampleReport({
        epsilonAtDelta: [{ delta: 1e-5, epsilon: infinite }],
        mu: infinite,
        muAllRates: infinite,
        advantage: { lower: 1, upper: 1 },
        truePositiveRate: [{ falsePositiveRate: 0.001, truePositiveRate: { lower: 1, upper: 1 } }],
        regret: { lower: 0, upper: 0 },
      }),
    ).replace(/\s+/g, ' ');
    expect(text).toContain('1e-5 [infinite, infinite]');
    expect(text).toContain('no finite mu is certified');
    expect(text).toContain('no guarantee against membership inference');
    expect(text).not.toContain('false alarm');
  });

  it('names the tier and what follows from it', () => {
    expect(formatReport(sampleReport({ tier: 'I' }))).toMatch(/Tier, with that mu +I: mu may stand alone/);
    expect(formatReport(sampleReport({ tier: 'II' }))).toMatch(
      /Tier, with that mu +II: the curve of mu is 0.01 or more/,
    );
    expect(formatReport(sampleReport({ tier: 'undecided' }))).toMatch(/Tier, with that mu +undecided/);
  });

  it('names the window of mu wherever it prints one, and the rates of the regret', () => {
    const text = formatReport(sampleReport());
    expect(text).toMatch(/\nmu \(rates >= 1e-10\) +\[/);
    expect(text).toMatch(/\nRegret \(all rates\) +\[/);
    expect(text).not.toMatch(/^ *mu +\[/m);
  });

  it('says which deltas are too large for the data set', () => {
    const about = (datasetSize: number) =>
      formatReport(sampleReport({ details: completeDetails({ datasetSize }) })).replace(/\s+/g, ' ');
    expect(about(50_000)).not.toContain('is not below 1/n');
    expect(about(100_000)).toContain('Delta 1e-5 is not below 1/n for the 100000 records');
    expect(about(1_000_000)).toContain('Delta 1e-5, 1e-6 is not below 1/n');
    const drawn = withoutReplacement(gaussian({ noiseMultiplier: 1 }), {
      sampleSize: 10,
      datasetSize: 200_000,
    });
    const divided = dividedSgd({
      noiseMultiplier: 1,
      samplingRate: 0.01,
      steps: 10,
      divisor: 'expected',
      parameters: 1000,
      datasetSize: 300_000,
    });
    const searched = select({ runs: { kind: 'poisson', mean: 5 }, inner: repeat(drawn, 5) });
    for (const [mechanism, size] of [
      [repeat(drawn, 5), 200_000],
      [repeat(divided, 2), 300_000],
      [searched, 200_000],
      [compose([gaussian({ noiseMultiplier: 1 }), divided, searched]), 200_000],
    ] as const) {
      const text = formatReport(sampleReport({ mechanism })).replace(/\s+/g, ' ');
      expect(text).toContain(`Delta 1e-5 is not below 1/n for the ${size} records`);
    }
  });

  it('says what adding a record means for randomised response', () => {
    const mechanism = randomizedResponse({ epsilon: 1 });
    const text = formatReport(sampleReport({ mechanism })).replace(/\s+/g, ' ');
    expect(text).toContain('compares two answers of one person');
    expect(formatReport(sampleReport())).not.toContain('two answers');
    expect(formatReport(sampleReport({ mechanism, adjacency: 'replace-one' }))).not.toContain('two answers');
  });

  it('wraps the cells of wide tables', () => {
    const inner = { noiseMultiplier: 1.1254271815976986, rate: 0.017023852520932893 };
    const mechanism = compose([cappedPoisson({ ...inner, datasetSize: 309, batchCap: 9 })]);
    const half = { lower: 0.49999999999, upper: 0.5 };
    const epsilonAtDelta = [{ delta: 1.2345678901234568e-10, epsilon: half }];
    const numbers = { epsilonAtDelta, advantage: half, mu: half };
    const alternative = { change: 'twice-the-steps', title: 'Twice the steps', how: '', numbers } as const;
    const text = formatReport(sampleReport({ mechanism, epsilonAtDelta, alternatives: [alternative] }));
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(text).toMatch(/epsilon at delta 1\.2345678901234568e-10 +\[/);
  });

  it('keeps long and empty histories to a page', () => {
    const parts = Array.from({ length: 300 }, (_, i) =>
      dpSgd({ noiseMultiplier: 1 + i / 7, samplingRate: 1 / 3, steps: 2 ** 40 }),
    );
    const long = formatReport(sampleReport({ mechanism: compose(parts) }));
    expect(long).toContain('... and 288 more phases, all counted.');
    expect(Math.max(...long.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(formatReport(sampleReport({ mechanism: compose([]) }))).toContain('Nothing was released');
  });
});
