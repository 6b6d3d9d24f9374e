import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fuzz } from '../read/fuzz.js';
import { fuzzArguments, fuzzTables, killedSweep } from './fuzz.js';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-fuzz-'));
const before = process.cwd();
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});
const at = (name: string) => join(folder, name);
const GRID = at('grid.json');
const FORMATS = ['csv', 'jsonl', 'parquet'] as const;

beforeAll(async () => {
  // any value may become the name of a file that is written
  process.chdir(folder);
  const over = { noiseMultiplier: { from: 1, to: 9, count: 400 }, samplingRate: [1], steps: [1, 2] };
  writeFileSync(GRID, JSON.stringify({ over, epsilon: [1], measure: false }));
  for (const format of FORMATS) {
    expect((await gdp(['sweep', GRID, '--out', at(`whole.${format}`), '--workers', '1'])).code).toBe(0);
  }
});

it('24,000 mutated inputs are read or refused in a sentence', () => {
  const { read, refused, failures } = fuzz(24_000, 7);
  expect(failures).toEqual([]);
  expect(read + refused).toBe(24_000);
  console.log(`mutated inputs: ${read} read, ${refused} refused`);
});

it('5,000 argument vectors are answered or refused in a sentence, and no input is written onto', async () => {
  const { codes, failures } = await fuzzArguments(5000, folder, 11);
  expect(failures).toEqual([]);
  console.log(`argument vectors: exit 0 ${codes[0]}, 1 ${codes[1]}, 2 ${codes[2]}`);
});

it('250 damaged tables of each format are refused as they are, or end as the whole one', async () => {
  const small = at('small.json');
  const over = { noiseMultiplier: [1, 2.5, 3], samplingRate: [1], steps: [1, 2] };
  writeFileSync(small, JSON.stringify({ over, epsilon: [1], measure: false }));
  for (const format of FORMATS) await gdp(['sweep', small, '--out', at(`small.${format}`), '--workers', '1']);
  const tables = FORMATS.map((format) => at(`small.${format}`));
  const { refused, same, failures } = await fuzzTables(250, small, tables, at('fuzz'), 13);
  expect(failures).toEqual([]);
  console.log(`damaged tables: ${refused} refused, ${same} as written`);
});

it('48 kills end in the same bytes', async () => {
  let killed = 0;
  for (const [i, format] of FORMATS.entries()) {
    const out = at(`killed.${format}`);
    const delays = Array.from({ length: 16 }, (_, k) => 150 + ((37 * (k + 5 * i)) % 400));
    killed += await killedSweep(GRID, out, delays);
    expect(readFileSync(out).equals(readFileSync(at(`whole.${format}`)))).toBe(true);
  }
  console.log(`kills: ${killed} of 48 before the sweep had ended`);
  expect(killed).toBeGreaterThan(12);
});
