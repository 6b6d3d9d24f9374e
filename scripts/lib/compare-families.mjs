// The runs that `npm run compare` asks two builds about: families of settings, each case drawn by a generator of its own, so that a case is the
// same whatever else is asked.

/** Uniform doubles in [0, 1) from a 32-bit state (mulberry32). */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const between = (random, low, high) => Number((low * (high / low) ** random()).toPrecision(4));
const whole = (random, low, high) => Math.max(low, Math.round(between(random, low, high)));
const chance = (random, share) => random() < share;
const one = (random, list) => list[Math.floor(random() * list.length)];

/** A phase of DP-SGD drawn between [σ, q, T] and [σ, q, T]. */
function phase(random, [s, q, t], [s2, q2, t2]) {
  return {
    noiseMultiplier: between(random, s, s2),
    samplingRate: between(random, q, q2),
    steps: whole(random, t, t2),
  };
}

/** One phase or several. */
function phases(random, count, least, most) {
  const drawn = Array.from({ length: count }, () => phase(random, least, most));
  const made = (lib) => drawn.map((settings) => lib.dpSgd(settings));
  return { text: drawn, make: (lib) => (count === 1 ? made(lib)[0] : lib.compose(made(lib))) };
}

const named = (text, make) => ({ text, make });
const epsilons = (...deltas) => deltas.map((delta) => ['epsilon', delta]);

const REAL = [
  [0.4, 1e-4, 100],
  [10, 0.2, 1e5],
];
const FEW = [
  [0.4, 1e-4, 2],
  [10, 0.2, 100],
];
const HARD = [
  [0.3, 1e-5, 2],
  [50, 1, 1e8],
];
const real = (random) => phases(random, chance(random, 1 / 6) ? 2 : 1, ...REAL);
const few = (random) => phases(random, 1, ...FEW);
const hard = (random) => phases(random, chance(random, 0.25) ? 2 + Math.floor(5 * random()) : 1, ...HARD);
const ordinary = (random) => one(random, [real, few, hard])(random);

/** A schedule of unlike phases: noise and rate along a curve, or a cloud of them. */
function schedule(random) {
  const count = whole(random, 3, 40);
  if (chance(random, 0.4)) return phases(random, count, [0.6, 1e-4, 1], [8, 0.05, whole(random, 2, 2000)]);
  const { noiseMultiplier, samplingRate, steps } = phase(random, [0.6, 1e-4, 1], [8, 0.1, 200]);
  const [noise, rate] = [between(random, 0.3, 1), between(random, 0.1, 1)];
  const make = (lib) =>
    lib.compose(
      Array.from({ length: count }, (_, i) =>
        lib.dpSgd({
          noiseMultiplier: noiseMultiplier * (noise + ((1 - noise) * i) / count),
          samplingRate: samplingRate * (rate + ((1 - rate) * i) / count),
          steps,
        }),
      ),
    );
  return named({ count, noiseMultiplier, samplingRate, steps, noise, rate }, make);
}

/** Losses that are seldom large: rare samples of little noise. */
function rare(random) {
  const noiseMultiplier = between(random, 0.35, 1.3);
  const samplingRate = between(random, 1e-5, 0.02);
  const steps = Math.max(2, Math.min(100_000, Math.round(between(random, 0.01, 3) / samplingRate)));
  const settings = { noiseMultiplier, samplingRate, steps };
  return named(settings, (lib) => lib.dpSgd(settings));
}

/** People of several records. */
function persons(random) {
  const settings = {
    ...phase(random, [1, 1e-3, 2], [10, 0.1, 2e4]),
    recordsPerPerson: whole(random, 2, 6),
  };
  return named(settings, (lib) => lib.dpSgd(settings));
}

function replaced(random) {
  const { noiseMultiplier, samplingRate: rate, steps } = phase(random, [0.6, 1e-3, 2], [10, 0.3, 1e4]);
  return named({ replaced: { noiseMultiplier, rate }, steps }, (lib) =>
    lib.repeat(lib.replacedGaussian({ noiseMultiplier, rate }), steps),
  );
}

function epochs(random) {
  const settings = { noiseMultiplier: between(random, 0.6, 8), bins: whole(random, 2, 2000) };
  const count = whole(random, 1, 60);
  return named({ ...settings, epochs: count }, (lib) => lib.repeat(lib.ballsAndBins(settings), count));
}

/** Losses that have masses, with and without noise beside them. */
function atoms(random) {
  const count = whole(random, 2, 300);
  const kind = one(random, ['response', 'discrete', 'sampled', 'mixed', 'unlike']);
  const [a, b] = [between(random, 0.02, 4), between(random, 0.02, 2)];
  const noise = phase(random, [0.6, 1e-3, 10], [6, 0.1, 2000]);
  const response = (lib, epsilon) => lib.randomizedResponse({ epsilon, categories: 2 });
  const makes = {
    response: (lib) => lib.repeat(response(lib, a), count),
    discrete: (lib) => lib.repeat(lib.discreteGaussian({ sigma: 0.5 + a, sensitivity: 1 }), count),
    sampled: (lib) =>
      lib.repeat(lib.poissonSubsampled(response(lib, a), { rate: noise.samplingRate }), count),
    mixed: (lib) => lib.compose([lib.repeat(response(lib, b), 1 + (count % 9)), lib.dpSgd(noise)]),
    unlike: (lib) => lib.compose([a, b, (a + b) / 3].map((e) => lib.repeat(response(lib, e), count))),
  };
  return named({ kind, count, a, b, ...(kind === 'mixed' && noise) }, makes[kind]);
}

/** Laplace noise and bounded ranges, alone, sampled, and beside DP-SGD. */
function exponential(random) {
  const count = whole(random, 2, 500);
  const kind = one(random, ['laplace', 'range', 'sampled', 'mixed', 'both']);
  const scale = between(random, 0.3, 50);
  const noise = phase(random, [0.6, 1e-3, 10], [6, 0.1, 5000]);
  const laplace = (lib) => lib.laplace({ scale, sensitivity: 1 });
  const range = (lib) => lib.boundedRange({ epsilon: 1 / scale });
  const makes = {
    laplace: (lib) => lib.repeat(laplace(lib), count),
    range: (lib) => lib.repeat(range(lib), count),
    sampled: (lib) => lib.repeat(lib.poissonSubsampled(laplace(lib), { rate: noise.samplingRate }), count),
    mixed: (lib) => lib.compose([lib.repeat(laplace(lib), 1 + (count % 20)), lib.dpSgd(noise)]),
    both: (lib) => lib.compose([lib.repeat(laplace(lib), count), lib.repeat(range(lib), 1 + (count % 50))]),
  };
  return named({ kind, count, scale, ...(/mixed|sampled/.test(kind) && noise) }, makes[kind]);
}

/** A family: how many cases of 10,200 it has, its settings, and its questions. */
export const FAMILIES = {
  real: { share: 2400, draw: real, ask: (r) => epsilons(1e-5, one(r, [1e-10, 1e-3, 1e-8])) },
  few: { share: 1500, draw: few, ask: (r) => epsilons(1e-5, one(r, [1e-10, 1e-3, 1e-8])) },
  hard: { share: 1400, draw: hard, ask: (r) => epsilons(1e-5, one(r, [1e-10, 1e-3, 1e-8])) },
  coarse: {
    share: 400,
    draw: ordinary,
    ask: () => epsilons(1e-5),
    options: (r) => ({ tolerance: one(r, [1e-2, 1e-3, 1e-4]) }),
  },
  fine: {
    share: 200,
    draw: real,
    ask: () => epsilons(1e-5),
    options: (r) => ({ tolerance: one(r, [1e-8, 1e-10]) }),
  },
  schedules: { share: 250, draw: schedule, ask: (r) => epsilons(one(r, [1e-5, 1e-10])) },
  deep: { share: 700, draw: ordinary, ask: (r) => epsilons(Number(`1e-${Math.round(12 + 288 * r())}`)) },
  loud: {
    share: 500,
    draw: (r) => phases(r, 1, [0.1, 0.01, 2], [2, 1, 1e5]),
    ask: (r) => [['delta', between(r, 0.01, 30)], ...epsilons(one(r, [0.1, 0.5, 0.9, 0.99, 0.999_999]))],
  },
  rare: { share: 600, draw: rare, ask: (r) => epsilons(1e-5, one(r, [1e-9, 1e-14, 1e-3])) },
  deltas: {
    share: 500,
    draw: ordinary,
    ask: (r) => [
      ['delta', 0],
      ['delta', between(r, 1e-4, 10)],
      ['delta', -between(r, 1e-3, 3)],
    ],
  },
  persons: { share: 300, draw: persons, ask: (r) => epsilons(one(r, [1e-5, 1e-10])) },
  replaced: {
    share: 150,
    draw: replaced,
    ask: () => epsilons(1e-5),
    options: () => ({ adjacency: 'replace-one' }),
  },
  epochs: { share: 150, draw: epochs, ask: (r) => epsilons(one(r, [1e-5, 1e-9])) },
  atoms: { share: 300, draw: atoms, ask: (r) => epsilons(one(r, [1e-5, 1e-10])) },
  exponential: { share: 350, draw: exponential, ask: (r) => epsilons(1e-5, one(r, [1e-10, 1e-3])) },
  mu: { share: 300, draw: ordinary, ask: (r) => [['mu', one(r, [1e-10, 1e-6])]] },
  tests: {
    share: 500,
    draw: ordinary,
    ask: (r) => [
      ['tradeoff', between(r, 1e-12, 1)],
      ['tradeoff', random01(r)],
    ],
  },
};

const random01 = (random) => Number(random().toPrecision(6));

/**
 * The cases in the order they are asked: every stretch of them has about its share of each family.
 *
 * @param only The name of one family, or nothing for all.
 */
export function population(seed, only) {
  const cases = [];
  for (const [number, [family, { share, draw, ask, options }]] of Object.entries(FAMILIES).entries()) {
    if (only !== undefined && only !== family) continue;
    for (let i = 0; i < share; i++) {
      const random = seeded(seed + 7919 * number + 104_729 * i);
      const { text, make } = draw(random);
      const settings = { adjacency: 'add-remove', ...options?.(random) };
      const questions = ask(random);
      cases.push({ id: `${family}/${i}`, family, place: (i + 0.5) / share, text, make, settings, questions });
    }
  }
  return cases.sort((a, b) => a.place - b.place);
}
