import { type Engine, transformCurve } from '../index.js';
import type { Bracket } from '../numeric/bracket.js';
import { type LinePlot, linePlot } from '../plot/index.js';
import { deltaOf } from '../profile/profile.js';
import { asProfile, type Subject } from '../tradeoff/subject.js';
import type { Args } from './args.js';
import { type Context, type Flags, output } from './command.js';
import { writeAndSay } from './files.js';
import { groupOf } from './subject-source.js';

export const SVG_FLAGS: Flags = {
  svg: output('FILE', 'writes a plot of the curve as SVG'),
};

const POINTS = 201;

/**
 * Writes the plot if `--svg` is given.
 * @throws UnwritableOutput
 */
export async function writeSvg(args: Args, context: Context, draw: () => Promise<string>): Promise<void> {
  const file = args.text('svg');
  if (file === undefined) return;
  await writeAndSay(context, file, await draw());
}

/**
 * As `writeSvg`, for plots that exist for runs only.
 * @throws UsageError for groups, UnwritableOutput
 */
export async function writeRunSvg(args: Args, context: Context, plot: () => LinePlot): Promise<void> {
  if (groupOf(args) > 1) args.without(['svg'], 'draws the curve of one record: leave out "--group"');
  await writeSvg(args, context, () => linePlot(plot()));
}

/** A plot of the upper ends of δ(ε) on [0, `epsilonHead`]. */
export function profileSvg({ name, subject }: Named, epsilonHead: number): Promise<string> {
  const profile = asProfile(subject);
  const grid = Array.from({ length: POINTS }, (_, i) => (epsilonHead * i) / (POINTS - 1));
  return linePlot({
    title: 'Privacy profile',
    axes: { x: { label: 'epsilon' }, y: { label: 'delta', scale: 'log' } },
    series: [{ name, points: grid.map((x) => [x, deltaOf(profile, x).upper] as const) }],
  });
}

/** A plot of the Gaussian-DP transform μ(ε) on [0, `epsilonHead`] between its step-function bounds, and of the measured μ. */
export function transformSvg(
  engine: Engine,
  subject: Named,
  epsilonHead: number,
  mu: Bracket,
): Promise<string> {
  const curve = transformCurve(subject.subject, { epsilonHead, points: POINTS, engine });
  return linePlot({
    title: 'Gaussian-DP transformation',
    axes: { x: { label: 'epsilon' }, y: { label: 'mu', min: 0 } },
    series: [
      { name: subject.name, points: curve.epsilon.map((x, i): [number, number] => [x, curve.mu[i].upper]) },
      {
        name: 'mu of the head',
        points: [
          [0, mu.upper],
          [epsilonHead, mu.upper],
        ],
        style: 'dashed',
      },
    ],
    bands: [
      {
        name: 'between the staircases',
        points: curve.steps.flatMap(({ lower, upper }, i): [number, number, number][] => [
          [curve.epsilon[i], lower, upper],
          [curve.epsilon[i + 1], lower, upper],
        ]),
      },
    ],
  });
}

interface Named {
  readonly name: string;
  readonly subject: Subject;
}
