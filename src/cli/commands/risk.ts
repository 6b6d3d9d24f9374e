import { type Risk, type RiskOptions, risk as riskOf } from '../../index.js';
import { shortDecimal } from '../../text/decimal.js';
import { oneIn, percentUp, roughText } from '../../text/rounded.js';
import type { Args } from '../args.js';
import type { Command } from '../command.js';
import { UsageError } from '../errors.js';
import { list, value } from '../flags.js';
import { DIGITS_FLAGS, FORMATS, line, type Shown, shownOf, toJson } from '../output.js';
import { PHASE_FLAGS } from '../phase.js';
import { RUN_FLAGS, RUN_OPERAND } from '../run-source.js';
import { FORMULA_FLAGS, subjectOf } from '../subject-source.js';

const SHARE = 'a number in (0, 1)';

export const risk: Command = {
  name: 'risk',
  usage: 'FILE|- [--prior P] [--fpr A] [--baseline K]',
  summary: 'what the best attack on one record reaches',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    ...FORMULA_FLAGS,
    prior: list(
      'P[,P...]',
      'probability before the release that the record was used,\nrepeatable (default 0.5)',
    ),
    fpr: list('A[,A...]', 'false positive rate of a membership test, repeatable\n(default 0.001,0.01,0.1)'),
    baseline: list(
      'K[,K...]',
      'best chance of guessing a secret without the release,\nrepeatable (default 1e-6,0.001,0.1)',
    ),
    secrets: list('N[,N...]', 'secrets of N records guessed together, repeatable'),
    'singling-out': value('W,N', 'a predicate of weight W that one of N records meets'),
    ...DIGITS_FLAGS,
    ...RUN_FLAGS,
  },
  async run(args, context) {
    const options = optionsOf(args);
    const { subject, provenance } = await subjectOf(args, context, 'risk');
    const answer = riskOf(subject, options);
    return args.has('json') ? toJson({ ...answer, ...provenance }) : textOf(answer, shownOf(args));
  },
};

function optionsOf(args: Args): RiskOptions {
  const shares = (flag: string): number[] | undefined => {
    const given = args.numbers(flag, SHARE, (x) => x > 0 && x < 1);
    return given.length > 0 ? given : undefined;
  };
  const [priors, falsePositiveRates, baselines] = ['prior', 'fpr', 'baseline'].map(shares);
  const secrets = args.numbers('secrets', 'a whole number from 2 to 10000');
  const given = args.text('singling-out');
  const [weight, size, ...rest] = (given ?? '').split(',').map(Number);
  const whole = Number.isInteger(size) && size >= 1 && size <= 1e12;
  if (given !== undefined && !(weight > 0 && weight < 1 && whole && rest.length === 0))
    throw new UsageError(
      `"--singling-out" must be a weight in (0, 1) and a number of records, as in 1e-6,50000, got "${given}"`,
    );
  return {
    ...(priors && { priors }),
    ...(falsePositiveRates && { falsePositiveRates }),
    ...(baselines && { baselines }),
    secrets,
    ...(given !== undefined && { singlingOut: { weight, size } }),
  };
}

/** What the names of the table are short for. */
const NAMES =
  'The same by their names. FPR: unused records called used. TPR: used records called used.\nPPV(prior, FPR): records called used that were.';

function textOf(answer: Risk, shown: Shown): string {
  const { singlingOut } = answer;
  const table = [
    line('advantage', answer.advantage, shown, FORMATS.rate),
    ...answer.truePositiveRate.map(({ falsePositiveRate, truePositiveRate }) =>
      line(`TPR at FPR ${shortDecimal(falsePositiveRate)}`, truePositiveRate, shown, FORMATS.rate),
    ),
    ...answer.bayesError.map(({ prior, bayesError }) =>
      line(`error at prior ${shortDecimal(prior)}`, bayesError, shown, FORMATS.missRate),
    ),
    ...answer.positivePredictiveValue.map(({ prior, falsePositiveRate, positivePredictiveValue }) =>
      line(
        `PPV(${shortDecimal(prior)}, ${shortDecimal(falsePositiveRate)})`,
        positivePredictiveValue,
        shown,
        FORMATS.rate,
      ),
    ),
    ...answer.reconstruction.map(({ baseline, reconstruction }) =>
      line(`secret guessed at ${shortDecimal(baseline)}`, reconstruction, shown, FORMATS.rate),
    ),
    ...answer.severalSecrets.flatMap(({ secrets, baseline, all, any }) => [
      line(
        `all of ${secrets}, from ${shortDecimal(baseline)}`,
        { lower: all.upper, upper: all.upper },
        shown,
        FORMATS.rate,
      ),
      line(`any of ${secrets}, from ${shortDecimal(baseline)}`, any, shown, FORMATS.rate),
    ]),
    singlingOut === undefined
      ? ''
      : line(
          'singled out',
          { lower: singlingOut.singlingOut.upper, upper: singlingOut.singlingOut.upper },
          shown,
          FORMATS.rate,
        ),
  ].join('');
  return `${sentences(answer).join('\n')}\n\n${NAMES}\n${table}`;
}

/** The numbers as a person reads them, each at its safe end, and beside it what is reached without the release. */
function sentences(answer: Risk): string[] {
  const parts = (share: number): string => `${roughText(100 * share)} %`;
  const most = (share: number): string => `at most ${percentUp(share, 4)} %`;
  const times = (share: number): string =>
    `${oneIn(share)
      .replace(' in ', ' time in ')
      .replace(/^(?!1 )(\S+) time/, '$1 times')}`;
  const { singlingOut } = answer;
  return [
    'The release is all that the model or the statistics make public. An attack knows it, and everything about all other records.',
    ...(answer.advantage.upper >= 1
      ? ['An attack that is always right about one record is not ruled out.']
      : answer.bayesError.map(({ prior, bayesError }) =>
          prior === 0.5
            ? `A coin decides whether one record is used. An attack tells which it was ${most(1 - bayesError.lower)} of the time. Without the release it is right 50 % of the time.`
            : `A record is used with a chance of ${parts(prior)}. An attack tells whether it was ${most(1 - bayesError.lower)} of the time. Without the release it is right ${parts(Math.max(prior, 1 - prior))} of the time.`,
        )),
    ...answer.truePositiveRate.map(
      ({ falsePositiveRate, truePositiveRate: { upper } }) =>
        `An attack that wrongly calls ${oneIn(falsePositiveRate)} unused records used finds ${most(upper)} of the used ones. Without the release it finds ${parts(falsePositiveRate)}.`,
    ),
    ...answer.positivePredictiveValue.map(
      ({ prior, falsePositiveRate, positivePredictiveValue: { upper } }) =>
        `Where ${parts(prior)} of the records were used, its calls are right ${most(upper)} of the time (wrong calls: ${oneIn(falsePositiveRate)} unused records). Without the release they are right ${parts(prior)} of the time.`,
    ),
    ...answer.reconstruction.map(
      ({ baseline, reconstruction: { upper } }) =>
        `A secret in one record that is guessed ${times(baseline)} without the release is guessed ${most(upper)} of the time with it.`,
    ),
    ...answer.severalSecrets.map(
      ({ secrets, baseline, all, any }) =>
        `Of ${secrets} such secrets in ${secrets} records (${times(baseline)} each), all are guessed ${most(all.upper)} of the time, and one or more ${most(any.upper)}.`,
    ),
    ...(singlingOut === undefined
      ? []
      : [
          `A description that fits ${oneIn(singlingOut.weight)} people fits exactly one of the ${roughText(singlingOut.size)} records ${most(singlingOut.singlingOut.upper)} of the time, however it is chosen from the release.`,
        ]),
    'These are limits: no attack does better on any record.',
  ];
}
