import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { account, type Mechanism, repeat, shuffleModel, withoutReplacement } from '../../src/index.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

type Law = readonly number[];
/** The laws of the messages of some records. */
type Randomiser = readonly Law[];

const runOf = (mechanism: Mechanism, engine = wasm) =>
  account(engine, mechanism, { adjacency: 'replace-one' });

/** How many messages of each kind there are, and with what probability. */
function multisetsOf(laws: readonly Law[]): Map<string, number> {
  let found = new Map([[laws[0].map(() => 0).join(), 1]]);
  for (const law of laws) {
    const next = new Map<string, number>();
    for (const [key, mass] of found)
      for (const [message, chance] of law.entries()) {
        const counts = key.split(',').map(Number);
        counts[message]++;
        next.set(counts.join(), (next.get(counts.join()) ?? 0) + mass * chance);
      }
    found = next;
  }
  return found;
}

type Pair = readonly (readonly [p: number, q: number])[];

/** What is seen of one user's message under either law, shuffled among others'. */
function shuffledPair(p: Law, q: Law, others: readonly Law[]): Pair {
  const [first, second] = [multisetsOf([p, ...others]), multisetsOf([q, ...others])];
  return [...first].map(([key, mass]) => [mass, second.get(key)!]);
}

const deltaOf = (pair: Pair, epsilon: number): number =>
  pair.reduce((sum, [p, q]) => sum + Math.max(0, p - Math.exp(epsilon) * q), 0);

const scaled = (weights: Law): Law => weights.map((w) => w / weights.reduce((a, b) => a + b, 0));

const threeAnswers = (local: number): Randomiser => {
  const e = Math.exp(local);
  return [scaled([e, 1, 1]), scaled([1, e, 1]), scaled([1, 1, e])];
};

/** Randomisers of three records: known ones, and some drawn at random of which every quotient is within e^local. */
function randomisers(local: number, count: number): Randomiser[] {
  const e = Math.exp(local);
  const coin: Randomiser = [scaled([e, 1]), scaled([1, e]), [0.5, 0.5]];
  const halves: Randomiser = [scaled([e, 1, e, 1]), scaled([1, e, 1, e]), scaled([1, 1, e, e])];
  const random = seeded(Math.round(100 * local));
  const drawn: Randomiser[] = [];
  while (drawn.length < count) {
    const base = Array.from({ length: 3 }, () => random() + 0.05);
    const power = local * (0.5 + 0.5 * random());
    const laws = base.map(() => scaled(base.map((w) => (random() < 0.5 ? w : w * Math.exp(power)))));
    const within = laws.every((p) => laws.every((q) => p.every((mass, i) => mass <= e * q[i] * (1 + 1e-12))));
    if (within) drawn.push(laws);
  }
  return [threeAnswers(local), coin, halves, ...drawn];
}

/** What every choice of the others' records makes of the first two, or of any two. */
function pairsOf(randomiser: Randomiser, users: number): Pair[] {
  let others: Law[][] = [[]];
  for (let i = 1; i < users; i++) others = others.flatMap((each) => randomiser.map((law) => [...each, law]));
  return others.flatMap((each) => [
    shuffledPair(randomiser[0], randomiser[1], each),
    shuffledPair(randomiser[2], randomiser[0], each),
  ]);
}

test.each([1, 2, 4])(
  'every multiset of messages of %d users: no randomiser is beyond the clones, three answers are what is below',
  (users) => {
    let nearest = 0;
    for (const local of [0.3, 1, 3]) {
      const run = runOf(shuffleModel({ epsilon: local, users }));
      const all = randomisers(local, 25);
      const pairs = all.flatMap((each) => pairsOf(each, users));
      for (const share of [-0.5, 0, 0.3, 0.6, 0.9]) {
        const epsilon = share * local;
        const { lower, upper } = run.delta(epsilon);
        const worst = Math.max(...pairs.map((pair) => deltaOf(pair, epsilon)));
        expect(worst).toBeLessThanOrEqual(upper * (1 + 1e-12));
        expect(lower).toBeLessThanOrEqual(worst * (1 + 1e-12));
        nearest = Math.max(nearest, local === 3 && users > 1 ? worst / upper : 0);
        const [third] = all;
        const others = Array.from({ length: users - 1 }, () => third[2]);
        const attained = deltaOf(shuffledPair(third[0], third[1], others), epsilon);
        // what cell a loss is in tells a little less
        expect(lower).toBeGreaterThanOrEqual(attained * (1 - 1e-3));
      }
    }
    if (users > 1) expect(nearest).toBeGreaterThan(0.95);
  },
);

test('two rounds, the second randomiser chosen by what the first one showed', () => {
  const local = 1;
  const run = runOf(repeat(shuffleModel({ epsilon: local, users: 3 }), 2));
  const all = randomisers(local, 12);
  const random = seeded(3);
  const choose = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)];
  const rounds = all.map((each) => pairsOf(each, 3));
  for (let i = 0; i < 300; i++) {
    const first = choose(choose(rounds));
    const both: Pair = first.flatMap(([p, q]) => {
      const second = choose(choose(rounds));
      const exchanged = random() < 0.3;
      return second.map(([a, b]): [number, number] => (exchanged ? [p * b, q * a] : [p * a, q * b]));
    });
    for (const epsilon of [0, 0.4, 0.9, 1.5])
      expect(deltaOf(both, epsilon)).toBeLessThanOrEqual(run.delta(epsilon).upper);
  }
});

interface Golden {
  readonly epsilon0: number;
  readonly users: number;
  readonly epsilon: number;
  readonly clones: string;
  readonly third: string;
}
const GOLDENS: Golden[] = JSON.parse(readFileSync('test/golden/shuffle-model.json', 'utf8'));
const few = GOLDENS.filter(({ users }) => users < 10_000);
const deltaAt = ({ epsilon0, users, epsilon }: Golden, engine = wasm) =>
  runOf(shuffleModel({ epsilon: epsilon0, users }), engine).delta(epsilon);

describe.each([wasm, reference])('engine %#', (engine) => {
  test('sums of 40 digits: the upper end is that of the clones', () => {
    for (const each of few) {
      const { upper } = deltaAt(each, engine);
      expect(upper).toBeGreaterThanOrEqual(Number(each.clones) * (1 - 1e-15));
      expect(upper).toBeLessThan(Number(each.clones) * (1 + 1e-6));
    }
  });

  test('sums of 40 digits: the lower end is that of three answers', () => {
    for (const each of few) {
      const { lower } = deltaAt(each, engine);
      // coins may be worse than three answers
      if (each.epsilon0 >= 1) expect(lower).toBeLessThanOrEqual(Number(each.third) * (1 + 1e-15));
      expect(lower).toBeGreaterThan(Number(each.third) * (1 - 1e-4));
    }
  });
});

test('many users: clones that are taken together, and differences alone', () => {
  for (const each of GOLDENS.filter(({ users }) => users >= 10_000)) {
    const { lower, upper } = deltaAt(each);
    expect(upper).toBeGreaterThanOrEqual(Number(each.clones));
    expect(upper).toBeLessThan(Number(each.clones) * 1.05);
    expect(lower).toBeLessThanOrEqual(Number(each.third));
    expect(lower).toBeGreaterThan(Number(each.third) * 0.7);
  }
});

test('one user has no cover, and a local epsilon of 0 reveals nothing', () => {
  const { lower, upper } = runOf(shuffleModel({ epsilon: 1, users: 1 })).delta(0.5);
  const exact = (Math.E - Math.exp(0.5)) / (Math.E + 1);
  expect(lower).toBeLessThanOrEqual(exact);
  expect(upper).toBeGreaterThanOrEqual(exact);
  expect(upper - lower).toBeLessThan(1e-9);
  expect(runOf(shuffleModel({ epsilon: 0, users: 5 })).delta(0)).toEqual({
    lower: 0,
    upper: 0,
    limitedBy: undefined,
  });
});

test('is about a record replaced, and what attains it needs others that a sample may not have', () => {
  const mechanism = shuffleModel({ epsilon: 2, users: 100 });
  expect(() => account(wasm, mechanism, { adjacency: 'zero-out' })).toThrow(
    '"adjacency" must be replace-one',
  );
  const sampled = withoutReplacement(mechanism, { sampleSize: 100, datasetSize: 1000 });
  expect(() => runOf(sampled)).toThrow('"inner" must be a release with a theorem');
});

/** One answer is randomised response: δ(0) = tanh(ε/2), by 40 digits of mpmath; and δ(ε) = 0. The product of two answers is by sums of 40 digits. */
test.each([
  [1e-3, 1, 0, 0.0004999999583333375],
  [1e-3, 1, 1e-3, 0],
  [1e-3, 1, 1e-3 * (1 - 1e-13), 5.0025e-17],
  [0.001191812643606072, 2, 0.001190620830962466, 2.98130535394773e-7],
])(
  'at a local epsilon of %d the lower end is not above what is attained: %d users at %d',
  (epsilon, users, x, most) => {
    for (const engine of [wasm, reference])
      expect(runOf(shuffleModel({ epsilon, users }), engine).delta(x).lower).toBeLessThanOrEqual(most);
  },
);
