/** What holds between the answers to several questions about one mechanism, whatever the answers are. */
import { account, type Bracket, type Mechanism, repeat } from '../../src/index.js';
import { relativeWidth } from '../../src/numeric/bracket.js';
import { noisier, oftener, type RandomMechanism } from './random-mechanisms.js';
import { wasm } from './runs.js';

const DELTA = 1e-5;
const TOLERANCE = 1e-5;

/** Times the noise and the rate of the runs that are compared. */
const MORE = 1.25;

const LOG_NOTHING = -745;
/** Above the roundings of two widths. */
const ROUNDING = 1e-12;

interface Asked {
  readonly epsilon: Bracket;
  readonly logDelta: Bracket;
  readonly cost: number;
  readonly limitedBy: string;
}

function asked(
  { mechanism, adjacency }: RandomMechanism,
  options: { tolerance: number; effort: number },
): Asked {
  const run = account(wasm, mechanism, { adjacency, ...options });
  const epsilon = run.epsilon(DELTA);
  const { cost, limitedBy } = run;
  return { epsilon, logDelta: run.logDelta(1), cost, limitedBy };
}

const logWidth = ({ lower, upper }: Bracket): number => (lower === upper ? 0 : upper - lower);

/** The laws that the answers about a mechanism break, in words; none where all hold. @param effort Of the questions; a quarter of it is asked for, too. */
export function brokenLaws(one: RandomMechanism, effort: number): string[] {
  const broken: string[] = [];
  const hold = (what: string, is: boolean, ...values: readonly unknown[]): void => {
    if (!is) broken.push(`${what}: ${values.join(' ')}`);
  };
  const [coarse, fine] = [10 * TOLERANCE, TOLERANCE].map((tolerance) => asked(one, { tolerance, effort }));
  const less = asked(one, { tolerance: 10 * TOLERANCE, effort: effort / 4 });
  for (const [name, wider] of [
    ['ten times the tolerance', coarse],
    ['ten times the tolerance at a quarter of the effort', less],
  ] as const) {
    const [epsilon, before] = [fine.epsilon, wider.epsilon];
    const most = Math.max(relativeWidth(before), TOLERANCE) + ROUNDING;
    hold(`epsilon is wider than at ${name}`, relativeWidth(epsilon) <= most, epsilon, before);
    const mostLog = Math.max(logWidth(wider.logDelta), TOLERANCE) + ROUNDING;
    // below the smallest double δ is 0 however far
    if (wider.logDelta.upper > LOG_NOTHING)
      hold(
        `log delta is wider than at ${name}`,
        logWidth(fine.logDelta) <= mostLog,
        fine.logDelta,
        wider.logDelta,
      );
    hold(
      `brackets are apart at ${name}`,
      epsilon.lower <= before.upper && before.lower <= epsilon.upper,
      epsilon,
      before,
    );
  }
  // a way that runs out of its share is paid beside the next one; at the usual effort that is rare
  if (effort >= 1)
    hold('less effort is charged more', less.cost <= coarse.cost * 1.001 + 1e6, less.cost, coarse.cost);
  const options = { adjacency: one.adjacency, tolerance: TOLERANCE, effort };
  const other = (what: string, mechanism: Mechanism, delta: number, isLarger: boolean): void => {
    const run = account(wasm, mechanism, options);
    const found = run.epsilon(delta);
    // with little to spend one of two may be in reach alone
    if (effort < 1 && [run.limitedBy, fine.limitedBy].includes('effort')) return;
    const [least, most] = isLarger ? [fine.epsilon, found] : [found, fine.epsilon];
    hold(what, least.upper <= most.upper * (1 + TOLERANCE) + 1e-9, fine.epsilon, found);
  };
  other('epsilon rises with delta', one.mechanism, DELTA / 1e3, true);
  other('epsilon falls with steps', repeat(one.mechanism, 2), DELTA, true);
  const [more, often] = [noisier(one, MORE), oftener(one, MORE)];
  if (more !== undefined) other('epsilon rises with noise', more.mechanism, DELTA, false);
  if (often !== undefined) other('epsilon falls with the rate', often.mechanism, DELTA, true);
  return broken;
}
