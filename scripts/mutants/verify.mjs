// What `verify` states of its own value: every term of its error.
const INTEGRAL = 'test/certificate/integral.test.ts';
const CERTIFICATE = 'test/certificate/certificate.test.ts';
const GOLDEN = '$kind e0 $e0 s $s q $q, $n steps, ε $epsilon: within its error';
const QUADRATURE = '%s: within rounding as planned, within what is stated where nodes are too few';
const DECAY = 'φ beyond a frequency is below its bound, and the bound falls';
const ALIASING = 'aliasing, frequencies too far apart: %s';
const TRUNCATION = 'truncation, ended at a thousandth: %s';
const ROUNDING = 'rounding of count·log M is counted: 1e12 steps';
const LATTICE = 'the place of a lattice is known to its error: off by %d';
const SUMS = 'src/certificate/integral.ts';
const LAWS = 'src/certificate/laws.ts';
const NODES = 'src/certificate/sums.ts';

/** @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const VERIFY = [
  {
    term: 'verify: the kernel has both poles',
    proof: 'verify.md 1',
    file: SUMS,
    find: 'const [a, b] = [c * (c - 1) - tau * tau, tau * (2 * c - 1)];',
    put: 'const [a, b] = [c * c - tau * tau, tau * (2 * c)];',
    tests: [
      [CERTIFICATE, '%s: confirmed by the other route, refuted when moved'],
      [INTEGRAL, GOLDEN],
    ],
  },
  {
    term: 'verify: what is δ at larger ε counts as aliasing',
    proof: 'verify.md 2',
    file: SUMS,
    find: 'return right + left;',
    put: 'return left;',
    tests: [[INTEGRAL, ALIASING]],
  },
  {
    term: 'verify: what is δ at smaller ε counts as aliasing',
    proof: 'verify.md 2',
    file: SUMS,
    find: 'return right + left;',
    put: 'return right;',
    tests: [[INTEGRAL, ALIASING]],
  },
  {
    term: 'verify: aliasing is part of the error',
    proof: 'verify.md 2',
    file: SUMS,
    find: 'aliasing: share(aliasing(line, h, on)),',
    put: 'aliasing: 0,',
    tests: [[INTEGRAL, ALIASING]],
  },
  {
    term: 'verify: terms left out are charged',
    proof: 'verify.md 3',
    file: SUMS,
    find: 'truncation: share(left.truncation),',
    put: 'truncation: 0,',
    tests: [
      [INTEGRAL, TRUNCATION],
      [INTEGRAL, 'what comes into phase again for ever is charged as one: 100 Laplace steps'],
    ],
  },
  {
    term: 'verify: |φ| changes by the spread',
    proof: 'verify.md 3',
    file: NODES,
    find: 'this.spread = 1.001 * Math.sqrt(',
    put: 'this.spread = 0.9 * Math.sqrt(',
    tests: [[INTEGRAL, '|φ| changes no faster than the spread']],
  },
  {
    term: 'verify: rounding of count·log M is counted',
    proof: 'verify.md 4',
    file: SUMS,
    find: 'rounding: share(left.rounding) + line.errors.rounding + 4 * U * (Math.abs(value) + 1),',
    put: 'rounding: share(left.rounding) + 4 * U * (Math.abs(value) + 1),',
    tests: [[INTEGRAL, ROUNDING]],
  },
  {
    term: 'verify: the place of a lattice is rounded',
    proof: 'verify.md 4',
    file: SUMS,
    find: 'shift: (8 + phases.length) * U * (size + Math.abs(epsilon)) + Math.abs(off)',
    put: 'shift: 0 * size',
    tests: [[INTEGRAL, LATTICE]],
  },
  {
    term: 'verify: the atom at the least loss of Laplace noise',
    proof: 'verify.md 5',
    file: LAWS,
    find: 'const excess = (-0.5 * without * (c - 1)) / alpha;',
    put: 'const excess = (0.5 * without) / alpha;',
    tests: [
      [INTEGRAL, QUADRATURE],
      [INTEGRAL, GOLDEN],
    ],
  },
  {
    term: 'verify: M of Laplace noise has the digits of c − 1',
    proof: 'verify.md 5',
    file: LAWS,
    find: 'const excess = (-0.5 * without * (c - 1)) / alpha;',
    put: 'const excess = 0.5 * without * (0.5 / alpha - 1);',
    tests: [[INTEGRAL, GOLDEN]],
  },
  {
    term: 'verify: nodes over the outputs of sampled Gaussian noise',
    proof: 'verify.md 6',
    file: NODES,
    find: 'Math.min(2, (2 * own.exp(growth(tau) - decay)) / -own.expm1(-decay))',
    put: '0 * growth(tau) * decay',
    tests: [[INTEGRAL, QUADRATURE]],
  },
  {
    term: 'verify: nodes between the atoms of sampled Laplace noise',
    proof: 'verify.md 7',
    file: NODES,
    find: 'Math.min(2, (4 / 3) * 4 ** (1 - 2 * NODES.length) * own.exp(growth))',
    put: '0 * growth',
    tests: [[INTEGRAL, QUADRATURE]],
  },
  {
    term: 'verify: rounding of φ grows with the frequency',
    proof: 'verify.md 4',
    file: NODES,
    find: 'Math.abs(b) * this.#rounding)',
    put: '0 * this.#rounding)',
    tests: [[INTEGRAL, QUADRATURE]],
  },
  {
    term: 'verify: the atoms of Laplace noise never fade',
    proof: 'verify.md 8',
    file: NODES,
    find: 'return (tau) => held + (2 * (first + last)) / tau;',
    put: 'return (tau) => (2 * (first + last)) / tau;',
    tests: [[INTEGRAL, DECAY]],
  },
  {
    term: 'verify: outputs whose losses are dense count whole',
    proof: 'verify.md 8',
    file: NODES,
    find: '1 - within * d + (4 * height) / tau + 1e-9',
    put: '(4 * height) / tau + 1e-9',
    tests: [[INTEGRAL, DECAY]],
  },
  {
    term: 'verify: sines of large numbers know enough digits of π',
    proof: 'verify.md 9',
    file: 'src/certificate/elementary.ts',
    find: 'const BITS = 1200n;',
    put: 'const BITS = 900n;',
    tests: [
      [
        'test/certificate/elementary.test.ts',
        'sin, cos and atan2 are within two ulps of mpmath, where digits cancel as well',
      ],
    ],
  },
  {
    term: 'verify: what a reduction rounds off is carried into the sine',
    proof: 'verify.md 9',
    file: 'src/certificate/elementary.ts',
    find: 'tail = left - rest - lost;',
    put: 'tail = 0;',
    tests: [
      [
        'test/certificate/elementary.test.ts',
        'sin, cos and atan2 are within two ulps of mpmath, where digits cancel as well',
      ],
    ],
  },
];
