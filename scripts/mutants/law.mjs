const LOADERS = 'test/law/loaders.test.ts';
const BATCHES = 'every batch of small data sets, %s';
const CAPPED = 'src/mechanism/kinds/capped-poisson.ts';
const MIXTURES = 'test/law/mixtures.test.ts';
const REGION = 'test/law/renyi-region.test.ts';
const MAXIMUM = 'test/mechanism/noisy-max.test.ts';
const FACTORS = 'test/mechanism/factorisations.test.ts';
const ENCLOSE = [
  'test/law/law-enclosures.test.ts',
  'discretisations enclose δ: both directions and without replacement, any mesh, tail and rate',
];

/** Laws of single releases: pairs, samples, epochs. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const LAW = [
  {
    term: 'capped Poisson: the chance of being in a full batch',
    proof: 'capped-poisson.md 1',
    file: CAPPED,
    find: ': displacedLaw(sigma, kept, direction);',
    put: ': displacedLaw(sigma, kept / 2, direction);',
    tests: [[LOADERS, BATCHES]],
  },
  {
    term: 'capped Poisson: a record that is in displaces another, twice the distance',
    proof: 'capped-poisson.md 2',
    file: 'src/law/displaced-law.ts',
    find: 'shift: Float64Array.of(2 * mu)',
    put: 'shift: Float64Array.of(1.5 * mu)',
    tests: [[LOADERS, BATCHES]],
  },
  {
    term: 'capped Poisson: the weight of full batches',
    proof: 'capped-poisson.md 3',
    file: CAPPED,
    find: '    weight: full,',
    put: '    weight: full * 0.8,',
    tests: [[LOADERS, BATCHES]],
  },
  {
    term: 'capped Poisson: the attack is in the batch no more often than it is',
    proof: 'capped-poisson.md 4',
    file: CAPPED,
    find: '(rest * m.rate + full * keptBelow) * (1 - relative - 1e-14)',
    put: 'm.rate',
    tests: [[LOADERS, 'others at 0 are a data set that the lower end holds for']],
  },
  {
    term: 'capped Poisson: the chance from below is rounded down',
    proof: 'capped-poisson.md 4',
    file: CAPPED,
    find: 'keptBelow: Math.min(1, exp(logMore[0] - logFull[1] + share) * (1 - 1e-14) || 0),',
    put: 'keptBelow: Math.min(1, exp(logMore[1] - logFull[0] + share) * (1 + 1e-14) || 0),',
    tests: [['test/law/capping.test.ts', 'chances under a cap are between their ends, by whole numbers']],
  },
  {
    term: 'capped Poisson: the chance from above is rounded up',
    proof: 'capped-poisson.md 5',
    file: CAPPED,
    find: 'kept: Math.min(1, exp(logMore[1] - logFull[0] + share) * (1 + 1e-14) || rate),',
    put: 'kept: Math.min(1, exp(logMore[0] - logFull[1] + share) * (1 - 1e-14) || rate),',
    tests: [['test/law/capping.test.ts', 'chances under a cap are between their ends, by whole numbers']],
  },
  {
    term: 'capped Poisson: rate 1 keeps the share of the cap',
    proof: 'capped-poisson.md 5',
    file: CAPPED,
    find: 'const share = log(cap / n);',
    put: 'const share = log((cap - 1) / n);',
    tests: [[LOADERS, BATCHES]],
  },
  {
    term: 'capped Poisson: the published pair lies on both sides',
    proof: 'capped-poisson.md 6',
    file: CAPPED,
    find: "const against = replaced || published === 'google' ? met : sideOf(mu, kept);",
    put: 'const against = sideOf(0.5 * mu, kept);',
    tests: [[LOADERS, 'mixed steps, and the cap that is never met']],
  },
  {
    term: 'shuffled: an epoch is one Gaussian of the full sensitivity',
    proof: 'shuffled.md 1',
    file: 'src/mechanism/kinds/shuffled.ts',
    find: "attack === undefined ? { rate: 1, mechanism: { kind: 'gaussian', noiseMultiplier } } : undefined",
    put: "attack === undefined ? { rate: 1, mechanism: { kind: 'gaussian', noiseMultiplier: 1.5 * noiseMultiplier } } : undefined",
    tests: [
      [LOADERS, 'every order of small data sets in two batches, %s: the worst of them is in the bracket'],
    ],
  },
  {
    term: 'shuffled: others at 0 are balls and bins of as many bins',
    proof: 'shuffled.md 2',
    file: 'src/mechanism/kinds/shuffled.ts',
    find: 'if (leftOut === 0) return { bins };',
    put: 'if (leftOut === 0) return { bins: Math.max(1, bins - 1) };',
    tests: [
      [LOADERS, 'every order of small data sets in two batches, %s: the worst of them is in the bracket'],
    ],
  },
  {
    term: 'shuffled: the largest batch is 2 away with the record and 1 without',
    proof: 'shuffled.md 3',
    file: 'src/law/largest-batch.ts',
    find: 'const masses = [1, 2].map((shift)',
    put: 'const masses = [0.5, 2].map((shift)',
    tests: [
      [LOADERS, 'every order of small data sets in two batches, %s: the worst of them is in the bracket'],
    ],
  },
  {
    term: 'shuffled: a record in no batch of those that are run',
    proof: 'shuffled.md 3',
    file: 'src/law/largest-batch.ts',
    find: 'add(1 - leftOut, (c) =>',
    put: 'add(1, (c) =>',
    tests: [[LOADERS, 'a last batch that is dropped']],
  },
  {
    term: 'mixtures: all parts count, with their weights',
    proof: 'sampling.md 1',
    file: 'src/law/mixture-pair.ts',
    find: 'for (let i = 0; i < shift.length; i++) sum = logSum(sum, log(weight[i]) + logNormalCdf(z(shift[i])));',
    put: 'for (let i = 0; i < Math.min(3, shift.length); i++) sum = logSum(sum, log(weight[i]) + logNormalCdf(z(shift[i])));',
    tests: [[MIXTURES, 'a person of three records, on a line: both directions']],
  },
  {
    term: 'mixtures: one record replaced is on the other side',
    proof: 'sampling.md 3',
    file: 'src/mechanism/kinds/replaced-gaussian.ts',
    find: 'pair: (m) => mixturePair(sideOf(m), sideOf(m)),',
    put: 'pair: (m) => mixturePair(sideOf({ ...m, noiseMultiplier: 1.2 * m.noiseMultiplier }), sideOf({ ...m, noiseMultiplier: 1.2 * m.noiseMultiplier })),',
    tests: [
      [MIXTURES, 'one record replaced, Poisson sample: none is worse than the pair, and one is as bad'],
    ],
  },
  {
    term: 'banded matrices: a record is in ⌈steps/bands⌉ steps',
    proof: 'sampling.md 5',
    file: 'src/mechanism/mechanism.ts',
    find: 'return dpSgd({ noiseMultiplier, samplingRate, steps: met });',
    put: 'return dpSgd({ noiseMultiplier, samplingRate, steps: met - 1 });',
    tests: [
      [
        'test/law/statements.test.ts',
        'a banded matrix under cyclic sampling is its Poisson steps, and no gradients of length 1 are worse',
      ],
    ],
  },
  {
    term: 'discretisation: the mass below the first cell',
    file: 'src/law/lattice/discretise.ts',
    find: 'mass[0] += cells.below;',
    put: '',
    tests: [ENCLOSE],
  },
  {
    term: 'discretisation: the mass above the last cell is at infinity',
    file: 'src/law/lattice/discretise.ts',
    find: 'infinity: cells.above * (1 + slack) + lost',
    put: 'infinity: lost',
    tests: [ENCLOSE],
  },
  {
    term: 'discretisation: the mass due at the upper end of a cell',
    file: 'src/law/lattice/discretise.ts',
    find: '(cell.surplus + cell.slack) / gap',
    put: '(0.99 * cell.surplus) / gap',
    tests: [ENCLOSE],
  },
  {
    term: 'discretisation: a lower hull, not what lies above it',
    file: 'src/law/lattice/slope-hull.ts',
    find: 'if (corner >= 0) {',
    put: 'if (corner >= 0 || !single) {',
    tests: [ENCLOSE],
  },
  {
    term: 'branches: a profile is the mean of theirs',
    file: 'src/law/branched-pair.ts',
    find: 'for (let k = 0; k < measure.mass.length; k++) mass[from + k] += weight * measure.mass[k];',
    put: 'for (let k = 0; k < measure.mass.length - 1; k++) mass[from + k] += weight * measure.mass[k];',
    tests: [[LOADERS, BATCHES]],
  },
  {
    term: 'noisy maximum: no better than Laplace noise',
    proof: 'noisy-max.md 1',
    file: 'src/mechanism/kinds/noisy-max.ts',
    find: 'pair: (m) => laplacePair(m.epsilon),',
    put: 'pair: (m) => laplacePair(0.9 * m.epsilon),',
    tests: [[MAXIMUM, 'is no worse than Laplace noise, over all neighbours of small sets of candidates']],
  },
  {
    term: 'noisy maximum: what two candidates attain',
    proof: 'noisy-max.md 2',
    file: 'src/mechanism/kinds/noisy-max.ts',
    find: 'epsilon: log1p(2 * expm1(m.epsilon / 2)) * (DOWN - 1e-14)',
    put: 'epsilon: m.epsilon',
    tests: [[MAXIMUM, 'is attained by two candidates, one epsilon at a time']],
  },
  {
    term: 'factorisations: one Gaussian of the sensitivity',
    proof: 'factorisations.md 1',
    file: 'src/mechanism/kinds/matrix-mechanism.ts',
    find: 'return (factorSensitivity(m).upper / m.noiseMultiplier) * (1 + 4e-16);',
    put: 'return (factorSensitivity(m).lower / m.noiseMultiplier) * 0.9;',
    tests: [[FACTORS, 'are no worse than their Gaussian where a gradient hangs on what was released']],
  },
  {
    term: 'factorisations: from above products count by their size',
    proof: 'factorisations.md 2',
    file: 'src/mechanism/factor-sensitivity.ts',
    find: 'products[i][j] = products[j][i] = Math.abs(sum) + slack * size;',
    put: 'products[i][j] = products[j][i] = sum;',
    tests: [[FACTORS, 'is around the farthest move over every set of steps and signs']],
  },
  {
    term: 'factorisations: a column that does not fall is raised to one that does',
    proof: 'factorisations.md 3',
    file: 'src/mechanism/factor-sensitivity.ts',
    find: 'for (let u = falling.length - 2; u >= 0; u--) falling[u] = Math.max(falling[u], falling[u + 1]);',
    put: '',
    tests: [[FACTORS, 'is around the farthest move over every set of steps and signs']],
  },
  {
    term: 'factorisations: from below the sum that is attained',
    proof: 'factorisations.md 4',
    file: 'src/mechanism/factor-sensitivity.ts',
    find: 'return Math.max(0, norm(sum) - 2 * U * steps.length * moved);',
    put: 'return moved;',
    tests: [[FACTORS, 'is around the farthest move over every set of steps and signs']],
  },
  {
    term: 'Renyi: the upper end lies outside the bound',
    proof: 'renyi.md 2',
    file: 'src/law/renyi-region.ts',
    find: 'orders.every((order) => excess(pair, order) >= roundingOf(pair, order))',
    put: 'orders.every((order) => excess(pair, order) >= -1e-6)',
    tests: [
      [REGION, 'no pair with two outputs that meets the bounds has more, and the pair named meets them'],
    ],
  },
  {
    term: 'Renyi: the pair named meets every bound',
    proof: 'renyi.md 1',
    file: 'src/law/renyi-region.ts',
    find: 'if (tight.excess <= -roundingOf(pair, tight.order)) return pair;',
    put: 'return pair;',
    tests: [
      [REGION, 'no pair with two outputs that meets the bounds has more, and the pair named meets them'],
    ],
  },
  {
    term: 'Renyi: bounds hold in both directions',
    proof: 'renyi.md 1',
    file: 'src/law/renyi-orders.ts',
    find: '    [false, true].map((exchanged) => ({ above: order - 1, bound: epsilon, exchanged })),',
    put: '    [false, false].map((exchanged) => ({ above: order - 1, bound: epsilon, exchanged })),',
    tests: [
      [REGION, 'no pair with two outputs that meets the bounds has more, and the pair named meets them'],
    ],
  },
  {
    term: 'attained: several releases of bounded range reach no more than a pair that meets it',
    proof: 'renyi.md 3',
    file: 'src/mechanism/kinds/bounded-range.ts',
    find: "attained: (m) => ({ kind: 'pure-dp', epsilon: (m.epsilon / 2) * DOWN }),",
    put: "attained: (m) => ({ kind: 'pure-dp', epsilon: m.epsilon }),",
    tests: [
      [
        'test/account/attained.test.ts',
        'bounded range: the adaptive worst case of several releases lies in the bracket',
      ],
    ],
  },
  {
    term: 'Renyi: bounded range is an eighth of the square',
    proof: 'renyi.md 4',
    file: 'src/mechanism/kinds/bounded-range.ts',
    find: 'rho: (m) => (m.epsilon * m.epsilon) / 8,',
    put: 'rho: (m) => (m.epsilon * m.epsilon) / 10,',
    tests: [
      ['test/account/attained.test.ts', 'many releases of bounded range are also concentrated, ε²/8 each'],
    ],
  },
];
