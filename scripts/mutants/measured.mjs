const MEASURED = 'test/kernel/run-measure.test.ts';
const KNOWN = 'delta known to $width, off to side $side, rates by $miss';
const WORSE =
  'the worse direction counts, and where adding a record is asked for no more, what is known of it before';
const MEASURE = 'assembly/measure.ts';
const REGRET = 'assembly/regret.ts';
const CURVE = 'assembly/curve.ts';
const TESTS = 'assembly/best-tests.ts';
const OPEN = 'test/kernel/open-run.test.ts';
const POWERS = '$name, off to side $side';
const ADDING = 'test/kernel/run-adding.test.ts';
const ABOVE = '%d steps: bounds from moments, and chords from 0, are above';
const CLOSED = 'one step by its closed form holds all vectors';
const ORDER = 'say and cost the same in both engines, in any order';

/** μ and regret of a whole run, in one call of the kernel. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const MEASURES = [
  {
    term: 'mu of a run: only tests in the window raise its lower end',
    proof: 'regret.md 6',
    file: MEASURE,
    find: 'if (rate >= this.logAlpha) this.raise(own);',
    put: 'if (rate > -Infinity) this.raise(own);',
    tests: [[MEASURED, KNOWN]],
  },
  {
    term: 'mu of a run: the lower end from delta from below',
    proof: 'regret.md 6',
    file: MEASURE,
    find: 'const low = points.get(LOWER, i);',
    put: 'const low = points.get(UPPER, i);',
    tests: [[MEASURED, KNOWN]],
  },
  {
    term: 'mu of a run: the rate of a test by delta from above at the larger epsilon',
    proof: 'regret.md 6',
    file: 'assembly/bound/lines-below.ts',
    find: 'const rise = lower + logOf(-expm1Of(upper - lower));',
    put: 'const rise = lower;',
    tests: [[MEASURED, KNOWN]],
  },
  {
    term: 'mu of a run: corners of lines by delta from above',
    proof: 'regret.md 7',
    file: MEASURE,
    find: `          points.get(AT, i),
          points.get(UPPER, i),
          points.get(AT, i + 1),
          points.get(UPPER, i + 1),`,
    put: `          points.get(AT, i),
          points.get(LOWER, i),
          points.get(AT, i + 1),
          points.get(LOWER, i + 1),`,
    tests: [[MEASURED, KNOWN]],
  },
  {
    term: 'mu of a run: the edge of the window',
    proof: 'regret.md 7',
    file: MEASURE,
    find: 'this.upper = Math.max(Math.max(edge, this.lower), this.worst());',
    put: 'this.upper = Math.max(this.lower, this.worst());',
    tests: [[MEASURED, KNOWN]],
  },
  {
    term: 'mu of a run: the power at the edge by delta from below',
    proof: 'regret.md 4',
    file: TESTS,
    find: 'setFour(k, x, curve.lower, curve.upper, logAlpha);',
    put: 'setFour(k, x, curve.upper, curve.upper, logAlpha);',
    tests: [
      [MEASURED, KNOWN],
      [OPEN, POWERS],
    ],
  },
  {
    term: 'regret of a run: least errors from above by delta from below',
    proof: 'regret.md 8',
    file: REGRET,
    find: '-expm1Of(this.points.get(LOWER, i)) + SLACK;',
    put: '-expm1Of(this.points.get(UPPER, i)) + SLACK;',
    tests: [[MEASURED, KNOWN]],
  },
  {
    term: 'regret of a run: least errors from below by delta from above',
    proof: 'regret.md 8',
    file: REGRET,
    find: '-expm1Of(this.points.get(UPPER, i)) - SLACK;',
    put: '-expm1Of(this.points.get(LOWER, i)) - SLACK;',
    tests: [[MEASURED, KNOWN]],
  },
  {
    term: 'regret of a run: what lies between two points',
    proof: 'regret.md 8',
    file: REGRET,
    find: 'return Math.max(Math.max(atFrom, atTo), there);',
    put: 'return Math.max(atFrom, atTo);',
    tests: [[MEASURED, KNOWN]],
  },
  {
    term: 'regret of a run: the largest mu of the bracket, from above',
    proof: 'regret.md 8',
    file: REGRET,
    find: 'points.set(OWN, i, this.gaussianAt(this.most, points.get(AT, i)));',
    put: 'points.set(OWN, i, this.gaussianAt(this.least, points.get(AT, i)));',
    tests: [[MEASURED, KNOWN]],
  },
  {
    term: 'regret of a run: the least mu of the bracket, from below',
    proof: 'regret.md 8',
    file: REGRET,
    find: 'this.gaussianAt(this.least, points.get(AT, i)) + SLACK;',
    put: 'this.gaussianAt(this.most, points.get(AT, i)) + SLACK;',
    tests: [[MEASURED, KNOWN]],
  },
  {
    term: 'many points: adding a record, where that is the worse direction',
    file: CURVE,
    find: 'most = Math.min(most, adding.upper);',
    put: 'most = -Infinity;',
    tests: [[MEASURED, WORSE]],
  },
  {
    term: 'many points: adding a record, beyond the end of its line',
    file: CURVE,
    find: 'adding.answer(Math.min(x, this.endAdding));\n      most = Math.min(most, adding.upper);',
    put: 'adding.answer(Math.min(x, this.endAdding));\n      most = x > this.endAdding ? -Infinity : Math.min(most, adding.upper);',
    tests: [[MEASURED, WORSE]],
  },
  {
    term: 'powers of a run: from above by delta from above',
    proof: 'regret.md 4',
    file: TESTS,
    find: 'logLineAt(near, curve.upper, logAlpha)',
    put: 'logLineAt(near, curve.lower, logAlpha)',
    tests: [[OPEN, POWERS]],
  },
  {
    term: 'powers of a run: what lies before four points counts',
    proof: 'regret.md 4',
    file: TESTS,
    find: 'leastByFour(at, apart, isCorner)',
    put: 'leastByFour(at, apart, true)',
    tests: [[OPEN, POWERS]],
  },
  {
    term: 'an open run: a question pays for lines that are there',
    file: CURVE,
    find: 'spendAgain(this.rungs[k].cost, this.rungs[k].made);',
    put: '',
    tests: [[OPEN, ORDER]],
  },
  {
    term: 'an open run: what an allowance ended is asked again with more of it',
    file: CURVE,
    find: 'if (workLeft() > this.tooFew) return this.lay(k);',
    put: 'if (this.tooFew < 0) return this.lay(k);',
    tests: [[OPEN, ORDER]],
  },
  {
    term: 'many points: adding a record, where it has no line',
    proof: 'contour.md 17',
    file: CURVE,
    find: 'let most = this.bound.at(x);',
    put: 'let most: f64 = -Infinity;',
    tests: [[MEASURED, WORSE]],
  },
  {
    term: 'adding a record: moments of the loss',
    proof: 'contour.md 16',
    file: 'assembly/bound/adding.ts',
    find: 'loadF64(row, 8) - drift + loadF64(row, 16) + 1e-13 * drift',
    put: 'loadF64(row, 8) - 1.5 * drift',
    tests: [[ADDING, ABOVE]],
  },
  {
    term: 'adding a record: no loss is larger than that of the steps together',
    proof: 'contour.md 16',
    file: 'assembly/bound/adding.ts',
    find: 'largest -= loadF64(at, 16) * log1pOf(-loadF64(at, 8));',
    put: 'largest -= log1pOf(-loadF64(at, 8));',
    tests: [[ADDING, ABOVE]],
  },
  {
    term: 'adding a record: chords of delta over the exponential of epsilon',
    proof: 'contour.md 17',
    file: 'assembly/bound/adding.ts',
    find: '(this.fall * expm1Of(x)) / expm1Of(this.end)',
    put: '(this.fall * x) / this.end',
    tests: [[ADDING, ABOVE]],
  },
  {
    term: 'adding a record: what a chord falls by',
    proof: 'contour.md 17',
    file: 'assembly/bound/adding.ts',
    find: 'this.fall = fall * (1 - 1e-14);',
    put: 'this.fall = 1;',
    tests: [[ADDING, ABOVE]],
  },
  {
    term: 'one step: the rate times delta of a Gaussian',
    proof: 'contour.md 18',
    file: 'assembly/bound/single.ts',
    find: 'least * (1 + SLACK) + this.logQ - slack',
    put: 'least * (1 + SLACK) - slack',
    tests: [[ADDING, CLOSED]],
  },
  {
    term: 'one step: epsilon of the Gaussian',
    proof: 'contour.md 18',
    file: 'assembly/bound/single.ts',
    find: 'log1pOf(expm1Of(x) / this.q)',
    put: '(x / this.q)',
    tests: [[ADDING, CLOSED]],
  },
];
