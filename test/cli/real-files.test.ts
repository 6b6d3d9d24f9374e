import { expect, test } from 'vitest';
import type { Bracket } from '../../src/numeric/bracket.js';
import { seeded } from '../helpers/random.js';
import { gdp } from './harness.js';

// the runs of docs/guide/tasks.md, from their files; programs beside them write the files
const FILES = 'test/read/fixtures';

async function ask(words: string, quantity: 'epsilon' | 'delta'): Promise<Bracket> {
  const { stdout, stderr, code } = await gdp([...words.split(' '), '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout)[quantity];
}

test('a checkpoint of Opacus whose divisor was cut: lint says so', async () => {
  const { stdout, code } = await gdp(
    ['lint', `${FILES}/checkpoint.pt`, '--claim', '-'],
    '{"datasetSize": 60000, "delta": 1e-5}',
  );
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^divisor-cut \(warning\)\n.*cut to a whole number: 240, but 239 with one record fewer/m,
  );
});

test('adaptive clipping: sum and count are one Gaussian of noise (z^-2 + (2 sigma_b)^-2)^(-1/2)', async () => {
  const together = (1 / 1 ** 2 + 1 / (2 * 5) ** 2) ** -0.5;
  const found = await ask(`epsilon ${FILES}/adaptive-clipping.json --delta 1e-5`, 'epsilon');
  const flags = `--noise-multiplier ${together} --sampling-rate 0.01 --steps 500`;
  expect(found).toOverlap(await ask(`epsilon ${flags} --delta 1e-5`, 'epsilon'));
  // the sum alone leaks less
  const alone = await ask(
    'epsilon --noise-multiplier 1 --sampling-rate 0.01 --steps 500 --delta 1e-5',
    'epsilon',
  );
  expect(alone.upper).toBeLessThan(found.lower);
});

test('a DpEvent with allocation: three epochs of one batch in 100, by trials of the run itself', async () => {
  const found = await ask(`delta ${FILES}/allocation.txt --epsilon 0.2`, 'delta');
  const flags = '--sampling balls-and-bins --bins 100 --epochs 3 --noise-multiplier 1';
  expect(found).toEqual(await ask(`delta ${flags} --epsilon 0.2`, 'delta'));
  const random = seeded(31);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const trials = 20_000;
  // removing: the likelihood ratio with the record over without it, where it is in one batch of each epoch
  let [sum, squares] = [0, 0];
  for (let trial = 0; trial < trials; trial++) {
    let ratio = 1;
    for (let epoch = 0; epoch < 3; epoch++) {
      let mean = 0;
      for (let bin = 0; bin < 100; bin++) mean += Math.exp(normal() + (bin === 0 ? 1 : 0) - 0.5) / 100;
      ratio *= mean;
    }
    const excess = Math.max(0, 1 - Math.exp(0.2) / ratio);
    sum += excess;
    squares += excess * excess;
  }
  const mean = sum / trials;
  const error = Math.sqrt((squares / trials - mean * mean) / trials);
  expect(error).toBeLessThan(0.05 * mean);
  // delta is that of the worse direction, removing here
  expect(found.lower).toBeLessThan(mean + 5 * error);
  expect(found.upper).toBeGreaterThan(mean - 5 * error);
});
