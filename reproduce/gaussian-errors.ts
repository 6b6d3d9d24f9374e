import { type Bracket, optimalSigma } from '../src/index.js';
import { certainlyBelow } from './certified-search.js';
import { type Experiment, type Figure, ladder, probability, shared } from './experiment.js';
import { FORMULAS } from './gaussian-mechanism.js';

/** The mechanisms for (ε, δ)-DP, whose errors the experiments compare. */
const COMPARED = FORMULAS.slice(0, 5);
const N = 1000;
const DIMENSION = 10;

/** E‖Z‖ of d standard normal numbers, √2 Γ((d + 1)/2)/Γ(d/2): ρ(1) = √(2/π) and ρ(d)ρ(d + 1) = d. */
export function expectedNorm(dimension: number): Bracket {
  let norm = Math.sqrt(2 / Math.PI);
  for (let d = 1; d < dimension; d++) norm = d / norm;
  const slack = norm * 1e-15 * dimension;
  return { lower: norm - slack, upper: norm + slack };
}

interface Setting {
  readonly epsilon: number;
  readonly delta: number;
  readonly dimension: number;
}

type Sigma = (typeof FORMULAS)[number][1];

/** Expected ℓ2 error of the mean of n records that differ by at most 1 in each coordinate: sensitivity √d/n. */
function meanError(sigma: Sigma, { epsilon, delta, dimension }: Setting): Bracket {
  const noise = sigma({ epsilon, delta, sensitivity: Math.sqrt(dimension) / N });
  const norm = expectedNorm(dimension);
  return { lower: noise.lower * norm.lower * (1 - 1e-15), upper: noise.upper * norm.upper * (1 + 1e-15) };
}

/** Expected squared error of a cell of a histogram: σ² at sensitivity 1. */
function cellError(sigma: Sigma, request: { epsilon: number; delta: number }): Bracket {
  const { lower, upper } = sigma(request);
  return { lower: lower * lower * (1 - 1e-15), upper: upper * upper * (1 + 1e-15) };
}

function figureOf(
  name: string,
  title: string,
  [x, y]: readonly [Figure['axes']['x'], string],
  places: readonly number[],
  error: (sigma: Sigma, at: number) => Bracket,
): Figure {
  const series = COMPARED.map(([mechanism, sigma], i) => ({
    name: mechanism,
    style: (['solid', 'solid', 'solid', 'dotted', 'dotted'] as const)[i],
    points: places.map((at) => [at, error(sigma, at).upper] as const),
  }));
  return { name, title, axes: { x, y: { label: y } }, series };
}

/** Whether the errors stand in the order of COMPARED at every place. */
function inOrder(places: readonly number[], error: (sigma: Sigma, at: number) => Bracket): boolean {
  return places.every((at) => {
    const errors = COMPARED.map(([, sigma]) => error(sigma, at));
    return errors.every((each, i) => i === 0 || certainlyBelow(errors[i - 1], each));
  });
}

const EPSILONS = ladder(0.1, 1, 19);
const DIMENSIONS = Array.from({ length: 100 }, (_, i) => i + 1);

const figure4: Experiment = {
  paper: 'GM',
  exhibit: 'Figure 4',
  title: 'Mean estimation: ℓ2 error by ε, δ and dimension',
  run: () => {
    const base = { epsilon: 0.1, delta: 1e-4, dimension: DIMENSION };
    const deltas = ladder(1e-8, 1e-2, 25, 'log');
    const panels = [
      { places: EPSILONS, error: (s: Sigma, epsilon: number) => meanError(s, { ...base, epsilon }) },
      { places: deltas, error: (s: Sigma, delta: number) => meanError(s, { ...base, delta }) },
      { places: DIMENSIONS, error: (s: Sigma, dimension: number) => meanError(s, { ...base, dimension }) },
    ];
    const [a, b, c] = panels;
    const error = 'expected ℓ2 error';
    const table = [1, 10, 100];
    return {
      setting:
        `n = ${N} records of a cube of side 1, so that two differ by at most 1 in each coordinate: sensitivity √d/n, as the paper has it. The error is ` +
        'exact, σ√2·Γ((d + 1)/2)/Γ(d/2), where the paper averages runs. It prints neither d in (a) and (b), here 10, nor the ranges of δ and d.',
      numbers: Object.fromEntries(
        COMPARED.flatMap(([name, sigma]) =>
          table.map((dimension) => [
            `GM figure 4 ${name} d ${dimension}`,
            meanError(sigma, { ...base, dimension }),
          ]),
        ),
      ),
      tables: [
        {
          columns: ['Mechanism', 'σ at d = 10', ...table.map((d) => `ℓ2 error, d = ${d}`)],
          rows: COMPARED.map(([name, sigma]) => [
            name,
            shared(sigma({ epsilon: 0.1, delta: 1e-4, sensitivity: Math.sqrt(DIMENSION) / N }), 9),
            ...table.map((dimension) => shared(meanError(sigma, { ...base, dimension }), 7)),
          ]),
        },
      ],
      figures: [
        figureOf(
          'gm-fig4-a',
          'Error of the mean, δ = 1e-4, d = 10',
          [{ label: 'ε' }, error],
          a.places,
          a.error,
        ),
        figureOf(
          'gm-fig4-b',
          'Error of the mean, ε = 0.1, d = 10',
          [{ label: 'δ', scale: 'log' }, error],
          b.places,
          b.error,
        ),
        figureOf(
          'gm-fig4-c',
          'Error of the mean, ε = 0.1, δ = 1e-4',
          [{ label: 'd' }, error],
          c.places,
          c.error,
        ),
      ],
      verdict: panels.every(({ places, error: each }) => inOrder(places, each))
        ? 'The order of the paper holds at every point of the three panels: DP-OPT < Mechanism 1 < Mechanism 2 < Dwork-2014 < Dwork-2006. The error grows about as d: √d by the sensitivity and √d by the number of coordinates. The paper’s sensitivity √d/n is that of records within ½ of a centre, as its data are; its “ℓ∞-ball of radius 1” holds these, too.'
        : 'The order of the paper does not hold at every point.',
    };
  },
};

const figure5: Experiment = {
  paper: 'GM',
  exhibit: 'Figure 5',
  title: 'Histogram estimation: mean squared error by ε and δ',
  run: () => {
    const byEpsilon = (s: Sigma, epsilon: number) => cellError(s, { epsilon, delta: 1e-6 });
    const byDelta = (s: Sigma, delta: number) => cellError(s, { epsilon: 0.1, delta });
    const deltas = ladder(1e-9, 1e-5, 25, 'log');
    const at = [
      [0.1, 1e-6],
      [1, 1e-6],
      [0.1, 1e-9],
      [0.1, 1e-5],
    ].map(([epsilon, delta]) => ({ epsilon, delta }));
    const [y2014, best] = [COMPARED[3][1], optimalSigma].map((s) => cellError(s, at[0]));
    const ratio = { lower: y2014.lower / best.upper, upper: y2014.upper / best.lower };
    return {
      setting:
        'Counts of the Adult data set, sensitivity 1: the expected squared error of a cell is σ², whatever the data.',
      numbers: Object.fromEntries(
        COMPARED.flatMap(([name, sigma]) =>
          at.map(({ epsilon, delta }) => [
            `GM figure 5 ${name} ${epsilon} ${delta}`,
            cellError(sigma, { epsilon, delta }),
          ]),
        ),
      ),
      tables: [
        {
          columns: [
            'Mechanism',
            ...at.map(({ epsilon, delta }) => `ε = ${epsilon}, δ = ${probability(delta)}`),
          ],
          rows: COMPARED.map(([name, sigma]) => [
            name,
            ...at.map((request) => shared(cellError(sigma, request), 4)),
          ]),
        },
      ],
      figures: [
        figureOf(
          'gm-fig5-a',
          'Error of the histogram, δ = 1e-6',
          [{ label: 'ε' }, 'σ²'],
          EPSILONS,
          byEpsilon,
        ),
        figureOf(
          'gm-fig5-b',
          'Error of the histogram, ε = 0.1',
          [{ label: 'δ', scale: 'log' }, 'σ²'],
          deltas,
          byDelta,
        ),
      ],
      verdict:
        inOrder(EPSILONS, byEpsilon) && inOrder(deltas, byDelta)
          ? `The order of the paper holds at every point of both panels; at ε = 0.1, δ = 1e-6 Dwork-2014 has ${shared(ratio, 4)} times the least error.`
          : 'The order of the paper does not hold at every point.',
    };
  },
};

export const gaussianErrors: readonly Experiment[] = [figure4, figure5];
