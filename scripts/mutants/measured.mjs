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
    find: 'this.upper = Math.max(this.upper, adding.upper);',
    put: '',
    tests: [[MEASURED, WORSE]],
  },
  {
    term: 'many points: adding a record, beyond the end of its line',
    file: CURVE,
    find: 'this.upper = Math.max(this.upper, this.most);',
    put: '',
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
];
