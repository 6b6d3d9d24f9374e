import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withEvents } from '../../scripts/lib/peers-page.mjs';
import {
  account,
  approximateDp,
  ballsAndBins,
  boundedRange,
  cappedPoisson,
  compose,
  discreteGaussian,
  discreteGaussianVector,
  discreteLaplace,
  dpSgd,
  gaussian,
  laplace,
  type Mechanism,
  noisyMax,
  type poissonSubsampled,
  pureDp,
  randomizedResponse,
  repeat,
  select,
  tcdp,
  withoutReplacement,
  withReplacement,
  zcdp,
} from '../../src/index.js';
import { recognise } from '../../src/read/index.js';
import { GROUPS } from '../helpers/public-values.js';
import { wasm } from '../helpers/runs.js';

/** The classes of dp_event.py. */
const EVENTS = [
  'ComposedDpEvent',
  'DiscreteGaussianDpEvent',
  'DiscreteLaplaceDpEvent',
  'EpsilonDeltaDpEvent',
  'ExponentialMechanismDpEvent',
  'GaussianDpEvent',
  'LaplaceDpEvent',
  'MixtureOfGaussiansDpEvent',
  'NoOpDpEvent',
  'NonPrivateDpEvent',
  'PermuteAndFlipDpEvent',
  'PoissonSampledDpEvent',
  'RandomAllocationDpEvent',
  'RandomizedResponseDpEvent',
  'RepeatAndSelectDpEvent',
  'SampledWithReplacementDpEvent',
  'SampledWithoutReplacementDpEvent',
  'SelfComposedDpEvent',
  'SingleEpochTreeAggregationDpEvent',
  'TruncatedSubsampledGaussianDpEvent',
  'UnsupportedDpEvent',
  'ZCDpEvent',
];

/** A row of the guide, as `npm run docs:peers` writes it. */
function rowOf(event: string): { kind: string; neighbours: string; epsilon: string } {
  try {
    const { mechanism, facts } = recognise(event);
    const neighbours = facts.adjacency ?? 'add-remove';
    const epsilon = account(wasm, mechanism, { adjacency: neighbours }).epsilon(1e-5);
    return { kind: `\`${mechanism.kind}\``, neighbours, epsilon: `${epsilon}` };
  } catch (error) {
    return {
      kind: 'refused',
      neighbours: 'none',
      epsilon: (error as Error).message.replace(/^.*accounted for: /, ''),
    };
  }
}

const SGD = dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 });
const SGD_REPR =
  'SelfComposedDpEvent(event=PoissonSampledDpEvent(sampling_probability=0.01, event=GaussianDpEvent(noise_multiplier=1.1)), count=1000)';

describe('DpEvent as repr', () => {
  it.each<[string, Mechanism]>([
    [SGD_REPR, SGD],
    [`  ${SGD_REPR}\n`, SGD],
    [
      'dp_accounting.SelfComposedDpEvent(dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(1.1)), 1_000)',
      SGD,
    ],
    [
      "_SelfComposedDpEventNamedTupleWrapper(module_name='dp_accounting.dp_event', class_name='SelfComposedDpEvent', event=_PoissonSampledDpEventNamedTupleWrapper(module_name='dp_accounting.dp_event', class_name='PoissonSampledDpEvent', sampling_probability=0.01, event=_GaussianDpEventNamedTupleWrapper(module_name='dp_accounting.dp_event', class_name='GaussianDpEvent', noise_multiplier=1.1)), count=1000)",
      SGD,
    ],
    ['NoOpDpEvent()', compose([])],
    ['NonPrivateDpEvent()', gaussian({ noiseMultiplier: 0 })],
    ['GaussianDpEvent(noise_multiplier=2)', gaussian({ noiseMultiplier: 2 })],
    ['LaplaceDpEvent(noise_multiplier=5.0)', laplace({ scale: 5, sensitivity: 1 })],
    ['LaplaceDpEvent(noise_multiplier=0)', laplace({ scale: 0, sensitivity: 1 })],
    [
      'DiscreteLaplaceDpEvent(noise_parameter=0.5, sensitivity=3)',
      discreteLaplace({ scale: 2, sensitivity: 3 }),
    ],
    [
      'DiscreteGaussianDpEvent(sigma=2.0, sensitivity=1.0, dimension=None)',
      discreteGaussian({ sigma: 2, sensitivity: 1 }),
    ],
    [
      'DiscreteGaussianDpEvent(sigma=4.0, sensitivity=3.5, dimension=1)',
      discreteGaussian({ sigma: 4, sensitivity: 3 }),
    ],
    [
      'DiscreteGaussianDpEvent(sigma=4.0, sensitivity=1.5)',
      discreteGaussianVector({ sigma: 4, sensitivity: 1.5 }),
    ],
    [
      'DiscreteGaussianDpEvent(sigma=4.0, sensitivity=3.0, dimension=2)',
      discreteGaussianVector({ sigma: 4, sensitivity: 3, dimension: 2 }),
    ],
    ['EpsilonDeltaDpEvent(epsilon=1.0, delta=1e-6)', approximateDp({ epsilon: 1, delta: 1e-6 })],
    ['EpsilonDeltaDpEvent(epsilon=1.0, delta=0.0)', pureDp({ epsilon: 1 })],
    ['ZCDpEvent(rho=0.5, xi=0.0)', zcdp({ rho: 0.5 })],
    [
      'RepeatAndSelectDpEvent(event=GaussianDpEvent(1.0), mean=10.0, shape=1.0)',
      select({
        runs: { kind: 'negative-binomial', eta: 1, mean: 10 },
        inner: gaussian({ noiseMultiplier: 1 }),
      }),
    ],
    [
      'RepeatAndSelectDpEvent(event=GaussianDpEvent(1.0), mean=10.0, shape=inf)',
      select({ runs: { kind: 'poisson', mean: 10 }, inner: gaussian({ noiseMultiplier: 1 }) }),
    ],
    [
      '{"class_name":"RepeatAndSelectDpEvent","event":{"class_name":"GaussianDpEvent","noise_multiplier":1},"mean":10,"shape":Infinity}',
      select({ runs: { kind: 'poisson', mean: 10 }, inner: gaussian({ noiseMultiplier: 1 }) }),
    ],
    [
      'TruncatedSubsampledGaussianDpEvent(1000, .01, 16, 1.0)',
      cappedPoisson({ noiseMultiplier: 1, rate: 0.01, datasetSize: 1000, batchCap: 16 }),
    ],
    [
      'TruncatedSubsampledGaussianDpEvent(1000, .01, 16, 0)',
      cappedPoisson({ noiseMultiplier: 0, rate: 0.01, datasetSize: 1000, batchCap: 16 }),
    ],
    [
      'SampledWithReplacementDpEvent(100, 10, SelfComposedDpEvent(GaussianDpEvent(4.0), 4))',
      withReplacement({ noiseMultiplier: 2, sampleSize: 10, datasetSize: 100 }),
    ],
    [
      'RandomAllocationDpEvent(event=GaussianDpEvent(2.0), num_selected=1, num_steps=100)',
      ballsAndBins({ noiseMultiplier: 2, bins: 100 }),
    ],
    [
      'RandomAllocationDpEvent(event=GaussianDpEvent(2.0), num_selected=10, num_steps=100)',
      ballsAndBins({ noiseMultiplier: 2, bins: 100, binsPerRecord: 10 }),
    ],
    [
      'RandomAllocationDpEvent(event=GaussianDpEvent(2.0), num_selected=3, num_steps=3)',
      repeat(gaussian({ noiseMultiplier: 2 }), 3),
    ],
    ['ExponentialMechanismDpEvent(epsilon=0.3)', boundedRange({ epsilon: 0.3 })],
    ['PermuteAndFlipDpEvent(epsilon=0.3)', noisyMax({ epsilon: 0.3 })],
    [
      'ComposedDpEvent(events=[GaussianDpEvent(noise_multiplier=1.0), SelfComposedDpEvent(event=LaplaceDpEvent(noise_multiplier=3.0), count=4)])',
      compose([gaussian({ noiseMultiplier: 1 }), repeat(laplace({ scale: 3, sensitivity: 1 }), 4)]),
    ],
    [
      'SampledWithoutReplacementDpEvent(source_dataset_size=100, sample_size=10, event=GaussianDpEvent(noise_multiplier=1.0))',
      withoutReplacement(gaussian({ noiseMultiplier: 1 }), { sampleSize: 10, datasetSize: 100 }),
    ],
  ])('%s', (text, mechanism) => {
    expect(recognise(text)).toMatchObject({ format: 'dp-event', mechanism });
  });

  it('a divergence xi + rho alpha means every order: the best of them by Canonne, Kamath and Steinke is above', () => {
    const { mechanism } = recognise('ZCDpEvent(rho=0.1, xi=0.05)');
    expect(mechanism).toEqual(tcdp({ rho: 0.1, xi: 0.05 }));
    const { lower, upper } = account(wasm, mechanism, { adjacency: 'add-remove' }).epsilon(1e-5);
    const by = (t: number) => 0.05 + 0.1 * t + (Math.log(1e5 / t) + (t - 1) * Math.log1p(-1 / t)) / (t - 1);
    const least = Math.min(...Array.from({ length: 5000 }, (_, i) => by(5 + i / 250)));
    expect(least).toBeCloseTo(1.9642388, 6);
    expect(upper).toBeLessThanOrEqual(least);
    expect(lower).toBeGreaterThan(
      account(wasm, zcdp({ rho: 0.1 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper,
    );
    expect(recognise('ZCDpEvent(rho=0.0, xi=0.5)').mechanism).toEqual(pureDp({ epsilon: 0.5 }));
  });

  it('every event of dp_accounting is a row of the guide, which is current: npm run docs:peers', () => {
    const page = readFileSync('docs/guide/migration.md', 'utf8');
    const { events } = JSON.parse(readFileSync('test/golden/peers-events.json', 'utf8'));
    const named = new Set(Object.keys(events).map((event) => event.split('(')[0]));
    expect([...named].sort()).toEqual(EVENTS);
    expect(withEvents(page, { events, groups: GROUPS }, rowOf)).toBe(page);
  });

  it('an answer of theirs is not below ours, but where the guide says why', () => {
    const { events } = JSON.parse(readFileSync('test/golden/peers-events.json', 'utf8'));
    const below = Object.entries(events as Record<string, Record<string, number | string | null> | null>)
      .filter(([event, theirs]) => {
        if (!/^\[/.test(rowOf(event).epsilon)) return false;
        const { mechanism, facts } = recognise(event);
        const { lower } = account(wasm, mechanism, { adjacency: facts.adjacency ?? 'add-remove' }).epsilon(
          1e-5,
        );
        // they are kept to 6 digits, and PLD is told to err by 1e-4 at most
        return Object.values(theirs ?? {}).some(
          (each) => typeof each === 'number' && each < lower * (1 - 1e-5),
        );
      })
      .map(([event]) => event);
    // noise over the sensitivity of a replacement, where ours is over that of adding a record: half of ours
    expect(below).toEqual(['SampledWithoutReplacementDpEvent(100, 1, GaussianDpEvent(1.0))']);
    const { mechanism } = recognise('SampledWithoutReplacementDpEvent(100, 1, GaussianDpEvent(2.0))');
    expect(account(wasm, mechanism, { adjacency: 'replace-one' }).epsilon(1e-5).upper).toBeLessThan(0.985433);
  });

  it('randomized response by its odds', () => {
    // k = 4, p = 0.4: true 0.7, each other 0.1
    const { mechanism } = recognise('RandomizedResponseDpEvent(noise_parameter=0.4, num_buckets=4)');
    const { epsilon, categories } = mechanism as ReturnType<typeof randomizedResponse>;
    expect(categories).toBe(4);
    expect(epsilon).toBeCloseTo(Math.log(7), 14);
    expect(recognise('RandomizedResponseDpEvent(noise_parameter=1, num_buckets=4)').mechanism).toEqual(
      randomizedResponse({ epsilon: 0, categories: 4 }),
    );
  });

  it('several Gaussians on one sample are one', () => {
    // what adaptive clipping leaves: 1/σ² = 1/4 + 2/16
    const { mechanism } = recognise(
      'PoissonSampledDpEvent(0.1, ComposedDpEvent([GaussianDpEvent(2.0), GaussianDpEvent(4.0), GaussianDpEvent(4.0)]))',
    );
    const { rate, inner } = mechanism as ReturnType<typeof poissonSubsampled>;
    expect(rate).toBe(0.1);
    expect((inner as ReturnType<typeof gaussian>).noiseMultiplier).toBeCloseTo(Math.sqrt(8 / 3), 14);
  });

  it('says that the adjacency is not in it', () => {
    expect(recognise(SGD_REPR).notes.join()).toContain('does not say its adjacency');
    expect(recognise(SGD_REPR).facts).toEqual({ sampling: 'poisson' });
    const fixed = recognise('SampledWithoutReplacementDpEvent(100, 10, GaussianDpEvent(1.0))');
    expect(fixed.facts).toEqual({ sampling: 'without-replacement', adjacency: 'replace-one' });
  });

  it.each([
    [
      'RandomAllocationDpEvent(event=LaplaceDpEvent(2.0), num_selected=1, num_steps=100)',
      'no Gaussian noise',
    ],
    [
      'PoissonSampledDpEvent(0.1, SingleEpochTreeAggregationDpEvent(1.0, 8))',
      'leaves that depend on who is drawn',
    ],
    ['RepeatAndSelectDpEvent(event=GaussianDpEvent(1.0), mean=10.0, shape=-1.0)', '"event.runs.eta" must be'],
    ['MixtureOfGaussiansDpEvent(1.0, [1.0], [0.5])', 'with sum 1'],
    ['MixtureOfGaussiansDpEvent(1.0, [1.0, 2.0], [1.0])', 'as many as'],
    ['SingleEpochTreeAggregationDpEvent(1.0, [])', 'a whole number or a list'],
    ['UnsupportedDpEvent()', 'the file itself says'],
    ['ZCDpEvent(rho=0.5, xi=-0.1)', '"event.xi" must be 0 or a number from 1e-12 to 10000'],
    ['DiscreteGaussianDpEvent(sigma=4.0, sensitivity=0.5)', '"event.sensitivity" must be'],
    ['DiscreteGaussianDpEvent(sigma=4.0, sensitivity=3.0, dimension=0)', '"event.dimension" must be'],
    ['SampledWithReplacementDpEvent(100, 10, LaplaceDpEvent(1.0))', 'other than Gaussian'],
    [
      'PoissonSampledDpEvent(0.1, PoissonSampledDpEvent(0.1, GaussianDpEvent(1.0)))',
      'it samples a sample again',
    ],
    ['FancyDpEvent()', '"FancyDpEvent" in it is not a known event'],
    ['FancyDpEvent(1.5, colour=2)', 'is not a known event (it holds colour, 1 values)'],
    ['constructorDpEvent()', 'is not a known event'],
    ['GaussianDpEvent()', '"event.noise_multiplier" is missing: a GaussianDpEvent needs it'],
    ['GaussianDpEvent(1, 2)', '"event" has 2 values: a GaussianDpEvent has noise_multiplier'],
    ['GaussianDpEvent()', '"event.noise_multiplier" is missing'],
    ['GaussianDpEvent(sigma=1)', '"event.sigma" is unknown: a GaussianDpEvent has noise_multiplier'],
    ['GaussianDpEvent(noise_multiplier=1, sigma=1)', '"event.sigma" is unknown'],
    ['GaussianDpEvent(noise_multiplier=-1)', '"event.noiseMultiplier" must be 0 or a number'],
    ["GaussianDpEvent(noise_multiplier='1')", '"event.noiseMultiplier" must be'],
    ['SelfComposedDpEvent(GaussianDpEvent(1.0), 1.5)', '"event.count" must be a whole number'],
    ['SelfComposedDpEvent(GaussianDpEvent(-1.0), 1)', '"event.event.noiseMultiplier" must be'],
    ['ComposedDpEvent(7)', '"event.events" must be a list of events, got 7'],
    ['ComposedDpEvent([7])', '"event.events[0]" must be a DpEvent, got 7'],
    ['GaussianDpEvent(noise_multiplier=1.1', 'it ends too early'],
    ['GaussianDpEvent(noise_multiplier=1.1))', 'not at character 37: ")"'],
    ['GaussianDpEvent(noise_multiplier=__import__("os"))', 'must be'],
    ['GaussianDpEvent(1 + 1)', 'not at character 18: "+ 1)"'],
  ])('refuses %s', (text, sentence) => {
    expect(() => recognise(text)).toThrow(sentence);
    expect(() => recognise(text)).toThrow(/^[^\n]+$/);
  });

  it('is not exhausted by nesting', () => {
    const deep = `${'SelfComposedDpEvent('.repeat(1e5)}GaussianDpEvent(1.0)`;
    expect(() => recognise(deep)).toThrow('nested more than 100 deep');
  });
});

describe('DpEvent as named tuple', () => {
  const module_name = 'dp_accounting.dp_event';
  const asDict = {
    module_name,
    class_name: 'SelfComposedDpEvent',
    event: {
      module_name,
      class_name: 'PoissonSampledDpEvent',
      sampling_probability: 0.01,
      event: { module_name, class_name: 'GaussianDpEvent', noise_multiplier: 1.1 },
    },
    count: 1000,
  };
  const asTuple = [
    module_name,
    'SelfComposedDpEvent',
    [module_name, 'PoissonSampledDpEvent', 0.01, [module_name, 'GaussianDpEvent', 1.1]],
    1000,
  ];

  it('as dictionaries, and as the arrays json.dumps makes of tuples', () => {
    expect(recognise(JSON.stringify(asDict)).mechanism).toEqual(SGD);
    expect(recognise(JSON.stringify(asTuple)).mechanism).toEqual(SGD);
    const events = [asTuple, { module_name, class_name: 'NoOpDpEvent' }];
    expect(recognise(JSON.stringify({ class_name: 'ComposedDpEvent', events })).mechanism).toEqual(
      compose([SGD, compose([])]),
    );
  });

  it.each([
    ['{"class_name": 7}', '"event" must be a DpEvent'],
    ['{"class_name": "GaussianDpEvent", "noise_multiplier": NaN}', '"event.noiseMultiplier" must be'],
    ['{"class_name": "GaussianDpEvent", "noise_multiplier": {}}', '"event.noiseMultiplier" must be'],
    ['{"class_name": "GaussianDpEvent", "noise_multiplier": 1, "__proto__": 1}', 'is unknown'],
    ['["dp_accounting", "GaussianDpEvent"]', '"event.noise_multiplier" is missing'],
  ])('refuses %s', (text, sentence) => {
    expect(() => recognise(text)).toThrow(sentence);
  });
});
