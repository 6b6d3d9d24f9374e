import { gdp, laplace, measure, pureDp, repeat } from '../src/index.js';
import type { Series } from '../src/plot/index.js';
import { type Experiment, ladder, runOf, shared } from './experiment.js';

const ALPHAS = ladder(1e-3, 0.999, 80);

const figure1: Experiment = {
  paper: 'GDP',
  exhibit: 'Figures 1 and 5',
  title: 'Ten (1/√10, 0)-DP steps: exact composition, central limit and one (ε, δ) pair',
  run: (engine) => {
    const epsilon = 1 / Math.sqrt(10);
    const run = runOf(engine, repeat(pureDp({ epsilon }), 10));
    // the limit theorem for pure DP: μ of n steps with ε = 1/√n tends to 1
    const limit = runOf(engine, gdp({ mu: 1 }));
    const gaps = ALPHAS.map((alpha) => Math.abs(run.tradeoff(alpha).lower - limit.tradeoff(alpha).lower));
    const gap = Math.max(...gaps);
    const pair = run.epsilon(1e-3);
    const bound = (alpha: number) =>
      Math.max(0, 1 - 1e-3 - Math.exp(pair.upper) * alpha, Math.exp(-pair.upper) * (1 - 1e-3 - alpha));
    const { mu } = measure(run);
    return {
      verdict:
        `The central limit curve G_1 is within ${gap.toFixed(4)} of the exact one, but it is no bound: ten steps ` +
        `are only μ-GDP for μ ≥ ${shared(mu)}. The best single pair at δ = 1e-3, ε = ${shared(pair, 4)}, is far looser, as the figure shows.`,
      figures: [
        {
          name: 'gdp-fig1',
          title: 'Trade-off of ten steps, each (1/√10, 0)-DP',
          axes: { x: { label: 'α' }, y: { label: 'f(α)' } },
          series: [
            { name: 'exact', points: ALPHAS.map((alpha) => [alpha, run.tradeoff(alpha).lower]) },
            {
              name: 'central limit, 1-GDP',
              points: ALPHAS.map((alpha) => [alpha, limit.tradeoff(alpha).lower]),
            },
            { name: 'one (ε, 1e-3) pair', points: ALPHAS.map((alpha) => [alpha, bound(alpha)]) },
          ],
        },
      ],
    };
  },
};

const figure3: Experiment = {
  paper: 'GDP',
  exhibit: 'Figure 3',
  title: 'G_μ for several μ',
  run: (engine) => {
    const series = [0.5, 1, 3, 6].map((mu): Series => {
      const run = runOf(engine, gdp({ mu }));
      return { name: `μ = ${mu}`, points: ALPHAS.map((alpha) => [alpha, run.tradeoff(alpha).lower]) };
    });
    const one = runOf(engine, gdp({ mu: 1 })).advantage();
    const six = runOf(engine, gdp({ mu: 6 })).advantage();
    return {
      verdict: `μ ≤ 0.5 is close to blind guessing, μ = 6 almost none: the best test's advantage is ${shared(one)} at μ = 1 and ${shared(six)} at μ = 6, as the paper says in words.`,
      figures: [
        {
          name: 'gdp-fig3',
          title: 'Gaussian trade-off functions',
          axes: { x: { label: 'α' }, y: { label: 'f(α)' } },
          series,
        },
      ],
    };
  },
};

const figure4: Experiment = {
  paper: 'GDP',
  exhibit: 'Figure 4',
  title: 'Supporting lines of a trade-off function',
  run: (engine) => {
    const run = runOf(engine, gdp({ mu: 1 }));
    const epsilons = [0, 0.5, 1, 1.5, 2, 3];
    const line = (epsilon: number, alpha: number) => 1 - run.delta(epsilon).upper - Math.exp(epsilon) * alpha;
    const envelope = (alpha: number) =>
      Math.max(
        0,
        ...epsilons.map((e) => Math.max(line(e, alpha), Math.exp(-e) * (1 - run.delta(e).upper - alpha))),
      );
    const loss = Math.max(...ALPHAS.map((alpha) => run.tradeoff(alpha).lower - envelope(alpha)));
    return {
      verdict: `Six (ε, δ) pairs, each two lines, leave at most ${loss.toFixed(4)} of the curve G_1 unsaid; all of them together are the curve.`,
      figures: [
        {
          name: 'gdp-fig4',
          title: 'G_1 and what six (ε, δ) pairs say of it',
          axes: { x: { label: 'α' }, y: { label: 'f(α)' } },
          series: [
            { name: 'G_1', points: ALPHAS.map((alpha) => [alpha, run.tradeoff(alpha).lower]) },
            { name: 'six pairs', points: ALPHAS.map((alpha) => [alpha, envelope(alpha)]) },
          ],
        },
      ],
    };
  },
};

const group: Experiment = {
  paper: 'GDP',
  exhibit: 'Group privacy limit',
  title: 'Groups of k of an (ε/k, 0)-DP mechanism tend to the Laplace curve, ε = 1',
  run: (engine) => {
    const epsilon = 1;
    const limit = runOf(engine, laplace({ scale: 1, sensitivity: epsilon }));
    // the power of the best test against one record, applied k times over
    const power = (x: number, e: number) => Math.min(Math.exp(e) * x, 1 - Math.exp(-e) * (1 - x));
    const distances = [1, 2, 4, 8, 16, 32, 64].map((k) => {
      const gaps = ALPHAS.map((alpha) => {
        let x = alpha;
        for (let i = 0; i < k; i++) x = power(x, epsilon / k);
        return Math.abs(1 - x - limit.tradeoff(alpha).lower);
      });
      return [k, Math.max(...gaps)] as const;
    });
    const falls = distances.every(([, gap], i) => i === 0 || gap < distances[i - 1][1]);
    return {
      tables: [
        {
          columns: ['k', 'largest distance from the Laplace curve'],
          rows: distances.map(([k, gap]) => [String(k), gap.toPrecision(3)]),
        },
      ],
      verdict: falls
        ? 'The distance falls with every doubling of k, as the theorem says.'
        : 'The distance does not fall with k: the theorem is not confirmed.',
    };
  },
};

export const gaussianDp: readonly Experiment[] = [figure1, figure3, figure4, group];
