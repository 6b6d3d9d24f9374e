const JOINT = 'test/mechanism/joint.test.ts';
const INTEGRATED = 'Gaussian and Laplace noise on one sample, integrated: $sigma, $most, $rate';
const VECTOR = 'test/mechanism/discrete-gaussian-vector.test.ts';
const EVERY_CHANGE = 'one release, every change listed: $sigma, $squared in $dimension, $sum';

/** Products of laws: several releases on one sample, several numbers of one release. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const PRODUCTS = [
  {
    term: 'one sample: every release on it counts',
    proof: 'joint.md 1',
    file: 'src/mechanism/steps.ts',
    find: 'steps.map(({ mechanism: inner, count: times })',
    put: 'steps.slice(1).map(({ mechanism: inner, count: times })',
    tests: [
      [JOINT, 'finitely many losses on one sample, every output listed: %s'],
      [JOINT, 'without replacement, one record replaced: twice the sensitivities'],
      [JOINT, 'two steps, each with two releases on its sample'],
    ],
  },
  {
    term: 'one sample: the Gaussian releases are part of the product',
    proof: 'joint.md 2',
    file: 'src/mechanism/kinds/joint.ts',
    find: 'if (square === 0) return factors;',
    put: 'if (square >= 0) return factors;',
    tests: [
      [JOINT, INTEGRATED],
      [JOINT, 'twenty steps of noise of two kinds agree with simulated outputs'],
    ],
  },
  {
    term: 'one sample: a product of continuous losses has all its factors',
    proof: 'joint.md 2',
    file: 'src/law/product-atoms.ts',
    find: 'whole = product(whole, bySquares<Masses | undefined>(given.masses, count, product));',
    put: 'whole = bySquares<Masses | undefined>(given.masses, count, product);',
    tests: [[JOINT, 'two Laplace releases on one sample, integrated: $first, $second, $rate']],
  },
  {
    term: 'one sample: losses moved to a lattice move the masses under P',
    proof: 'joint.md 5',
    file: 'src/law/product-atoms.ts',
    find: 'relative: relative + off + 8 * U * (1 + furthest),',
    put: 'relative: relative + 8 * U * (1 + furthest),',
    tests: [
      [
        'test/law/stated-errors.test.ts',
        'products whose losses are moved to a lattice: both directions, and tests',
      ],
    ],
  },
  {
    term: 'one sample: the share of a cell at its upper end',
    proof: 'joint.md 3',
    file: 'src/law/meshed-atoms.ts',
    find: 'give(cell + 1, (q * expm1(-inside)) / fall);\n    give(cell, (q * expm1(step - inside)) / rise);\n  });',
    put: 'give(cell, q);\n  });',
    tests: [
      [JOINT, 'ends of cells dominate, cells are dominated: %s'],
      [JOINT, 'atoms are split between the multiples next to them'],
    ],
  },
  {
    term: 'one sample: what Q has too little of counts by its mass under P',
    proof: 'joint.md 5',
    file: 'src/law/meshed-atoms.ts',
    find: 'lost += up(Math.max(p, q), 1e-12);',
    put: '',
    tests: [
      [
        'test/mechanism/one-sample.test.ts',
        'all mass of little noise is on the mesh or counted beside it: σ = %d',
      ],
    ],
  },
  {
    term: 'one sample: masses of products under P are sums of their own where those under Q are lost',
    proof: 'joint.md 5',
    file: 'src/law/product-atoms.ts',
    find: "own ? convolved(a, b, 'p', at)",
    put: "lattice.merged ? convolved(a, b, 'p', at)",
    tests: [
      [
        'test/mechanism/one-sample.test.ts',
        'products of losses of hundreds count the mass that doubles lose',
      ],
    ],
  },
  {
    term: 'one sample: what a cell has under P',
    proof: 'joint.md 4',
    file: 'src/law/meshed-atoms.ts',
    find: 'masses.set(cell, [p + base, q + mass]);',
    put: 'masses.set(cell, [p + base * exp(-step / 2), q + mass]);',
    tests: [[JOINT, 'ends of cells dominate, cells are dominated: %s']],
  },
  {
    term: 'one sample: the panels of a cell',
    proof: 'joint.md 5',
    file: 'src/law/meshed-atoms.ts',
    find: 'width * weight[i] * exp(logDensity(loss))',
    put: 'width * weight[i] * exp(logDensity(start + width * panel))',
    tests: [[JOINT, INTEGRATED]],
  },
  {
    term: 'discrete Gaussian vectors: the largest entry there is room for',
    proof: 'discrete-vector.md 1',
    file: 'src/law/discrete-vector.ts',
    find: 'Math.floor(Math.sqrt(squared - norm)));',
    put: 'Math.ceil(Math.sqrt(squared - norm)) - 1);',
    tests: [[VECTOR, EVERY_CHANGE]],
  },
  {
    term: 'discrete Gaussian vectors: what is left out of a product gives all away',
    proof: 'discrete-vector.md 6',
    file: 'src/law/product-atoms.ts',
    find: 'if (!kept) lost += Math.max(p[i], q[i]);',
    put: '',
    tests: [[VECTOR, 'what is left out of a product is counted as giving all away']],
  },
  {
    term: 'discrete Gaussian vectors: every change of which no entry can grow',
    proof: 'discrete-vector.md 2',
    file: 'src/law/discrete-vector.ts',
    find: 'for (let s = largest; s >= 1; s--)',
    put: 'for (let s = largest; s >= largest; s--)',
    tests: [
      [VECTOR, 'the worst changes are those of which no entry can grow'],
      [VECTOR, 'two releases, the second change chosen by what the first one showed'],
    ],
  },
  {
    term: 'discrete Gaussian vectors: the largest delta of all changes',
    proof: 'discrete-vector.md 3',
    file: 'src/law/discrete-vector.ts',
    find: 'const delta = Math.max(...runs',
    put: 'const delta = Math.min(...runs',
    tests: [
      [VECTOR, EVERY_CHANGE],
      [VECTOR, 'on a Poisson sample, both directions'],
      [VECTOR, 'two releases, the second change chosen by what the first one showed'],
    ],
  },
  {
    term: 'discrete Gaussian vectors: one record replaced doubles the norm',
    proof: 'discrete-vector.md 4',
    file: 'src/mechanism/kinds/discrete-gaussian-vector.ts',
    find: 'const times = m.replaced ? 2 : 1;',
    put: 'const times = 1;',
    tests: [[VECTOR, 'one record replaced: changes that differ by two vectors, below twice the norm']],
  },
  {
    term: 'discrete Gaussian vectors: the rho of all entries',
    proof: 'discrete-vector.md 5',
    file: 'src/mechanism/kinds/discrete-gaussian-vector.ts',
    find: 'sum * sum) / (2 *',
    put: 'sum * sum) / (2.5 *',
    tests: [
      [VECTOR, 'many changes that could be worst: zCDP from above, vectors that are admissible from below'],
    ],
  },
];
