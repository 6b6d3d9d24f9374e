import {
  type ComposedRun,
  clipAndRectify,
  type Engine,
  measure,
  measureHead,
  poissonAmplified,
  samplingRateFor,
  samplingRateForWindow,
} from '../../index.js';
import { shortDecimal } from '../../text/decimal.js';
import type { Args } from '../args.js';
import type { Command, Context, Output } from '../command.js';
import { UsageError, withPlace } from '../errors.js';
import { value } from '../flags.js';
import { DIGITS_FLAGS, shownOf, toJson } from '../output.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { SVG_FLAGS, transformSvg, writeSvg } from '../profile-plot.js';
import {
  ACCOUNT_FLAGS,
  accountedRun,
  EFFORT_FLAGS,
  engineOf,
  provenance,
  RUN_OPERAND,
  sourceOf,
} from '../run-source.js';
import { HEAD_FLAGS, headOf, textOf } from './measure.js';
import { measurementText, WINDOW_FLAGS, windowOf } from './mu.js';

export const amplify: Command = {
  name: 'amplify',
  usage: 'FILE|- --rate G | --mu M | --clip A,B',
  summary: 'a Poisson sample before a run, or clipping and noise after it',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    rate: value('G', 'sampling rate of the whole, in [0, 1]'),
    mu: value('M', 'or the mu to reach: answers the largest rate found'),
    clip: value(
      'A,B',
      'or the interval to clip outputs to: answers the\nLaplace scale that makes the head a mu-GDP whole',
    ),
    ...HEAD_FLAGS,
    ...WINDOW_FLAGS,
    ...SVG_FLAGS,
    ...DIGITS_FLAGS,
    ...ACCOUNT_FLAGS,
    ...EFFORT_FLAGS,
  },
  async run(args, context) {
    const given = ['rate', 'mu', 'clip'].filter((flag) => args.has(flag));
    if (given.length !== 1) throw new UsageError('exactly one of "--rate", "--mu" and "--clip" is needed');
    const rate = args.number('rate', 'a number in [0, 1]');
    const mu = args.number('mu', 'a number > 0', (x) => x > 0 && x < Infinity);
    const interval = intervalOf(args.text('clip'));
    const head = headOf(args);
    const window = windowOf(args);
    if (
      'alphaMin' in window &&
      (interval !== undefined || args.has('svg') || Object.keys(HEAD_FLAGS).some((flag) => args.has(flag)))
    )
      throw new UsageError(
        '"--alpha-min" goes with "--rate" or "--mu" alone: it asks for a window of error rates, not for a head of epsilons',
      );
    const source = await sourceOf(args, context, 'amplify');
    const run = await accountedRun(args, context, source);
    const engine = await engineOf(args, context);
    const json = args.has('json');
    return withPlace(args.file() ?? source.title, async () => {
      if (interval !== undefined) {
        const measured = measureHead(engine, run, head);
        const { scale, guarantee } = clipAndRectify({
          ...interval,
          epsilonHead: head.epsilonHead,
          mu: measured.headMu.upper,
        });
        if (json) return toJson({ scale, guarantee, ...interval, ...provenance(run) });
        return [
          `${'clip to'.padEnd(24)}[${shortDecimal(interval.lower)}, ${shortDecimal(interval.upper)}]\n`,
          `${'then add Laplace noise'.padEnd(24)}of scale ${shortDecimal(scale)}\n`,
          `${'guarantee'.padEnd(24)}mu <= ${shortDecimal(guarantee.mu)}, and epsilon <= ${shortDecimal(guarantee.epsilon)} with delta 0\n`,
        ].join('');
      }
      if (mu !== undefined)
        return 'alphaMin' in window
          ? windowRate({ args, engine, run, mu }, window.alphaMin)
          : headRate({ args, engine, run, mu }, context, head);
      const profile = poissonAmplified(run, { rate: rate as number });
      if ('alphaMin' in window) {
        const measured = measure(profile, { ...window, engine });
        return json
          ? toJson({ rate, ...measured, ...provenance(run) })
          : measurementText(measured, shownOf(args));
      }
      const measured = measureHead(engine, profile, head);
      await writeSvg(args, context, () =>
        transformSvg(engine, { name: `rate ${rate}`, subject: profile }, head.epsilonHead, measured.headMu),
      );
      return json ? toJson({ rate, ...measured, ...provenance(run) }) : textOf(measured, shownOf(args));
    });
  },
};

interface Wanted {
  readonly args: Args;
  readonly engine: Engine;
  readonly run: ComposedRun;
  readonly mu: number;
}

/** The largest sampling rate found for a mu over a window of error rates. */
function windowRate({ args, engine, run, mu }: Wanted, alphaMin: number): Output {
  const found = samplingRateForWindow(engine, run, { mu, alphaMin, tolerance: 1e-3 });
  if (!found.reachable) return unreachable(args, found);
  if (args.has('json')) return toJson({ ...found, ...provenance(run) });
  return `${'rate'.padEnd(24)}${shortDecimal(found.rate)}\n${measurementText(found.measured, shownOf(args))}`;
}

/** The largest sampling rate found for a mu over the head of the profile. */
async function headRate(
  { args, engine, run, mu }: Wanted,
  context: Context,
  { epsilonHead }: { epsilonHead: number },
): Promise<Output> {
  const found = samplingRateFor(engine, run, { mu, epsilonHead, tolerance: 1e-3 });
  if (!found.reachable) return unreachable(args, found);
  const { rate, measured } = found;
  await writeSvg(args, context, () => {
    const sampled = { name: `rate ${shortDecimal(rate)}`, subject: poissonAmplified(run, { rate }) };
    return transformSvg(engine, sampled, epsilonHead, measured.headMu);
  });
  if (args.has('json')) return toJson({ ...found, ...provenance(run) });
  return `${'rate'.padEnd(24)}${shortDecimal(rate)}\n${textOf(measured, shownOf(args))}`;
}

function unreachable(args: Args, found: { reachable: false; reason: string }): Output {
  const text = args.has('json') ? toJson(found) : `${'out of reach'.padEnd(24)}${found.reason}\n`;
  return { text, exitCode: 1 };
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
