import {
  type ComposedRun,
  clipAndRectify,
  type HeadMeasurement,
  type Measurement,
  measure,
  measureHead,
  poissonAmplified,
  samplingRateFor,
  samplingRateForWindow,
} from '../../index.js';
import { shortDecimal } from '../../text/decimal.js';
import { type Args, UsageError, withPlace } from '../args.js';
import { type Command, type Output, value } from '../command.js';
import { DIGITS_FLAGS, printed, row, shownOf } from '../output.js';
import { SVG_FLAGS, transformSvg, writeSvg } from '../profile-plot.js';
import { engineOf, provenance, RUN_OPERAND, runOf, TOLD_FLAGS } from '../run-source.js';
import { HEAD_FLAGS, headOf, textOf } from './measure.js';
import { measurementText, WINDOW_FLAGS, windowOf } from './mu.js';

export const amplify: Command = {
  name: 'amplify',
  usage: 'FILE|- --rate G | --mu M | --clip A,B',
  summary: 'a Poisson sample before a run, or clipping and noise after it',
  examples: ['gdp amplify state.json --rate 0.1'],
  operand: RUN_OPERAND,
  flags: {
    rate: value('G', 'sampling rate of the whole, in [0, 1]', 'a number in [0, 1]'),
    mu: value('M', 'or the mu to reach: answers the largest rate found', 'a finite number > 0'),
    clip: value(
      'A,B',
      'or the interval to clip outputs to: answers the\nLaplace scale that makes the head a mu-GDP whole',
    ),
    ...HEAD_FLAGS,
    ...WINDOW_FLAGS,
    ...SVG_FLAGS,
    ...DIGITS_FLAGS,
    ...TOLD_FLAGS,
  },
  async run(args, context) {
    const given = ['rate', 'mu', 'clip'].filter((flag) => args.has(flag));
    if (given.length !== 1) throw new UsageError('exactly one of "--rate", "--mu" and "--clip" is needed');
    const rate = args.number('rate');
    const mu = args.number('mu');
    const interval = intervalOf(args.text('clip'));
    const head = headOf(args);
    const { alphaMin } = windowOf(args);
    if (interval !== undefined) args.without(['svg'], 'goes with "--rate" or "--mu" alone');
    if (
      alphaMin !== undefined &&
      (interval !== undefined || args.has('svg') || Object.keys(HEAD_FLAGS).some((flag) => args.has(flag)))
    )
      throw new UsageError(
        '"--alpha-min" goes with "--rate" or "--mu" alone: it asks for a window of error rates, not for a head of epsilons',
      );
    const { source, run } = await runOf(args, context);
    const engine = await engineOf(args, context);
    return withPlace(args.file() ?? source.title, async () => {
      if (interval !== undefined) return clipped(args, run, interval, measureHead(engine, run, head));
      const text = (measured: Measurement | HeadMeasurement): string =>
        'headMu' in measured ? textOf(measured, shownOf(args)) : measurementText(measured, shownOf(args));
      const drawn = async (name: string, at: number, measured: Measurement | HeadMeasurement) => {
        const subject = { name: `rate ${name}`, subject: poissonAmplified(run, { rate: at }) };
        if ('headMu' in measured)
          await writeSvg(args, context, () =>
            transformSvg(engine, subject, head.epsilonHead, measured.headMu),
          );
      };
      if (rate !== undefined) {
        const profile = poissonAmplified(run, { rate });
        const measured =
          alphaMin === undefined
            ? measureHead(engine, profile, head)
            : measure(profile, { alphaMin, engine });
        await drawn(String(rate), rate, measured);
        return printed(args, { rate, ...measured, ...provenance(run) }, () => text(measured));
      }
      const wanted = { mu: mu!, tolerance: 1e-3 };
      const found =
        alphaMin === undefined
          ? samplingRateFor(engine, run, { ...wanted, epsilonHead: head.epsilonHead })
          : samplingRateForWindow(engine, run, { ...wanted, alphaMin });
      if (!found.reachable) return printed(args, found, () => row('out of reach', found.reason), 1);
      const largest = shortDecimal(found.rate);
      await drawn(largest, found.rate, found.measured);
      return printed(
        args,
        { ...found, ...provenance(run) },
        () => row('rate', largest) + text(found.measured),
      );
    });
  },
};

/** Clips the output and adds Laplace noise, after which the μ of the head [0, ε_h] holds for the whole mechanism. */
function clipped(
  args: Args,
  run: ComposedRun,
  interval: { lower: number; upper: number },
  { epsilonHead, headMu }: HeadMeasurement,
): Output {
  const { scale, guarantee } = clipAndRectify({ ...interval, epsilonHead, mu: headMu.upper });
  const { mu, epsilon } = guarantee;
  return printed(args, { scale, guarantee, ...interval, ...provenance(run) }, () =>
    [
      row('clip to', `[${shortDecimal(interval.lower)}, ${shortDecimal(interval.upper)}]`),
      row('then add Laplace noise', `of scale ${shortDecimal(scale)}`),
      row('guarantee', `mu <= ${shortDecimal(mu)}, and epsilon <= ${shortDecimal(epsilon)} with delta 0`),
    ].join(''),
  );
}

function intervalOf(text: string | undefined): { lower: number; upper: number } | undefined {
  if (text === undefined) return undefined;
  const [lower, upper, ...rest] = text
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (rest.length > 0 || !Number.isFinite(lower) || !Number.isFinite(upper) || !(lower < upper)) {
    throw new UsageError(`"--clip" must be two finite numbers A,B with A < B, got "${text}"`);
  }
  return { lower, upper };
}
