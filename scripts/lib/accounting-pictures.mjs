// The pictures of docs/accounting.md, each from the library or a formula of the text.
import { join } from 'node:path';
import { compileModules, MODULES } from './modules.mjs';

const WIDTH = 420;
const HEIGHT = 300;

/** @returns {Promise<Record<string, string>>} SVG texts by file name. */
export async function accountingPictures() {
  compileModules();
  const load = (name) => import(join(MODULES, `src/${name}.js`));
  const [lib, { chartFile, darkScreen }, scalar] = await Promise.all(
    ['index', 'chart/file', 'numeric/scalar'].map(load),
  );
  const engine = await lib.loadEngine();
  const tools = { ...lib, ...scalar, engine };
  const pictures = {
    'loss.svg': loss(tools),
    'directions.svg': directions(tools),
    'lines.svg': lines(tools),
    'composition.svg': composition(tools),
    'contour.svg': contour(tools),
    'grid.svg': grid(tools),
    'regret.svg': regret(tools),
  };
  return Object.fromEntries(
    Object.entries(pictures).map(([name, spec]) => [
      name,
      `${chartFile({ id: name.replace('.svg', ''), width: WIDTH, height: HEIGHT, margin: { left: 50 }, ...spec }, darkScreen())}\n`,
    ]),
  );
}

const steps = (from, to, n) => Array.from({ length: n + 1 }, (_, i) => from + ((to - from) * i) / n);
const linear = (label, domain, more = {}) => ({ type: 'linear', domain, label, ...more });
const log = (label, domain, ticks = 6) => ({ type: 'log', domain, label, ticks });

/** δ(ε) as the part of Q that losses above ε have beyond e^ε P: a Gaussian of μ = 1. */
function loss({ exp }) {
  const density = (l, mean) => exp(-((l - mean) ** 2) / 2) / 2.5066282746310002;
  const [from, to, epsilon] = [-3, 4.5, 1];
  const q = (l) => density(l, 0.5);
  // the density of the same loss under P, e^ε times
  const p = (l) => exp(epsilon) * density(l, -0.5);
  const beyond = steps(epsilon, to, 60);
  return {
    title: 'The privacy loss, and delta',
    description:
      'Densities of the loss of a Gaussian of mu = 1 under Q, and under P times e to the epsilon; they cross at epsilon, and delta is the area between them beyond.',
    x: linear('privacy loss', [from, to]),
    y: linear('density', [0, 0.5]),
    marks: [
      { type: 'area', from: beyond.map((l) => [l, p(l)]), to: beyond.map((l) => [l, q(l)]) },
      { type: 'line', points: steps(from, to, 120).map((l) => [l, q(l)]) },
      {
        type: 'line',
        className: 'c1',
        points: steps(-0.5, to, 300)
          .map((l) => [l, p(l)])
          .filter(([, y]) => y <= 0.5),
      },
      {
        type: 'rule',
        points: [
          [epsilon, 0],
          [epsilon, q(epsilon)],
        ],
      },
      { type: 'text', at: [epsilon, 0], dx: 5, dy: -6, text: 'ε', className: 'c0' },
      { type: 'text', at: [-0.2, q(-0.2)], dx: -8, dy: -4, anchor: 'end', text: 'Q', className: 'c0' },
      {
        type: 'text',
        at: [0.78, p(0.78)],
        dx: 8,
        dy: 4,
        text: 'e to the ε, times P',
        className: 'c1',
      },
      { type: 'text', at: [2.1, 0.09], dx: 26, dy: -22, text: 'δ(ε): the area', className: 'dark' },
      {
        type: 'rule',
        className: 'quiet',
        points: [
          [1.85, 0.1],
          [2.3, 0.145],
        ],
      },
    ],
  };
}

/** The two directions of one sampled step. */
function directions({ account, dpSgd, engine, runTradeoff }) {
  const run = account(engine, dpSgd({ noiseMultiplier: 0.7, samplingRate: 0.2, steps: 1 }), {
    adjacency: 'add-remove',
  });
  const epsilons = steps(0, 2.2, 110);
  const curve = (direction) =>
    epsilons.map((e) => [e, direction.delta(e).upper]).filter(([, d]) => d >= 1e-6);
  const [remove, add] = ['remove', 'add'].map((name) => curve(runTradeoff(run, name)));
  return {
    title: 'Two directions of one sampled step',
    description: 'delta over epsilon for removing and for adding a record: removing is the worse and counts.',
    x: linear('ε', [0, 2.2]),
    y: log('δ', [1e-6, 1]),
    marks: [
      { type: 'line', points: remove },
      { type: 'line', points: add, className: 'c1' },
      { type: 'text', at: remove[60], dx: 8, dy: -6, text: 'removed', className: 'c0' },
      {
        type: 'text',
        at: add[Math.floor(add.length * 0.55)],
        dx: 12,
        dy: 18,
        text: 'added',
        className: 'c1',
      },
    ],
  };
}

/** f as the largest of its supporting lines. */
function lines({ account, dpSgd, engine, exp }) {
  const run = account(engine, dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 }), {
    adjacency: 'add-remove',
  });
  const beta = steps(0, 1, 100).map((alpha) => [alpha, run.tradeoff(alpha).lower]);
  const line = (epsilon) => {
    const delta = run.delta(epsilon).upper;
    const end = (1 - delta) / exp(epsilon);
    const last = Math.min(1, end);
    return {
      type: 'line',
      className: 'guess',
      points: [
        [0, 1 - delta],
        [last, 1 - delta - exp(epsilon) * last],
      ],
    };
  };
  return {
    title: 'A trade-off curve as the largest of its lines',
    description:
      'Lines 1 - delta(epsilon) - e to the epsilon times alpha at seven epsilons, and the curve that they support.',
    x: linear('false positive rate α', [0, 1]),
    y: linear('false negative rate f(α)', [0, 1]),
    marks: [
      ...[-2.5, -1.5, -0.7, 0, 0.7, 1.5, 2.5].map(line),
      { type: 'line', points: beta },
      { type: 'text', at: [0.24, 0.75], text: '1 − δ(ε) − α times e to the ε', className: 'dark' },
      { type: 'text', at: beta[9], dx: 9, dy: -2, text: 'f', className: 'c0' },
    ],
  };
}

/** What steps add up to. */
function composition({ account, dpSgd, engine }) {
  const alphas = steps(0, 1, 100);
  const curve = (count) => {
    const run = account(engine, dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: count }), {
      adjacency: 'add-remove',
    });
    return alphas.map((alpha) => [alpha, run.tradeoff(alpha).lower]);
  };
  const counts = [1000, 5000, 20_000];
  return {
    title: 'Composition',
    description:
      'Trade-off curves of 1,000, 5,000 and 20,000 steps with noise multiplier 1 and sampling rate 0.01.',
    x: linear('false positive rate α', [0, 1]),
    y: linear('false negative rate f(α)', [0, 1]),
    marks: [
      {
        type: 'line',
        points: [
          [0, 1],
          [1, 0],
        ],
        className: 'guess',
      },
      ...counts.flatMap((count, i) => {
        const points = curve(count);
        const at = points[[44, 34, 22][i]];
        const className = i === 0 ? {} : { className: `c${i}` };
        return [
          { type: 'line', points, ...className },
          {
            type: 'text',
            at,
            dx: 8,
            dy: -4,
            text: `${count.toLocaleString('en-GB')} steps`,
            className: `c${i}`,
          },
        ];
      }),
      { type: 'text', at: [0.8, 0.2], dx: 8, dy: -2, text: 'guessing' },
    ],
  };
}

/** |M(z) e^{−(z−1)ε}/(z(z − 1))| along two vertical lines Re z = 1 + c, M of a Gaussian of μ = 1. */
function contour({ exp }) {
  const epsilon = 4;
  const size = (c, tau) =>
    exp((c * c + c - tau * tau) / 2 - c * epsilon) /
    Math.sqrt((c * c + tau * tau) * ((c + 1) * (c + 1) + tau * tau));
  const taus = steps(0, 6, 120);
  const saddle = 2.9;
  const nodes = steps(0, 6, 12);
  const inside = ([, y]) => y >= 1e-14;
  return {
    title: 'What is summed along a contour',
    description:
      'The modulus of the integrand over the imaginary part: on a good line it is small at once and falls; on another it is large and its sum cancels.',
    x: linear('imaginary part of z', [0, 6]),
    y: log('modulus of the integrand', [1e-14, 10], 7),
    marks: [
      { type: 'line', points: taus.map((tau) => [tau, size(saddle, tau)]).filter(inside) },
      { type: 'line', className: 'c1', points: taus.map((tau) => [tau, size(0.2, tau)]).filter(inside) },
      ...nodes
        .map((tau) => [tau, size(saddle, tau)])
        .filter(inside)
        .map((at) => ({ type: 'dot', at, radius: 3 })),
      {
        type: 'text',
        at: [2, size(saddle, 2)],
        dx: 12,
        dy: 32,
        anchor: 'end',
        text: 'through the saddle',
        className: 'c0',
      },
      { type: 'text', at: [1.2, size(0.2, 1.2)], dx: 6, dy: -6, text: 'elsewhere', className: 'c1' },
    ],
  };
}

/** A distribution function, and its masses moved up and down to a mesh. */
function grid({ normalCdf }) {
  const [mean, mesh] = [0.5, 0.5];
  const cdf = (l) => normalCdf(l - mean);
  const stairs = (shift) =>
    steps(-2, 3, 10).flatMap((l) => [
      [l, cdf(l - mesh + shift)],
      [l, cdf(l + shift)],
    ]);
  const [up, down] = [stairs(0), stairs(mesh)];
  return {
    title: 'A loss on a mesh',
    description:
      'The distribution function of a loss between those of the losses moved up and down to a mesh of one half.',
    x: linear('privacy loss', [-2, 3]),
    y: linear('distribution function', [0, 1]),
    marks: [
      { type: 'area', from: up, to: down },
      { type: 'line', points: steps(-2, 3, 100).map((l) => [l, cdf(l)]) },
      { type: 'line', points: up, className: 'c1' },
      { type: 'line', points: down, className: 'c2' },
      {
        type: 'text',
        at: [1.3, 0.42],
        dx: 12,
        dy: 10,
        text: 'moved up',
        className: 'c1',
      },
      {
        type: 'text',
        at: [0.3, 0.75],
        dx: -10,
        dy: -14,
        anchor: 'end',
        text: 'moved down',
        className: 'c2',
      },
    ],
  };
}

/** Randomised response, the Gaussian of its μ, and the curve moved by the regret. */
function regret({ engine, account, measure, pureDp, gaussianTradeoff }) {
  const run = account(engine, pureDp({ epsilon: 1 }), { adjacency: 'add-remove' });
  const found = measure(run, { alphaMin: 0.2 });
  const [mu, kappa] = [found.mu.upper, found.regret.upper];
  const gaussian = gaussianTradeoff(mu);
  const f = steps(0, 1, 200).map((alpha) => [alpha, run.tradeoff(alpha).lower]);
  const moved = f.map(([a, b]) => [a - kappa, b - kappa]).filter(([a, b]) => a >= 0 && b >= 0);
  const at = f[54];
  return {
    title: 'Regret',
    description: `The curve of pure 1-DP, that of mu ${mu.toFixed(3)} below it, and the first moved by the regret, ${kappa.toFixed(4)}, along the diagonal: nowhere above the second.`,
    x: linear('false positive rate α', [0, 1]),
    y: linear('false negative rate', [0, 1]),
    marks: [
      { type: 'line', points: f },
      { type: 'line', className: 'c1', points: steps(0, 1, 200).map((a) => [a, gaussian.fnr(a).lower]) },
      { type: 'line', className: 'guess', points: moved },
      { type: 'rule', points: [at, [at[0] - kappa, at[1] - kappa]] },
      { type: 'text', at, dx: 10, dy: -10, text: 'f', className: 'c0' },
      {
        type: 'text',
        at: [0.42, gaussian.fnr(0.42).lower],
        dx: -10,
        dy: 20,
        anchor: 'end',
        text: 'the Gaussian of μ',
        className: 'c1',
      },
      { type: 'text', at: [0.15, 0.3], anchor: 'end', text: 'f, moved' },
    ],
  };
}
