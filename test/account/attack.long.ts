/**
 * Random mechanisms of every kind, alone, repeated and composed, asked by every verb: each answer is an ordered bracket, what is refused is
 * refused in words, and no question takes more than 5 s of processor time, no report more than 20. Seeded; GDP_ATTACK="seed mechanisms" asks others, and says
 * which questions took more than a second.
 */
import { expect, it } from 'vitest';
import { ConversionRefused, convert } from '../../src/convert/index.js';
import {
  account,
  type Bracket,
  type ComposedRun,
  identify,
  isInputError,
  measure,
  poissonAmplified,
  StreamingAccountant,
} from '../../src/index.js';
import { alternatives, report } from '../../src/report/index.js';
import { cpuSeconds } from '../helpers/cpu.js';
import { seeded } from '../helpers/random.js';
import { type RandomMechanism, randomMechanism } from '../helpers/random-mechanisms.js';
import { wasm } from '../helpers/runs.js';

const [SEED, MECHANISMS] = (process.env['GDP_ATTACK'] ?? '28 12').split(' ').map(Number);
/** A question that takes more processor time than this is told. */
const NOTED = 1;
/** More than this is a failure, of a question and of a report. */
const [MOST, MOST_REPORT] = [5, 20];
/** These ask two questions. */
const TWICE = ['tradeoff', 'advantage'];

type Verb = (run: ComposedRun, random: () => number, made: RandomMechanism) => readonly Bracket[];

const share = (random: () => number): number => 10 ** (-12 * random());
const VERBS: Readonly<Record<string, Verb>> = {
  epsilon: (run, random) => [run.epsilon(share(random))],
  'deep epsilon': (run, random) => [run.epsilonAtLog(-30 - 600 * random())],
  'epsilon at 0': (run) => [run.epsilon(0)],
  delta: (run, random) => [run.delta(10 ** (-3 + 4 * random()))],
  'log delta': (run, random) => [run.logDelta(10 ** (-3 + 4 * random()))],
  'log delta below 0': (run, random) => [run.logDelta(-(10 ** (-9 + 10.5 * random())))],
  tradeoff: (run, random) => [run.tradeoff(share(random)), run.truePositiveRate(share(random))],
  advantage: (run) => [run.advantage(), run.oneMinusAdvantage()],
  mu: (run, random) => [measure(run, { alphaMin: 10 ** (-10 * random()) * 0.4 }).mu],
  identify: (run) => {
    identify(run);
    return [];
  },
  amplify: (run, random) => [poissonAmplified(run, { rate: random() }).logDelta(random())],
  'convert to delta': (run, random) =>
    convert(wasm, run, { kind: 'approximate-dp', epsilon: 5 * random() }).values,
  'convert to mu': (run) => convert(wasm, run, { kind: 'gdp' }).values,
  'convert to zcdp': (run) => convert(wasm, run, { kind: 'zcdp' }).values,
  report: (run) => [report(run, { alternatives: alternatives(wasm, run) }).mu],
  stream: (_, random, { mechanism, adjacency }) => [
    StreamingAccountant.start(wasm, { adjacency }).add(mechanism).epsilon(share(random)),
  ],
};

it(`${MECHANISMS} mechanisms from seed ${SEED}`, () => {
  const names = Object.keys(VERBS);
  const tooSlow: string[] = [];
  let answered = 0;
  for (let i = 0; i < MECHANISMS; i++) {
    const random = seeded(1000 * SEED + i);
    const asked: string[] = [];
    const refusedOr = (what: string, ask: () => void): void => {
      const context = `${what} of ${JSON.stringify(asked)}`;
      let error: unknown;
      const seconds = cpuSeconds(() => {
        try {
          ask();
          answered++;
        } catch (thrown) {
          error = thrown;
        }
      });
      if (seconds > NOTED) {
        const noted = `${seconds.toFixed(1)} s: ${context}`;
        if (process.env['GDP_ATTACK'] !== undefined) process.stderr.write(`${noted}\n`);
        const most = TWICE.includes(what) ? 2 * MOST : MOST;
        if (seconds > (what === 'report' ? MOST_REPORT : most)) tooSlow.push(noted);
      }
      if (error !== undefined && !isInputError(error) && !(error instanceof ConversionRefused))
        throw new Error(context, { cause: error });
    };
    let made: RandomMechanism | undefined;
    let run: ComposedRun | undefined;
    refusedOr('the mechanism', () => {
      made = randomMechanism(random);
      asked.push(made.adjacency, JSON.stringify(made.json));
      run = account(wasm, made.mechanism, { adjacency: made.adjacency });
    });
    for (let k = 0; k < 3 && run !== undefined; k++) {
      const verb = names[Math.floor(random() * names.length)];
      refusedOr(verb, () => {
        for (const { lower, upper } of VERBS[verb](run!, random, made!))
          expect(lower, `${verb} of ${asked}`).toBeLessThanOrEqual(upper);
      });
    }
  }
  expect(tooSlow).toEqual([]);
  expect(answered).toBeGreaterThan(2 * MECHANISMS);
});
