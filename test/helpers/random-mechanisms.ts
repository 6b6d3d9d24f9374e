/** Random mechanisms of every kind, as the JSON that `parseMechanism` reads: ordinary parameters mostly, extreme ones now and then. */
import { type Mechanism, parseMechanism } from '../../src/index.js';

type Random = () => number;
type Json = Record<string, unknown>;

const logUniform = (random: Random, low: number, high: number): number => low * (high / low) ** random();
const whole = (random: Random, low: number, high: number): number =>
  Math.round(logUniform(random, low, high));

/** From [low, high], and one time in eight from the wider range. */
function number(random: Random, [low, high]: readonly number[], [least, most]: readonly number[]): number {
  return random() < 0.125 ? logUniform(random, least, most) : logUniform(random, low, high);
}

const noise = (random: Random): number => number(random, [0.3, 20], [0.02, 1e4]);
const rate = (random: Random): number => number(random, [1e-3, 0.6], [1e-8, 1]);
const size = (random: Random): number => number(random, [0.05, 3], [1e-9, 60]);
const delta = (random: Random): number => logUniform(random, 1e-12, 0.1);

/** Releases of one kind, that samplings and searches can be made of. */
export const RELEASES: Readonly<Record<string, (random: Random) => Json>> = {
  gaussian: (r) => ({ noiseMultiplier: noise(r) }),
  laplace: (r) => ({ scale: 1 / size(r), sensitivity: 1 }),
  'discrete-gaussian': (r) => ({ sigma: number(r, [0.5, 20], [0.1, 300]), sensitivity: whole(r, 1, 4) }),
  'discrete-laplace': (r) => ({ scale: number(r, [0.5, 20], [0.05, 1e4]), sensitivity: whole(r, 1, 8) }),
  binomial: (r) => ({ trials: Math.round(number(r, [50, 5000], [1, 1e6])), sensitivity: whole(r, 1, 4) }),
  skellam: (r) => ({ variance: number(r, [0.3, 400], [0.01, 1e5]), sensitivity: 1 }),
  'randomized-response': (r) => ({ epsilon: size(r), categories: whole(r, 2, 20) }),
  'pure-dp': (r) => ({ epsilon: size(r) }),
  'approximate-dp': (r) => ({ epsilon: size(r), delta: delta(r) }),
  gdp: (r) => ({ mu: size(r) }),
  zcdp: (r) => ({ rho: number(r, [1e-3, 2], [1e-12, 400]) }),
  tcdp: (r) => ({ rho: number(r, [1e-3, 2], [1e-12, 100]), omega: 1 + logUniform(r, 0.1, 1e3) }),
  mcdp: (r) => ({ mean: number(r, [1e-3, 2], [1e-12, 50]), tau: number(r, [0.05, 2], [1e-6, 20]) }),
  rdp: (r) => ({
    points: Array.from({ length: whole(r, 1, 4) }, (_, i) => ({
      order: 1.5 + i + r(),
      epsilon: (i + 1) * number(r, [1e-3, 1], [1e-6, 40]),
    })),
  }),
  'bounded-range': (r) => ({ epsilon: size(r) }),
  'noisy-max': (r) => ({ epsilon: size(r) }),
  tabulated: (r) => {
    const [a, d] = [size(r), delta(r)];
    return {
      points: [
        { epsilon: a, delta: d },
        { epsilon: a * 2, delta: d / 10 },
      ],
    };
  },
  'trade-off': (r) => {
    const alpha = 0.05 + 0.3 * r();
    return { points: [{ alpha, beta: (1 - alpha) * (0.2 + 0.7 * r()) }] };
  },
};

/** Everything else, under the adjacency that is stated for each where it is not add-remove. */
const RUNS: Readonly<Record<string, (random: Random) => Json>> = {
  'gaussian-mixture': (r) => {
    const share = r();
    return {
      noiseMultiplier: noise(r),
      sensitivities: [0, 1, 2],
      probabilities: [share, (1 - share) * 0.75, (1 - share) * 0.25],
    };
  },
  'replaced-gaussian': (r) => ({ noiseMultiplier: noise(r), rate: rate(r) }),
  select: (r) => ({
    runs: { kind: 'negative-binomial', eta: 1, mean: 1 + logUniform(r, 0.1, 30) },
    inner: release(r, ['gaussian', 'laplace', 'pure-dp', 'gdp', 'randomized-response']),
  }),
  'balls-and-bins': (r) => {
    const bins = whole(r, 2, 300);
    const several = r() < 0.2 && { binsPerRecord: whole(r, 2, Math.min(bins, 12)) };
    return { noiseMultiplier: noise(r), bins, ...several };
  },
  'capped-poisson': (r) => {
    const [n, q] = [whole(r, 20, 3000), logUniform(r, 1e-3, 0.2)];
    return {
      noiseMultiplier: noise(r),
      rate: q,
      datasetSize: n,
      batchCap: Math.max(1, Math.ceil(n * q * (1 + r()))),
    };
  },
  shuffled: (r) => ({ noiseMultiplier: noise(r), bins: whole(r, 2, 60) }),
  'matrix-mechanism': (r) => ({ noiseMultiplier: noise(r), column: [1, r(), r() * 0.5] }),
  'dp-sgd': (r) => ({ noiseMultiplier: noise(r), samplingRate: rate(r), steps: whole(r, 1, 1e4) }),
  'band-mf': (r) => {
    const bands = whole(r, 1, 16);
    return { noiseMultiplier: noise(r), samplingRate: rate(r), bands, steps: bands * whole(r, 1, 50) };
  },
  'tree-aggregation': (r) => ({ noiseMultiplier: noise(r), steps: whole(r, 1, 500) }),
  'poisson-subsampled': (r) => ({ rate: rate(r), inner: release(r) }),
  'without-replacement': (r) => {
    const datasetSize = whole(r, 5, 1000);
    const inner = release(
      r,
      Object.keys(RELEASES).filter((kind) => kind !== 'trade-off'),
    );
    return { sampleSize: Math.max(1, Math.floor(datasetSize * rate(r))), datasetSize, inner };
  },
};

/** Kinds that came later; a list of their own, so that what is drawn from the others stays as it was. */
const MORE: Readonly<Record<string, (random: Random) => Json>> = {
  'discrete-gaussian-vector': (r) => ({
    sigma: number(r, [1, 20], [0.5, 100]),
    sensitivity: logUniform(r, 1, 4),
    ...(r() < 0.5 && { dimension: whole(r, 1, 50) }),
  }),
  'adaptive-clipping': (r) => ({
    noiseMultiplier: noise(r),
    countNoise: number(r, [1, 100], [0.5, 1e4]),
    count: r() < 0.5 ? 'centred' : 'raw',
  }),
  'divided-sgd': (r) => ({
    noiseMultiplier: noise(r),
    samplingRate: rate(r),
    steps: whole(r, 1, 1000),
    divisor: 'expected',
    datasetSize: whole(r, 50, 1e5),
    parameters: whole(r, 400, 1e6),
  }),
  'with-replacement': (r) => {
    const datasetSize = whole(r, 5, 1e5);
    return {
      noiseMultiplier: noise(r),
      sampleSize: Math.max(1, Math.floor(datasetSize * rate(r) * 0.1)),
      datasetSize,
    };
  },
  'binned-matrix': (r) => ({
    noiseMultiplier: noise(r),
    column: Array.from({ length: whole(r, 1, 8) }, () => r()),
    steps: whole(r, 20, 200),
    bins: whole(r, 1, 20),
  }),
  'shuffle-model': (r) => ({
    epsilon: number(r, [0.1, 4], [1e-3, 10]),
    users: Math.round(number(r, [10, 1e4], [1, 1e5])),
  }),
  'random-allocation': (r) => ({
    inner: { kind: 'laplace', scale: number(r, [0.4, 5], [0.3, 100]), sensitivity: 1 },
    bins: whole(r, 2, 50),
  }),
  joint: (r) => ({ parts: [release(r, JOINED), release(r, JOINED)] }),
  parallel: (r) => ({ parts: [release(r, JOINED), release(r, JOINED)] }),
  'sampled joint': (r) => ({
    kind: 'poisson-subsampled',
    rate: rate(r),
    inner: { kind: 'joint', parts: [release(r, JOINED), release(r, JOINED)] },
  }),
  'fixed-batches': (r) => ({ noiseMultiplier: noise(r), bins: whole(r, 2, 300) }),
};

/** What several releases on one sample may be. */
const JOINED = [
  'gaussian',
  'laplace',
  'discrete-gaussian',
  'discrete-laplace',
  'randomized-response',
  'pure-dp',
] as const;

/** Adjacencies of kinds that add-remove has no theorem for. */
const ADJACENCY: Readonly<Record<string, string>> = {
  'capped-poisson': 'zero-out',
  shuffled: 'zero-out',
  'without-replacement': 'replace-one',
  'replaced-gaussian': 'replace-one',
  'tree-aggregation': 'zero-out',
  'matrix-mechanism': 'zero-out',
  'band-mf': 'zero-out',
  'with-replacement': 'replace-one',
  'shuffle-model': 'replace-one',
  'fixed-batches': 'zero-out',
  // between bounds: no search stands beside it
  'binned-matrix': 'zero-out',
};

/** Kinds, composed ones apart, and all of them. */
export const KINDS: readonly string[] = [...Object.keys(RELEASES), ...Object.keys(RUNS)];
export const ALL_KINDS: readonly string[] = [...KINDS, ...Object.keys(MORE)];

function release(random: Random, kinds: readonly string[] = Object.keys(RELEASES)): Json {
  const kind = kinds[Math.floor(random() * kinds.length)];
  return { kind, ...RELEASES[kind](random) };
}

export interface RandomMechanism {
  readonly json: Json;
  readonly mechanism: Mechanism;
  readonly adjacency: 'add-remove' | 'zero-out' | 'replace-one';
}

/** A mechanism of a kind. */
export function mechanismOfKind(kind: string, random: Random): RandomMechanism {
  const json: Json = { kind, ...(RELEASES[kind] ?? RUNS[kind] ?? MORE[kind])(random) };
  const adjacency = (ADJACENCY[kind] ?? 'add-remove') as RandomMechanism['adjacency'];
  return { json, mechanism: parseMechanism(json), adjacency };
}

/** A mechanism of any kind, or some of them repeated or composed. */
export function randomMechanism(random: Random, kinds: readonly string[] = KINDS): RandomMechanism {
  const kind = kinds[Math.floor(random() * kinds.length)];
  const one = mechanismOfKind(kind, random);
  const way = random();
  if (way < 0.5) return one;
  const parts = [one.json];
  if (way > 0.8) {
    const { adjacency } = one;
    while (parts.length < 4 && random() < 0.6) {
      const other = mechanismOfKind(kinds[Math.floor(random() * kinds.length)], random);
      if (other.adjacency === adjacency) parts.push(other.json);
    }
  }
  const repeated = parts.map((inner) => {
    const count = whole(random, 1, 300);
    // each repeat of disjoint parts has several ways through
    return { kind: 'repeat', count: inner['kind'] === 'parallel' ? 1 + (count % 5) : count, inner };
  });
  const json = repeated.length === 1 ? repeated[0] : { kind: 'compose', parts: repeated };
  return { json, mechanism: parseMechanism(json), adjacency: one.adjacency };
}

/** Fields that are noise, and fields that say how much is lost, which noise makes smaller. */
const NOISE = new Set(['noiseMultiplier', 'scale', 'sigma', 'countNoise']);
const LOSS = new Set(['epsilon', 'mu', 'rho', 'mean', 'tau']);
const RATE = new Set(['rate', 'samplingRate', 'sampleSize']);
/** A batch that is cut is not the larger the more are drawn; a mean of tries is no loss; and data sets of a divisor are as large as their rate has them. */
const UNLIKE: Readonly<Record<'noise' | 'rate', ReadonlySet<string>>> = {
  noise: new Set(['runs', 'column']),
  rate: new Set(['runs', 'capped-poisson', 'divided-sgd']),
};

/** The fields of a mechanism, and of those within it, with some numbers changed; undefined where there is none of them. */
function changed(
  json: Json,
  without: ReadonlySet<string>,
  change: (name: string, value: number, of: Json) => number,
): Json | undefined {
  let any = false;
  const within = (of: Json): Json =>
    Object.fromEntries(
      Object.entries(of).map(([name, value]) => {
        if (without.has(name) || without.has(of['kind'] as string)) return [name, value];
        if (typeof value === 'object' && value !== null)
          return [
            name,
            Array.isArray(value)
              ? value.map((each) => (typeof each === 'object' ? within(each as Json) : each))
              : within(value as Json),
          ];
        if (typeof value !== 'number') return [name, value];
        const put = change(name, value, of);
        any ||= put !== value;
        return [name, put];
      }),
    );
  const made = within(json);
  return any ? made : undefined;
}

/** The same with `times` the noise, or where what is lost is stated with so much less of it. */
export function noisier({ json, adjacency }: RandomMechanism, times: number): RandomMechanism | undefined {
  const put = changed(json, UNLIKE.noise, (name, value) =>
    NOISE.has(name) ? value * times : LOSS.has(name) ? value / times : value,
  );
  return put && { json: put, mechanism: parseMechanism(put), adjacency };
}

/** The same with samples `times` as large, or as large as they may be. */
export function oftener({ json, adjacency }: RandomMechanism, times: number): RandomMechanism | undefined {
  const put = changed(json, UNLIKE.rate, (name, value, of) => {
    if (!RATE.has(name)) return value;
    const most = name !== 'sampleSize' ? 1 : of['kind'] === 'with-replacement' ? Infinity : of['datasetSize'];
    const raised = Math.min(value * times, most as number);
    return name === 'sampleSize' ? Math.ceil(raised) : raised;
  });
  return put && { json: put, mechanism: parseMechanism(put), adjacency };
}
