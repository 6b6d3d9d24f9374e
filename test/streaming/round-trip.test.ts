import { describe, expect, test } from 'vitest';
import { EXAMPLES } from '../../scripts/lib/mechanism-page.mjs';
import {
  type Adjacency,
  account,
  approximateDp,
  boundedRange,
  discreteLaplace,
  gaussian,
  gdp,
  laplace,
  type Mechanism,
  parseMechanism,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  StreamingAccountant,
} from '../../src/index.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

const sampled = (noiseMultiplier: number, rate: number) =>
  poissonSubsampled(gaussian({ noiseMultiplier }), { rate });

/** Steps, ordinary and at the ends of their range. */
const UNSAMPLED: readonly Mechanism[] = [
  gaussian({ noiseMultiplier: 2 }),
  gaussian({ noiseMultiplier: 0.1 }),
  gaussian({ noiseMultiplier: 1e6 }),
  gdp({ mu: 0.5 }),
  gdp({ mu: 50 }),
  laplace({ scale: 10, sensitivity: 1 }),
  laplace({ scale: 0.05, sensitivity: 1 }),
  discreteLaplace({ scale: 3, sensitivity: 2 }),
  randomizedResponse({ epsilon: 1, categories: 4 }),
  pureDp({ epsilon: 0.1 }),
  pureDp({ epsilon: 30 }),
  boundedRange({ epsilon: 0.3 }),
  approximateDp({ epsilon: 0.2, delta: 0 }),
];
const SAMPLED: readonly Mechanism[] = [
  ...[
    [0.6, 0.07],
    [0.3, 0.01],
    [0.15, 0.5],
    [1, 0.001],
    [1, 1e-7],
    [1.5, 0.999],
    [9.4, 0.32768],
    [50, 0.2],
    [1e4, 0.01],
  ].map(([sigma, rate]) => sampled(sigma, rate)),
  poissonSubsampled(laplace({ scale: 1, sensitivity: 1 }), { rate: 0.01 }),
  poissonSubsampled(pureDp({ epsilon: 3 }), { rate: 0.1 }),
];
/** Of each adjacency; a thousand in all in the long gate. */
const STREAMS = LONG_TESTS ? 500 : 8;
const COUNTS = [1, 3, 1000, 1_000_000] as const;

const start = (adjacency: Adjacency) => StreamingAccountant.start(wasm, { adjacency });
const text = (stream: StreamingAccountant) => JSON.stringify(stream);
const back = (stream: StreamingAccountant) => StreamingAccountant.fromJSON(wasm, JSON.parse(text(stream)));
/** A reader of answers in full: brackets bit by bit. */
const answers = (stream: StreamingAccountant) => [1e-3, 1e-9].map((delta) => stream.epsilon(delta));

describe('a stream read back from JSON', () => {
  test.each(SAMPLED.concat(UNSAMPLED).map((step) => [JSON.stringify(step), step] as const))(
    '%s: same text, same answers, and goes on with the same bits',
    (_name, step) => {
      for (const count of LONG_TESTS ? [1, 1000] : [1000]) {
        const stream = start('add-remove').add(step, count);
        const read = back(stream);
        expect(text(read)).toBe(text(stream));
        expect(answers(read)).toEqual(answers(stream));
        expect(text(read.add(step, count))).toBe(text(stream.add(step, count)));
        expect(answers(read)).toEqual(answers(stream));
      }
    },
  );

  test.each(EXAMPLES.map((json) => [json.kind, json] as const))('every kind: %s', (_kind, json) => {
    const mechanism = parseMechanism(json);
    const stream = start(usual(mechanism)).add(mechanism, 2);
    const read = back(stream);
    expect(text(read)).toBe(text(stream));
    expect(read.steps).toBe(stream.steps);
    expect(read.delta(1)).toEqual(stream.delta(1));
  });

  test.each(['add-remove', 'replace-one'] as const)(`${STREAMS} random streams, %s`, (adjacency) => {
    const random = seeded(adjacency === 'add-remove' ? 12 : 13);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
    const steps = adjacency === 'add-remove' ? [...SAMPLED, ...UNSAMPLED] : UNSAMPLED;
    const made = (): StreamingAccountant => {
      const stream = start(adjacency);
      for (let i = Math.floor(4 * random()); i >= 0; i--) stream.add(pick(steps), pick(COUNTS));
      return stream;
    };
    let other = made();
    for (let i = 0; i < STREAMS; i++) {
      const stream = made();
      const read = back(stream);
      expect(text(read)).toBe(text(stream));
      if (i % 20 === 0) expect(answers(read)).toEqual(answers(stream));
      expect(text(read.copy().merge(back(other)))).toBe(text(stream.copy().merge(other)));
      other = stream;
    }
  });
});

/** The adjacency that `account` takes where none is stated. */
function usual(mechanism: Mechanism): Adjacency {
  return account(wasm, mechanism).settings.adjacency;
}
