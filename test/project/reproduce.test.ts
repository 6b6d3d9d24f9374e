import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Experiment, PAPERS, shared, significant } from '../../reproduce/experiment.js';
import { experiments } from '../../reproduce/experiments.js';
import { documentOf, type Section, sectionOf } from '../../reproduce/render.js';
import type { Bracket } from '../../src/index.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

const written = readFileSync('docs/reproduction.md', 'utf8');
const goldens: Record<string, readonly [value: number, tolerance: number]> = JSON.parse(
  readFileSync('test/golden/reproduction.json', 'utf8'),
);

/** Each exhibit is computed once for all tests of this file. */
const made = new Map<Experiment, Promise<Section>>();
function sectionFor(experiment: Experiment): Promise<Section> {
  const known = made.get(experiment) ?? compute(experiment);
  made.set(experiment, known);
  return known;
}

async function compute(experiment: Experiment): Promise<Section> {
  return sectionOf({ experiment, findings: await experiment.run(wasm) });
}

const nameOf = ({ paper, exhibit }: Experiment) => `${paper} ${exhibit}`;
const all = () => Promise.all(experiments.map(sectionFor));

describe('docs/reproduction.md', () => {
  test.each(experiments.map((experiment) => [nameOf(experiment), experiment] as const))(
    '%s: text, numbers and drawings are what is computed now',
    async (_name, experiment) => {
      const { markdown, figures } = await sectionFor(experiment);
      expect(written).toContain(`${markdown}\n`);
      for (const [name, svg] of figures) {
        expect(svg === readFileSync(`docs/reproduction/${name}.svg`, 'utf8'), `${name}.svg`).toBe(true);
      }
    },
  );

  test('is these exhibits and the table of errors, and nothing else', async () => {
    expect(written).toBe(documentOf(await all()));
    for (const citation of Object.values(PAPERS)) expect(written).toContain(citation);
  });

  test('has a drawing for every figure, and no drawing that is left over', async () => {
    const names = (await all()).flatMap(({ figures }) => [...figures.keys()]);
    expect(new Set(names).size).toBe(names.length);
    expect(readdirSync('docs/reproduction').sort()).toEqual(names.map((name) => `${name}.svg`).sort());
  });
});

test('a statement in words that is held against a paper is quoted', async () => {
  const errata = (await all()).flatMap(({ findings }) => findings.errata ?? []);
  const inWords = errata.filter(({ printed }) => /[a-z]{2,} [a-z]{2,} [a-z]{2,}/.test(printed));
  expect(inWords.length).toBeGreaterThan(3);
  for (const { where, printed } of inWords) expect(printed, where).toMatch(/“.+”/);
});

test('digits are printed as far as both ends round to them', () => {
  const random = seeded(11);
  for (let i = 0; i < 2000; i++) {
    const lower = 10 ** (-6 * random());
    const upper = lower * (1 + 10 ** (-12 * random()));
    for (const text of [shared({ lower, upper }), significant({ lower, upper })]) {
      if (text.includes('…')) continue;
      const [digits, power = '0'] = text.split('e');
      const half = 0.5 * 10 ** (Number(power) - (digits!.split('.')[1] ?? '').length) * (1 + 1e-9);
      for (const end of [lower, upper]) expect(Math.abs(Number(text) - end), text).toBeLessThanOrEqual(half);
    }
  }
});

describe('the numbers of the exhibits', () => {
  /** Held by tests of their own: test/measure compares these heads with goldens; a window of 1e-12 is beyond a convolution in doubles. */
  const elsewhere = /^IAM SGD mu$|^IAM figure 6 (SGD|ICEA)|^REP figure 3 (mu|regret) 1e-12$/;

  async function numbers(): Promise<Map<string, Bracket>> {
    return new Map((await all()).flatMap(({ findings }) => Object.entries(findings.numbers ?? {})));
  }

  test('contain independent values, and are narrow', async () => {
    const ours = await numbers();
    for (const [name, [value, tolerance]] of Object.entries(goldens)) {
      const bracket = ours.get(name);
      expect(bracket, name).toBeDefined();
      expect(bracket!, name).toContainValue(value, { absolute: tolerance });
      expect(bracket!, name).toBeNoWiderThan(2e-7 + 2e-6 * Math.abs(value));
    }
  });

  test('each have an independent value', async () => {
    const lacking = [...(await numbers()).keys()].filter((name) => !Object.hasOwn(goldens, name));
    expect(lacking.filter((name) => !elsewhere.test(name))).toEqual([]);
  });
});

test('every verdict that can go against a paper is reached with the counts it claims', async () => {
  const verdicts = new Map(
    (await all()).map(({ experiment, findings }) => [nameOf(experiment), findings.verdict]),
  );
  expect(verdicts.get('GM Table I')).toContain('16 of the 16 uses give too little noise');
  expect(verdicts.get('GM Figure 2')).toContain('78 of the 78 points');
  expect(verdicts.get('IAM Figures 3 and 4')).toContain('24 of the 24 entries');
  expect(verdicts.get('REP Table 3')).toContain('24 of the 24 printed values');
  expect(verdicts.get('REP Tables 2, 4 and 5')).toContain('8 of 8 are what N = 60 000 gives');
  expect([...verdicts.values()].filter((verdict) => verdict.length < 40)).toEqual([]);
});
