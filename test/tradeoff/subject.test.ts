import { describe, expect, test } from 'vitest';
import { convert } from '../../src/convert/index.js';
import {
  account,
  breakpoints,
  calibrate,
  compose,
  deltaDivergence,
  discreteGaussian,
  gaussian,
  gaussianTradeoff,
  groupPrivacy,
  identify,
  laplace,
  lossPmf,
  measure,
  measureHead,
  profileOf,
  profileOfRun,
  randomizedResponse,
  repeat,
  runTradeoff,
  type Subject,
  tensor,
  tradeoffPoints,
} from '../../src/index.js';
import { deltaGdp, normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import { report, reportHtml, reportJson, reportMarkdown } from '../../src/report/index.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';
import { noiseUnknown } from '../helpers/unknowns.js';

const runOf = (mechanism: Parameters<typeof account>[1]) =>
  account(wasm, mechanism, { adjacency: 'add-remove' });

/** The three subjects of one mechanism. */
function threeOf(mechanism: Parameters<typeof account>[1]): Subject[] {
  const run = runOf(mechanism);
  return [run, profileOfRun(run), runTradeoff(run)];
}

/** α and G_μ(α) as doubles. */
function gaussianPoints(mu: number, count: number): { alpha: number; beta: number }[] {
  return Array.from({ length: count }, (_, i) => {
    const alpha = (i + 1) / (count + 1);
    return { alpha, beta: Math.min(1 - alpha, normalCdf(-normalQuantile(alpha) - mu)) };
  });
}

describe('breakpoints', () => {
  test.each([wasm, reference])('200 points of G_1 have mu 1, by the kernel and without', (engine) => {
    const f = breakpoints(gaussianPoints(1, 200));
    for (const options of [{}, { engine }, { engine, alphaMin: 1e-3 }]) {
      const { mu } = measure(f, options);
      expect(mu).toContainValue(1, { absolute: 2e-14 });
      expect(mu).toBeNoWiderThan(1e-12);
    }
    const { values } = convert(engine, f, { kind: 'gdp' });
    expect(values[0]).toContainValue(1, { absolute: 2e-14 });
    expect(values[0]).toBeNoWiderThan(1e-12);
  });

  test('eq. 11 by hand at each vertex, and the edges of the window by hand', () => {
    const points = [
      { alpha: 0.02, beta: 0.8 },
      { alpha: 0.2, beta: 0.4 },
      { alpha: 0.5, beta: 0.1 },
    ];
    const at = ({ alpha, beta }: { alpha: number; beta: number }) =>
      -normalQuantile(alpha) - normalQuantile(beta);
    const most = Math.max(...points.map(at));
    expect(measure(breakpoints(points)).mu).toContainValue(most, { absolute: 1e-14 });
    // min(α, β) ≥ 0.15 leaves (0.2, 0.4) and the edges (0.15, f) and (f⁻¹, 0.15)
    const edges = [
      { alpha: 0.15, beta: 0.8 - (0.13 * 0.4) / 0.18 },
      { alpha: 0.2 + (0.25 * 0.3) / 0.3, beta: 0.15 },
    ];
    const inside = Math.max(at(points[1]), ...edges.map(at));
    expect(measure(breakpoints(points), { alphaMin: 0.15 }).mu).toContainValue(inside, { absolute: 1e-13 });
  });

  test('the scan and the cutting planes agree, regret as well', () => {
    for (const seed of [1, 2, 3]) {
      const points = gaussianPoints(0.4 * seed, 7).map(({ alpha, beta }, i) => ({
        alpha,
        beta: beta * (1 - 0.02 * ((i * seed) % 3)),
      }));
      const f = breakpoints(points);
      const scanned = measure(f, { alphaMin: 1e-6 });
      // a product with nothing else on the grid forgets the vertices
      const cut = measure(account(wasm, tradeoffPoints({ points }), { adjacency: 'add-remove' }), {
        alphaMin: 1e-6,
      });
      expect(cut.mu).toOverlap(scanned.mu);
      expect(cut.regret).toOverlap(scanned.regret);
      const dual = measure(profileOfRun(runOf(tradeoffPoints({ points }))), { alphaMin: 1e-6 });
      expect(dual.mu).toOverlap(scanned.mu);
    }
  });

  test.each([1, 2, 3, 4, 5, 6])(
    'asymmetric polygon %i: mu on the hull with its mirror image, regret over all priors',
    (seed) => {
      // a few corners anywhere below Id; 0 is the one whose hull has an edge of the window between f and its mirror image
      const random = seeded(seed);
      const points =
        seed === 1
          ? [{ alpha: 0.001, beta: 0.5 }]
          : Array.from({ length: 1 + (seed % 4) }, () => {
              const alpha = random() ** 3;
              return { alpha, beta: (1 - alpha) * random() };
            });
      const all = [{ alpha: 0, beta: 1 }, ...points];
      const both = [...all, ...all.map(({ alpha, beta }) => ({ alpha: beta, beta: alpha }))];
      /** The lower hull by every chord. */
      const hull = (at: number): number =>
        Math.min(
          ...both.flatMap((a) =>
            both.map((b) => {
              if (a.alpha === at) return a.beta;
              if (!(a.alpha < at && b.alpha >= at)) return 1;
              return (a.beta * (b.alpha - at) + b.beta * (at - a.alpha)) / (b.alpha - a.alpha);
            }),
          ),
        );
      const alphaMin = seed === 2 ? 1e-4 : 0.01;
      const window = [alphaMin, ...both.map(({ alpha }) => alpha)].filter(
        (alpha) => alpha >= alphaMin && hull(alpha) >= alphaMin,
      );
      const exact = Math.max(...window.map((alpha) => -normalQuantile(alpha) - normalQuantile(hull(alpha))));
      const f = breakpoints(points);
      const { mu, regret } = measure(f, { alphaMin });
      expect(mu).toContainValue(exact, { absolute: 1e-12 });
      expect(mu).toBeNoWiderThan(1e-11);
      let gap = 0;
      for (let i = 1; i < 20_000; i++) {
        const w = i / 20_000;
        const least = Math.min(...both.map(({ alpha, beta }) => (1 - w) * alpha + w * beta));
        gap = Math.max(gap, least - w * (1 - deltaGdp(exact, Math.log((1 - w) / w))));
      }
      expect(regret).toContainValue(gap, { absolute: 1e-4 });
      expect(regret.upper).toBeGreaterThanOrEqual(gap - 1e-12);
      expect(regret).toBeNoWiderThan(1e-10);
      // kernel or none, the same bits
      for (const engine of [wasm, reference])
        expect(measure(f, { alphaMin, engine })).toEqual(measure(f, { alphaMin }));
    },
  );

  test('a point with f(0) < 1 leaves no mu without a window, and one with it', () => {
    const f = breakpoints([{ alpha: 0, beta: 0.9 }]);
    expect(identify(f)).toMatchObject({ verdict: 'not-gdp', standing: 'exact' });
    expect(measure(f).mu.upper).toBeGreaterThan(5);
    expect(measure(f).muAllRates.lower).toBe(Infinity);
    expect(() => convert(wasm, f, { kind: 'gdp' })).toThrow(/no theorem/);
  });

  test('values read off a curve that bends are a staircase when said to be', () => {
    const points = gaussianPoints(1, 50);
    const lines = runOf(tradeoffPoints({ points }));
    const stairs = runOf(tradeoffPoints({ points, linear: false }));
    expect(lines.tradeoff(0.3001).lower).toBeGreaterThan(normalCdf(-normalQuantile(0.3001) - 1) - 1e-15);
    expect(stairs.tradeoff(0.3001).upper).toBeLessThan(normalCdf(-normalQuantile(0.3001) - 1));
    for (const epsilon of [0, 0.5, 1, 2])
      expect(stairs.delta(epsilon).lower).toBeGreaterThan(deltaGdp(1, epsilon));
    const read = convert(wasm, gaussianTradeoff(1), { kind: 'trade-off', alphas: [0.1, 0.5] }).guarantee;
    expect(read).toMatchObject({ linear: false });
  });

  test('a million points are scanned whole', () => {
    const n = 1_000_000;
    const f = breakpoints(gaussianPoints(1, n));
    const { mu } = measure(f, { engine: wasm, alphaMin: 1e-3 });
    expect(mu).toContainValue(1, { absolute: 1e-11 });
    expect(mu).toBeNoWiderThan(1e-10);
  });
});

describe('loss PMFs', () => {
  test('randomised response from its two PMFs', () => {
    const e = Math.exp(0.7);
    const f = lossPmf({ x: [e / (1 + e), 1 / (1 + e)], y: [1 / (1 + e), e / (1 + e)] });
    const exact = runOf(randomizedResponse({ epsilon: 0.7 }));
    expect(measure(f).mu).toOverlap(measure(exact).mu);
    for (const epsilon of [0, 0.3, 0.69]) expect(f.logDelta(epsilon)).toOverlap(exact.logDelta(epsilon));
  });

  test('TopDown from the PMFs of its discrete Gaussians: mu 2.70185', () => {
    // one level by its PMFs, the others as they are
    const shares = [2, 27.4, 8.5, 13.1, 13.1, 23.8, 11.8, 0.3];
    const sigma = (percent: number) => Math.sqrt(10 / (2 * (percent / 100) * 3.65));
    const pmf = (s: number) => {
      const reach = Math.ceil(30 * s);
      const weight = (k: number) => Math.exp(-(k * k) / (2 * s * s));
      const x = Array.from({ length: 2 * reach + 2 }, (_, i) => weight(i - reach));
      const total = x.reduce((a, b) => a + b, 0);
      return {
        x: x.map((w) => w / total),
        y: x.map((_, i) => weight(i - reach - 1) / total),
      };
    };
    const levels = shares.map((percent) => ({ f: lossPmf(pmf(sigma(percent))), count: 10 }));
    const f = tensor(wasm, levels, { tolerance: 1e-4 });
    const { mu } = measure(f, { alphaMin: 1e-6 });
    expect(mu).toContainValue(2.7018512254, { absolute: 2e-3 });
  });

  test('a curve from an accountant: a trade-off point per output, the certain ones told apart', () => {
    const f = lossPmf({ x: [0.5, 0.3, 0.2, 0], y: [0.1, 0.3, 0.5, 0.1] });
    expect(f.fnr(0)).toContainValue(0.9, { absolute: 1e-15 });
    expect(f.fnr(0.2)).toContainValue(0.4, { absolute: 1e-15 });
    expect(f.fnr(0.5)).toContainValue(0.1, { absolute: 1e-15 });
    expect(f.delta(0)).toContainValue(0.4, { absolute: 1e-15 });
    // Σ (y − e^ε x)⁺
    const exact = 0.1 + Math.max(0, 0.5 - Math.exp(0.5) * 0.2);
    expect(f.delta(0.5)).toContainValue(exact, { absolute: 1e-15 });
    expect(identify(f).verdict).toBe('not-gdp');
  });

  test('mass left out is taken as certain; more than there can be is refused', () => {
    expect(lossPmf({ x: [0.5, 0.5], y: [0.5, 0.4] }).fnr(0)).toContainValue(0.9, { absolute: 1e-15 });
    expect(() => lossPmf({ x: [0.5, 0.6], y: [0.5, 0.5] })).toThrow(/"x".*at most 1/);
    expect(() => lossPmf({ x: [1], y: [0.5, 0.5] })).toThrow(/"y"/);
    expect(() => lossPmf({ x: [-1], y: [1] })).toThrow(/"x\[0\]"/);
    expect(() => lossPmf({ x: 1 as never, y: [1] })).toThrow(TypeError);
  });
});

describe('run, profile and trade-off function of one mechanism', () => {
  const subjects = [
    ['Laplace', laplace({ scale: 0.5, sensitivity: 1 }), 1.800905193347812],
    ['discrete Gaussian', discreteGaussian({ sigma: 1, sensitivity: 1 }), 1.04576012],
    ['responses', repeat(randomizedResponse({ epsilon: 0.2 }), 50), 1.42007918],
    ['Gaussian', gaussian({ noiseMultiplier: 2 }), 0.5],
  ] as const;

  test.each(subjects)('%s', (_name, mechanism, exact) => {
    const [run, profile, f] = threeOf(mechanism);
    const alphaMin = 1e-6;
    const first = measure(run, { alphaMin });
    const head = measureHead(wasm, run, { epsilonHead: 4, resolution: 1e3 });
    for (const subject of [run, profile, f]) {
      const { mu, regret, muAllRates } = measure(subject, { alphaMin });
      expect(mu).toContainValue(exact, { absolute: 1e-8 });
      expect(mu).toBeNoWiderThan(2e-3);
      expect(regret).toOverlap(first.regret);
      expect(muAllRates).toOverlap(first.muAllRates);
      expect(measureHead(wasm, subject, { epsilonHead: 4, resolution: 1e3 }).headMu).toOverlap(head.headMu);
      expect(identify(subject).verdict).toBe(identify(run).verdict);
      const asked = report(subject, { alphaMin });
      expect(asked.advantage).toOverlap(report(run, { alphaMin }).advantage);
      expect(asked.epsilonAtDelta[0].epsilon).toOverlap(runOf(mechanism).epsilon(1e-5));
      expect(deltaDivergence(subject, run).lower).toBe(0);
      expect(deltaDivergence(run, subject).upper).toBeLessThan(1e-4);
      const made = convert(wasm, subject, { kind: 'approximate-dp', epsilon: 0.5 }).values[0];
      expect(made).toOverlap(runOf(mechanism).delta(0.5));
    }
  });

  test('a product and a group have mu, regret and a report, as their runs have', () => {
    const f = tensor(wasm, [gaussianTradeoff(1), breakpoints(gaussianPoints(1, 300))]);
    const { mu } = measure(f, { alphaMin: 1e-3 });
    // chords of G_1 are above it: less than √2, and not much less
    expect(mu.upper).toBeLessThan(Math.SQRT2 + 1e-4);
    expect(mu.lower).toBeGreaterThan(1.39);
    const group = groupPrivacy(runTradeoff(runOf(gaussian({ noiseMultiplier: 4 }))), 3);
    expect(measure(group).mu).toContainValue(0.75, { absolute: 1e-6 });
    const made = report(group, { alphaMin: 1e-3 });
    expect(made).toMatchObject({ mechanism: null, adjacency: 'unstated', engine: null });
    expect(made.epsilonAtDelta[0].epsilon).toOverlap(
      runOf(gaussian({ noiseMultiplier: 4 / 3 })).epsilon(1e-5),
    );
    for (const text of [reportMarkdown(made), reportHtml(made, {}), reportJson(made)])
      expect(text).toMatch(/group/);
  });

  test('a callback is measured on trust', () => {
    const { mu } = measure(
      profileOf((epsilon) => deltaGdp(0.8, epsilon)),
      { alphaMin: 1e-4 },
    );
    expect(mu).toContainValue(0.8, { absolute: 1e-6 });
    expect(identify(profileOf((epsilon) => deltaGdp(0.8, epsilon))).verdict).toBe('estimate');
  });

  test('what is no subject is refused by its option', () => {
    expect(() => deltaDivergence(gaussianTradeoff(1), 3 as never)).toThrow(/"g" must be a composed run/);
    expect(() => report({} as never)).toThrow(/"subject"/);
    expect(() => convert(wasm, null as never, { kind: 'gdp' })).toThrow(/"from"/);
  });
});

describe('calibration to a curve', () => {
  const unknown = noiseUnknown();
  test('a polygon: the noise whose curve touches one of its lines', () => {
    const target = breakpoints([{ alpha: 0.1, beta: 0.5 }]);
    const options = { adjacency: 'add-remove' } as const;
    const found = calibrate(wasm, unknown, { tradeoff: target, alphaMin: 0.1 }, options);
    if (!found.reached) throw new Error('out of reach');
    // the one segment in the window has slope −1: δ_μ(0) ≤ 0.4
    const exact = 1 / (2 * normalQuantile(0.7));
    expect(found.value).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
    expect(found.value).toBeLessThan(exact * 1.001);
    const own = runOf(gaussian({ noiseMultiplier: found.value }));
    for (const alpha of [0.1, 0.3, 0.5])
      expect(own.tradeoff(alpha).upper).toBeGreaterThanOrEqual(0.6 - alpha);
    // G_mu is below the first segment, 1 - 5 alpha, however small mu is: the window's edge tells which may be
    for (const alphaMin of [1e-10, 1e-4]) {
      const edge = calibrate(wasm, unknown, { tradeoff: target, alphaMin }, options);
      if (!edge.reached) throw new Error('out of reach');
      const mu = normalQuantile(1 - alphaMin) - normalQuantile(1 - 5 * alphaMin);
      expect(edge.value).toBeGreaterThanOrEqual((1 / mu) * (1 - 1e-7));
      expect(edge.value).toBeLessThan((1 / mu) * 1.001);
    }
  });

  test('as private as a Gaussian is that Gaussian; as a run, no less', () => {
    const found = calibrate(
      wasm,
      unknown,
      { tradeoff: gaussianTradeoff(0.5), alphaMin: 1e-4 },
      { adjacency: 'add-remove' },
    );
    if (!found.reached) throw new Error('out of reach');
    expect(found.value).toBeGreaterThanOrEqual(2);
    expect(found.value).toBeLessThan(2.01);
    const like = runOf(compose([laplace({ scale: 3, sensitivity: 1 }), gaussian({ noiseMultiplier: 3 })]));
    const made = calibrate(wasm, unknown, { tradeoff: like, alphaMin: 1e-3 }, { adjacency: 'add-remove' });
    if (!made.reached) throw new Error('out of reach');
    const own = runOf(gaussian({ noiseMultiplier: made.value }));
    for (const alpha of [1e-3, 1e-2, 0.1, 0.3])
      expect(own.tradeoff(alpha).upper).toBeGreaterThanOrEqual(like.tradeoff(alpha).lower);
    // and not much more private than asked
    const looser = runOf(gaussian({ noiseMultiplier: made.value * 0.97 }));
    const gap = [1e-3, 1e-2, 0.1, 0.3].map((a) => looser.tradeoff(a).upper - like.tradeoff(a).lower);
    expect(Math.min(...gap)).toBeLessThan(0);
  });
});
