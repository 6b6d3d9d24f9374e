// What two builds said of one question: whether their brackets can both be right, and whether one has become wider.

/** A bracket wider than this, relatively, has lost what is promised by default. */
export const PROMISED = 1e-6;
/** Widths differ by less than this for no reason that matters. */
const SLACK = 1.05;

/** What a bracket without an end counts as wide. */
const BOUNDLESS = 1e300;

/** Relative width of a bracket; one that says that a number is 0 has none. */
export function widthOf({ lower, upper }) {
  if (upper === lower || upper === 0) return 0;
  return upper < Infinity ? (upper - lower) / Math.max(Math.abs(lower), Math.abs(upper)) : BOUNDLESS;
}

/**
 * One question of both builds.
 *
 * @param tolerance What was asked for: nothing within it is a loss.
 * @returns `apart`: no number is in both brackets; `lost`: the new one is wider than the tolerance, and than the old one.
 */
export function judged(before, after, tolerance = PROMISED) {
  if ('error' in before || 'error' in after) {
    const same = before.error === after.error;
    return { apart: !same, lost: false, width: 0, was: 0 };
  }
  const [was, width] = [widthOf(before), widthOf(after)];
  const apart = !(before.lower <= after.upper && after.lower <= before.upper);
  return { apart, lost: width > tolerance && width > SLACK * was, width, was };
}

/** The value below which this share of numbers lies. */
export function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/** One line a family from the rows that `compare` keeps: { family, cpu: [old, new], answers: [judged…] }. */
export function summary(rows) {
  const families = [...new Set(rows.map(({ family }) => family)), 'all'];
  const lines = families.map((family) => {
    const own = rows.filter((row) => family === 'all' || row.family === family);
    const answers = own.flatMap((row) => row.answers);
    const side = (i) => own.map(({ cpu }) => cpu[i]);
    const sums = [0, 1].map((i) => side(i).reduce((sum, ms) => sum + ms, 0));
    const at = (share) => [0, 1].map((i) => percentile(side(i), share).toFixed(1)).join(' → ');
    const count = (holds) => String(answers.filter(holds).length);
    return [
      family,
      String(own.length),
      String(answers.length),
      count(({ apart }) => apart),
      `${count(({ was }) => was > PROMISED)} → ${count(({ width }) => width > PROMISED)}`,
      count(({ lost }) => lost),
      percentile(
        answers.filter(({ was, width }) => was * width > 0).map(({ was, width }) => width / was),
        0.5,
      ).toFixed(2),
      Math.max(0, ...answers.map(({ lost, width }) => (lost ? width : 0))).toPrecision(2),
      sums.map((sum) => (sum / 1e3).toFixed(1)).join(' → '),
      (sums[1] / sums[0]).toFixed(2),
      percentile(
        own.map(({ cpu }) => cpu[1] / cpu[0]),
        0.5,
      ).toFixed(2),
      at(0.5),
      at(0.9),
      at(1),
    ];
  });
  const head = [
    'family',
    'runs',
    'answers',
    'apart',
    '> 1e-6',
    'lost',
    'median width',
    'widest lost',
    'CPU s',
    'ratio',
    'median ratio',
    'p50 ms',
    'p90 ms',
    'max ms',
  ];
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n');
}
