import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type Adjacency,
  approximateDp,
  boundedRange,
  discreteLaplace,
  gaussian,
  gdp,
  laplace,
  type Mechanism,
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

/** Every kind of step that a stream takes, ordinary and at the ends of its range. */
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
    [1, 1e-9],
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
/** Of the whole text: a state has a hundred kilobytes. */
const digest = (stream: StreamingAccountant) =>
  createHash('sha256').update(JSON.stringify(stream)).digest('hex');
const back = (stream: StreamingAccountant) =>
  StreamingAccountant.fromJSON(wasm, JSON.parse(JSON.stringify(stream)));
/** A reader of answers in full: brackets bit by bit. */
const answers = (stream: StreamingAccountant) => [1e-3, 1e-9].map((delta) => stream.epsilon(delta));

describe('a stream read back from JSON', () => {
  test.each(SAMPLED.concat(UNSAMPLED).map((step) => [JSON.stringify(step), step] as const))(
    '%s: same text, same answers, and goes on with the same bits',
    (_name, step) => {
      for (const count of LONG_TESTS ? [1, 1000] : [1000]) {
        const stream = start('add-remove').add(step, count);
        const read = back(stream);
        expect(digest(read)).toBe(digest(stream));
        expect(answers(read)).toEqual(answers(stream));
        // one remembers the step, the other works it out again
        expect(digest(read.add(step, count))).toBe(digest(stream.add(step, count)));
        expect(answers(read)).toEqual(answers(stream));
      }
    },
  );

  test.each(['add-remove', 'replace-one'] as const)(`${STREAMS} random streams, %s`, (adjacency) => {
    const random = seeded(adjacency === 'add-remove' ? 12 : 13);
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
    const steps = adjacency === 'add-remove' ? [...SAMPLED, ...UNSAMPLED] : UNSAMPLED;
    // copies share what is remembered of steps, so that a thousand streams take a second or two
    const empty = start(adjacency);
    const made = (): StreamingAccountant => {
      const stream = empty.copy();
      for (let i = Math.floor(4 * random()); i >= 0; i--) stream.add(pick(steps), pick(COUNTS));
      return stream;
    };
    for (const step of steps) for (const count of COUNTS) warm(empty, step, count);
    let other = made();
    for (let i = 0; i < STREAMS; i++) {
      const stream = made();
      const read = back(stream);
      expect(digest(read)).toBe(digest(stream));
      if (i % 20 === 0) expect(answers(read)).toEqual(answers(stream));
      const merged = digest(stream.copy().merge(other));
      expect(digest(read.copy().merge(back(other)))).toBe(merged);
      if (i % 20 === 1) {
        const next = pick(steps);
        expect(digest(read.add(next, 7))).toBe(digest(stream.copy().add(next, 7)));
        expect(answers(read)).toEqual(answers(stream.add(next, 7)));
      }
      other = stream;
    }
  });

  test('a step remembered from an empty stream adds the same bits to one that is nearly full', () => {
    const [small, large] = [sampled(1.1, 0.01), sampled(0.9, 0.05)];
    const full = start('add-remove').add(small, 1).add(large, 1_000_000);
    const read = back(full);
    expect(digest(full.add(small, 1))).toBe(digest(read.add(small, 1)));
  });
});

/** Makes copies of `empty` remember a step: what is planned is remembered by the planner, too. */
function warm(empty: StreamingAccountant, step: Mechanism, count: number): void {
  empty.wouldExceed({ epsilon: 1, delta: 1e-5 }, { kind: 'repeat', inner: step, count });
}
