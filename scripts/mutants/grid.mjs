const STARVED = 'test/methods/grid/starved.test.ts';
const TABLE = 'src/methods/grid/tilted-table.ts';
const OUTSIDE = 'mass outside the window: %s at steps of %d, %d of them, tilt %d, e^%d on either side';
const FFT =
  'round-off of the FFT, far from where its tilt is meant to serve: steps of %d, %d of them, tilt %d';
const DISPLACED = 'displacement: losses of %d, %d times, width %d';

const WRONG = ['test/law/stated-errors.test.ts', 'masses as wrong as they say, on either side: rate %d'];

/** @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const GRID = [
  {
    term: 'grid: mass outside the window, in the error of delta',
    file: TABLE,
    find: 'deltaError: 1.01 * (perEntryError * deltaWeights + outside)',
    put: 'deltaError: 1.01 * (perEntryError * deltaWeights)',
    tests: [[STARVED, OUTSIDE]],
  },
  {
    term: 'grid: mass outside the window, in the error of tests',
    file: TABLE,
    find: 'tailError: 1.01 * (perEntryError * Math.min(length, 1 / decay) + outside)',
    put: 'tailError: 1.01 * (perEntryError * Math.min(length, 1 / decay))',
    tests: [[STARVED, OUTSIDE]],
  },
  {
    term: 'grid: mass outside the window is on both sides',
    file: TABLE,
    find: 'const outside = 4 * exp(logOutside)',
    put: 'const outside = 0.01 * exp(logOutside)',
    tests: [[STARVED, OUTSIDE]],
  },
  {
    term: 'grid: mass at infinity that is rounded above 1 counts as 1',
    file: 'src/methods/grid/tilted-table.ts',
    find: 'log1p(-Math.min(1, measure.infinity))',
    put: 'log1p(-measure.infinity)',
    tests: [
      [
        'test/account/mechanisms.test.ts',
        '(ε, δ)-DP whose δ is a few doubles below 1 is nearly certain to reveal all',
      ],
    ],
  },
  {
    term: 'grid: round-off of the FFT',
    file: TABLE,
    find: 'deltaError: 1.01 * (perEntryError * deltaWeights + outside)',
    put: 'deltaError: 1.01 * outside',
    tests: [[STARVED, FFT]],
  },
  {
    term: 'grid: displacement of losses, upper end',
    file: 'src/methods/grid/grid-run.ts',
    find: 'pair.upper.upperLogDelta(epsilon - pair.displacement)',
    put: 'pair.upper.upperLogDelta(epsilon + pair.displacement)',
    tests: [[STARVED, DISPLACED]],
  },
  {
    term: 'grid: displacement of losses, lower end',
    file: 'src/methods/grid/grid-run.ts',
    find: 'pair.lower.lowerLogDelta(epsilon + pair.displacement)',
    put: 'pair.lower.lowerLogDelta(epsilon - pair.displacement)',
    tests: [[STARVED, DISPLACED]],
  },
  {
    term: 'grid: displacement of losses, FPR of tests',
    file: 'src/methods/grid/grid-run.ts',
    find: 'logFpr: Math.min(0, logFpr + at.pair.displacement)',
    put: 'logFpr',
    tests: [[STARVED, DISPLACED]],
  },
  {
    term: 'lattice: from the exchanged side errors of moved masses count as seen from the lattice point',
    file: 'src/law/lattice/half-cells.ts',
    find: '+ out.movedError * (rise + 1)',
    put: '+ out.movedError',
    tests: [WRONG],
  },
  {
    term: 'lattice: losses may be rounded out of their cell',
    file: 'src/law/lattice/cell-law.ts',
    find: 'Math.min(cell.mass + cell.beyond / gap,',
    put: 'Math.min(cell.mass,',
    tests: [WRONG],
  },
];
