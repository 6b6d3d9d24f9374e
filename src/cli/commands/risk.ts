import { type Risk, type RiskOptions, risk as riskOf } from '../../index.js';
import { shortDecimal } from '../../text/decimal.js';
import { oneIn, percentUp } from '../../text/rounded.js';
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

function textOf(answer: Risk, shown: Shown): string {
  const { singlingOut } = answer;
  return [
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
    `\n${sentences(answer).join('\n')}\n`,
  ].join('');
}

/** The numbers as a person reads them, each at its safe end. */
function sentences({
  advantage,
  truePositiveRate,
  bayesError,
  positivePredictiveValue,
  reconstruction,
}: Risk): string[] {
  const most = bayesError.find(({ prior }) => prior === 0.5);
  return [
    advantage.upper >= 1
      ? 'An attack that is always right about one record is not ruled out.'
      : most === undefined
        ? ''
        : `A record was used or left out by the toss of a coin. No attacker is right about it more than ${percentUp(1 - most.bayesError.lower, 4)} % of the time. A guess is right 50 % of the time.`,
    ...truePositiveRate.map(
      ({ falsePositiveRate, truePositiveRate: { upper } }) =>
        `With false alarms for ${oneIn(falsePositiveRate)} unused records, an attack finds at most ${percentUp(upper, 4)} % of the used ones.`,
    ),
    ...positivePredictiveValue.map(
      ({ prior, falsePositiveRate, positivePredictiveValue: { upper } }) =>
        `Where ${shortDecimal(100 * prior)} % of the records were used, its alarms at ${oneIn(falsePositiveRate)} are right at most ${percentUp(upper, 4)} % of the time.`,
    ),
    ...reconstruction.map(
      ({ baseline, reconstruction: { upper } }) =>
        `Someone with a chance of ${oneIn(baseline)} to guess a secret in one record has a chance of at most ${percentUp(upper, 4)} % after the release.`,
    ),
    'These hold for the most exposed record and for every attack. A common record is exposed less.',
  ].filter((sentence) => sentence !== '');
}
