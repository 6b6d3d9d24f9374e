import { type Risk, type RiskOptions, risk as riskOf } from '../../index.js';
import type { Bracket } from '../../numeric/bracket.js';
import { roundDecimal, shortDecimal } from '../../text/decimal.js';
import { grouped, oneIn, percentUp, roughText } from '../../text/rounded.js';
import { type Args, given, UsageError } from '../args.js';
import { type Command, list, value } from '../command.js';
import { FORMATS, line, printed, type Safe, type Shown, shownOf } from '../output.js';
import { RUN_OPERAND } from '../run-source.js';
import { FORMULA_FLAGS, subjectOf } from '../subject-source.js';

const share = (shown: string, help: string) => list(shown, help, 'a number in (0, 1)');

export const risk: Command = {
  name: 'risk',
  usage: 'FILE|- [--prior P] [--fpr A] [--baseline K]',
  summary: 'what the best attack on one record reaches',
  examples: ['gdp risk state.json', 'gdp risk state.json --prior 0.1 --baseline 0.001 --secrets 2'],
  operand: RUN_OPERAND,
  flags: {
    ...FORMULA_FLAGS,
    prior: share(
      'P[,P...]',
      'probability before the release that the record was used,\nrepeatable (default 0.5)',
    ),
    fpr: share('A[,A...]', 'false positive rate of a membership test, repeatable\n(default 0.001,0.01,0.1)'),
    baseline: share(
      'K[,K...]',
      'best chance of guessing a secret without the release,\nrepeatable (default 1e-6,0.001,0.1)',
    ),
    secrets: list(
      'N[,N...]',
      'secrets of N records guessed together, repeatable',
      'a whole number from 2 to 10000',
    ),
    'singling-out': value('W,N', 'a predicate of weight W that one of N records meets'),
  },
  async run(args, context) {
    const options = optionsOf(args);
    const { subject, provenance } = await subjectOf(args, context);
    const answer = riskOf(subject, options);
    const unit = args.has('records-per-person') ? 'person' : 'record';
    return printed(args, { ...answer, ...provenance() }, () => textOf(answer, shownOf(args), unit));
  },
};

function optionsOf(args: Args): RiskOptions {
  const [priors, falsePositiveRates, baselines] = ['prior', 'fpr', 'baseline'].map((flag) =>
    args.numbers(flag),
  );
  const secrets = args.numbers('secrets');
  const told = args.text('singling-out');
  const [weight, size, ...rest] = (told ?? '').split(',').map(Number);
  const whole = Number.isInteger(size) && size >= 1 && size <= 1e12;
  if (told !== undefined && !(weight > 0 && weight < 1 && whole && rest.length === 0))
    throw new UsageError(
      `"--singling-out" must be a weight in (0, 1) and a number of records, as in 1e-6,50000, got "${told}"`,
    );
  const singlingOut = told === undefined ? undefined : { weight, size };
  return given({ priors, falsePositiveRates, baselines, secrets, singlingOut });
}

/** The text that explains the names in the table. */
const NAMES = `For specialists: the same by name, as fractions of 1.
FPR: of the records outside the data, the share claimed to be inside.
TPR: of the records inside the data, the share claimed to be inside.
PPV(prior, FPR): of the records claimed to be inside, the share that is.
Advantage: the largest difference of TPR and FPR. Error: how often the attacker is wrong at least.`;

function textOf(answer: Risk, shown: Shown, unit: Unit): string {
  const { singlingOut } = answer;
  const rate = (name: string, found: Bracket) => line(name, found, shown, FORMATS.rate);
  const most = (name: string, { upper }: Bracket) => rate(name, { lower: upper, upper });
  const table = [
    rate('advantage', answer.advantage),
    ...answer.truePositiveRate.map(({ falsePositiveRate, truePositiveRate }) =>
      rate(`TPR at FPR ${shortDecimal(falsePositiveRate)}`, truePositiveRate),
    ),
    ...answer.bayesError.map(({ prior, bayesError }) =>
      line(`error at prior ${shortDecimal(prior)}`, bayesError, shown, FORMATS.missRate),
    ),
    ...answer.positivePredictiveValue.map(({ prior, falsePositiveRate, positivePredictiveValue }) =>
      rate(`PPV(${shortDecimal(prior)}, ${shortDecimal(falsePositiveRate)})`, positivePredictiveValue),
    ),
    ...answer.reconstruction.map(({ baseline, reconstruction }) =>
      rate(`secret guessed at ${shortDecimal(baseline)}`, reconstruction),
    ),
    ...answer.severalSecrets.flatMap(({ secrets, baseline, all, any }) => [
      most(`all of ${secrets}, from ${shortDecimal(baseline)}`, all),
      rate(`any of ${secrets}, from ${shortDecimal(baseline)}`, any),
    ]),
    singlingOut === undefined ? '' : most('singled out', singlingOut.singlingOut),
  ].join('');
  return `${sentences(answer, unit).join('\n')}\n\n${NAMES}\n${table}`;
}

/** Who is protected: one record, or a person with all their records. */
type Unit = 'record' | 'person';

const WHO: Readonly<Record<Unit, { readonly one: string; readonly many: string; readonly place: string }>> = {
  record: { one: 'one record', many: 'records', place: 'in one record' },
  person: { one: 'one person', many: 'people', place: 'in the records of one person' },
};

/** Probabilities below this are printed as "once in n". */
const RARE = 1e-3;

/** An upper bound of a probability, rounded up. */
function atMost(chance: number, format?: Safe): string {
  if (!(chance > 0 && chance < RARE)) return `at most ${percentUp(chance, format)} % of the time`;
  return `at most 1 time in ${grouped(roundDecimal(1 / chance, 'down', { digits: 3 }))}`;
}

/** The results in plain language: each at its safe end, with the value that is reached without the release. */
function sentences(answer: Risk, unit: Unit): string[] {
  const { one, many, place } = WHO[unit];
  const parts = (share: number): string => `${roughText(100 * share)} %`;
  const most = (share: number): string => `at most ${percentUp(share)} %`;
  const times = (share: number): string =>
    `${oneIn(share)
      .replace(' in ', ' time in ')
      .replace(/^(?!1 )(\S+) time/, '$1 times')}`;
  const { singlingOut } = answer;
  return [
    `The numbers below are upper limits from a proof. They hold for every ${unit}, even an unusual one, and for every attack on ${one}.`,
    'They assume that the run was as stated.',
    'The release is what others get to see, such as the trained model or the published statistics.',
    `The attacker sees the release and, at worst, knows everything in the data but ${one}.`,
    ...(unit === 'record'
      ? ['A person with several records is at more risk. The option --records-per-person gives those limits.']
      : []),
    '',
    ...(answer.advantage.upper >= 1
      ? [`An attacker who is always right about ${one} is not ruled out.`]
      : answer.bayesError.map(({ prior, bayesError }) =>
          [
            prior === 0.5
              ? `Imagine that a coin toss decides whether ${one} is in the data.`
              : `Suppose that ${one} is in the data with a chance of ${parts(prior)}.`,
            `The attacker's answer is then right ${atMost(1 - bayesError.lower, FORMATS.right)}.`,
            `Without the release the best guess is right ${parts(Math.max(prior, 1 - prior))} of the time.`,
          ].join(' '),
        )),
    ...answer.truePositiveRate.map(({ falsePositiveRate, truePositiveRate: { upper } }) =>
      [
        `Suppose that an attacker claims of ${oneIn(falsePositiveRate)} ${many} outside the data that they are inside.`,
        `Of the ${many} inside, this attacker finds ${most(upper)}. Claims at random find ${parts(falsePositiveRate)}.`,
        ...answer.positivePredictiveValue
          .filter((value) => value.falsePositiveRate === falsePositiveRate)
          .map(
            ({ prior, positivePredictiveValue }) =>
              `If ${parts(prior)} of the ${many} looked at are inside, ${most(positivePredictiveValue.upper)} of such claims are right.`,
          ),
      ].join(' '),
    ),
    ...answer.reconstruction.map(
      ({ baseline, reconstruction: { upper } }) =>
        `A secret ${place}, such as a diagnosis, is guessed ${times(baseline)} without the release. With the release the secret is guessed ${atMost(upper)}.`,
    ),
    ...answer.severalSecrets.map(
      ({ secrets, baseline, all, any }) =>
        `Of ${secrets} such secrets in ${secrets} records (${times(baseline)} each), all are guessed ${atMost(all.upper)}. One or more are guessed ${atMost(any.upper)}.`,
    ),
    ...(singlingOut === undefined
      ? []
      : [
          `A description that fits ${oneIn(singlingOut.weight)} people fits exactly one of the ${roughText(singlingOut.size)} records ${atMost(singlingOut.singlingOut.upper)}. That holds however it is chosen from the release.`,
        ]),
    '',
    'Real attacks may succeed less often. Lower limits are safer. Who publishes has to judge what is low enough for this data.',
  ];
}
