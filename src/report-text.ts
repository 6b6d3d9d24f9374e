import { bracketText, roundDecimal, shortDecimal } from './decimal.js';
import { describeMechanism } from './mechanism/describe.js';
import { stepsOf } from './mechanism/steps.js';
import type { Report } from './report-types.js';

const WIDTH = 78;
const MAX_PHASES_SHOWN = 12;

/**
 * A report as one page of plain text, at most 80 columns wide, for a paper's appendix. Every bracket
 * is rounded outwards, so what is printed contains the exact value too.
 */
export function formatReport(report: Report): string {
  const sections = [heading(report), phases(report), epsilons(report), summary(report), risks(report)];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function heading(report: Report): string[] {
  return [
    report.title,
    '='.repeat(Math.min(WIDTH, report.title.length)),
    ...field('Unit of privacy', UNITS[report.adjacency]),
    ...field('Sampling', SAMPLING[report.sampling] ?? report.sampling),
    ...field('Accounting', `${METHODS[report.method]}, relative tolerance ${shortDecimal(report.tolerance)}`),
    ...field('Computed by', `gdp-kernel ${report.version}, ${report.engine} engine`),
    ...field('Brackets', '[lower, upper] contains the exact value; upper is the safe end.'),
  ];
}

const SAMPLING: Readonly<Record<string, string>> = {
  poisson:
    'Poisson: each record joins each batch independently with the sampling rate (shuffled batches are not covered)',
};

const UNITS = {
  'add-remove': 'one training record, added or removed',
  'replace-one': 'one training record, replaced by another',
} as const;

const METHODS = {
  'closed-form': 'closed form',
  grid: 'privacy-loss grid (FFT), bounded on both sides',
  spectral: 'contour integral of the moment generating function, bounded on both sides',
} as const;

function phases({ mechanism }: Report): string[] {
  const rows = stepsOf(mechanism);
  if (rows.length === 0) return ['Mechanism: no step that reveals anything; nothing was released.'];
  const allGaussian = rows.every((row) => row.mechanism.kind === 'gaussian');
  const title = allGaussian ? 'Noise multiplier' : 'Mechanism';
  const texts = rows
    .slice(0, MAX_PHASES_SHOWN)
    .map((row) =>
      row.mechanism.kind === 'gaussian' && allGaussian
        ? shortDecimal(row.mechanism.noiseMultiplier)
        : describeMechanism(row.mechanism),
    );
  const width = Math.max(title.length, ...texts.map((text) => text.length)) + 3;
  const lines = [`Phase${title.padStart(width)}   Sampling rate        Steps`];
  for (const [i, text] of texts.entries()) {
    const { rate, count } = rows[i];
    const cells = [
      String(i + 1).padStart(5),
      text.padStart(width),
      shortDecimal(rate).padStart(16),
      String(count).padStart(13),
    ];
    lines.push(cells.join(''));
  }
  if (rows.length > MAX_PHASES_SHOWN) {
    lines.push(`  ... and ${rows.length - MAX_PHASES_SHOWN} more phases, all counted.`);
  }
  return lines;
}

function epsilons({ epsilonAtDelta }: Report): string[] {
  return [
    '(epsilon, delta)-differential privacy',
    ...epsilonAtDelta.map(
      ({ delta, epsilon }) =>
        `  delta = ${shortDecimal(delta).padEnd(8)}  epsilon in ${bracketText(epsilon)}`,
    ),
  ];
}

function summary(report: Report): string[] {
  const windowText = `error rates down to ${shortDecimal(report.alphaMin)}`;
  return [
    'Gaussian differential privacy',
    ...field('  mu', `${bracketText(report.mu)}, for ${windowText}`),
    ...field('  regret', bracketText(report.regret)),
    ...field('  mu at the tail', `${bracketText(report.tailMu)}, the limit as the window opens to 0`),
    ...field('  tier', report.mu.upper < Infinity ? TIERS[report.tier] : NO_FINITE_MU),
  ];
}

const TIERS = {
  I: 'I: regret is below 0.01, so mu alone describes the whole trade-off curve to within that.',
  II: 'II: regret is at least 0.01, so mu alone is too coarse; publish the trade-off table below with it.',
  undecided: 'undecided: the regret bracket contains 0.01; publish the trade-off table below with mu.',
} as const;

const NO_FINITE_MU = 'none: no finite mu is certified; publish the trade-off table below.';

function risks(report: Report): string[] {
  const lines = [
    'Membership inference: how well any attack can tell whether a record was used',
    ...field('  advantage', `${bracketText(report.advantage)} (best TPR - FPR)`),
    '',
    '  False positive rate   True positive rate of the best attack',
    ...report.truePositiveRate.map(
      ({ falsePositiveRate, truePositiveRate }) =>
        `  ${shortDecimal(falsePositiveRate).padEnd(22)}${bracketText(truePositiveRate)}`,
    ),
    '',
    '  FPR alpha             Least possible false negative rate beta = f(alpha)',
    ...report.tradeoff.map(({ alpha, beta }) => `  ${alphaText(alpha).padEnd(22)}${bracketText(beta)}`),
    '',
    ...riskSentences(report).flatMap((sentence) => wrap(sentence, WIDTH)),
  ];
  return lines;
}

/** A rate that was computed (the α of the largest advantage) has many digits; five place it. */
function alphaText(alpha: number): string {
  const short = shortDecimal(alpha);
  return short.length <= 10 ? short : `about ${Number(alpha.toPrecision(5))}`;
}

/**
 * What the numbers mean to somebody who is not of the field. Each uses the safe end and holds for
 * every attack on the released run, whatever it knows of the other records.
 */
export function riskSentences(report: Report): string[] {
  const sentences: string[] = [];
  const { advantage } = report;
  if (advantage.upper >= 1) {
    sentences.push(
      'No guarantee against membership inference is given: an attack that is always right is not excluded.',
    );
  } else {
    const success = roundDecimal(halfPlusHalf(advantage.upper), 'up', { digits: 4, shift: 2 });
    sentences.push(
      `Shown the released run and one record that was used with probability 1/2, no attack says correctly whether it was used more often than ${success} % of the time (50 % is guessing).`,
    );
  }
  for (const { falsePositiveRate, truePositiveRate } of report.truePositiveRate) {
    if (falsePositiveRate !== 0.001 || truePositiveRate.upper >= 1) continue;
    const detected = roundDecimal(truePositiveRate.upper, 'up', { digits: 3, shift: 2 });
    sentences.push(
      `An attack that wrongly accuses at most 1 in 1,000 records that were not used recognises at most ${detected} % of the records that were.`,
    );
  }
  sentences.push(
    'Both hold whatever the attack knows of the other records and however much it computes, provided that the run sampled and added noise as stated above.',
  );
  return sentences;
}

/** (1 + a)/2, never below the exact value: rounded up where the halving or the sum is not exact. */
function halfPlusHalf(advantage: number): number {
  const half = advantage / 2;
  const sum = 0.5 + half;
  const isExact = half * 2 === advantage && sum - 0.5 === half;
  return isExact ? sum : Math.min(1, sum * (1 + 2 ** -52));
}

/** `name` in a column, then `text`, wrapped and indented. */
function field(name: string, text: string): string[] {
  const [first = '', ...rest] = wrap(text, WIDTH - 19);
  return [`${name.padEnd(19)}${first}`, ...rest.map((line) => ' '.repeat(19) + line)];
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
