import { account } from '../account/account.js';
import { type ComposedRun, requireRun } from '../account/composed-run.js';
import { type Engine, requireEngine } from '../engine.js';
import { requireOptions } from '../errors.js';
import { muOf } from '../measure/measure.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import { compose, type Mechanism, oneTry, repeat } from '../mechanism/mechanism.js';
import { provedAdjacencies } from '../mechanism/reduce.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { pairAdvantage, pairEpsilon } from './pair-bound.js';
import { DEFAULT_DELTAS, type ReportOptions, requireDeltas } from './report.js';
import type { Alternative } from './report-types.js';
import { worstShuffled } from './shuffled.js';

/** The work that one alternative may take, as a share of the work allowed for one question about the run. */
const SHARE = 0.4;

type Numbers = NonNullable<Alternative['numbers']>;

/**
 * Changes of a run and their numbers, for a report to show side by side. They are batches cut from a shuffled data set, no
 * sampling, the other adjacency, and twice the steps. Each says what exactly was computed.
 *
 * @param options `deltas` and `alphaMin` as for the report.
 * @throws TypeError | RangeError naming the option that is wrong.
 * @example
 * alternatives(engine, account(engine, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' }))[0].change; // 'other-adjacency'
 */
export function alternatives(
  engine: Engine,
  run: ComposedRun,
  options: Pick<ReportOptions, 'deltas' | 'alphaMin'> = {},
): Alternative[] {
  requireEngine(engine);
  requireRun(run);
  requireOptions('alternatives', options, ['deltas', 'alphaMin']);
  const { mechanism, adjacency } = run.settings;
  const steps = stepsOf(mechanism);
  const { deltas: asked = DEFAULT_DELTAS, ...window } = options;
  const deltas = requireDeltas(asked);
  const numbersOf = (changed: Mechanism, over: Adjacency = adjacency): Numbers => {
    const { tolerance, effort } = run.settings;
    const other = account(engine, changed, { adjacency: over, tolerance, effort });
    return other.question(
      () => ({
        epsilonAtDelta: deltas.map((delta) => ({ delta, epsilon: other.epsilon(delta) })),
        advantage: other.advantage(),
        mu: muOf(other, window),
      }),
      SHARE,
    );
  };
  const sampled = steps.some(({ sampling }) => sampling !== 'all');
  const unsampled = (): Alternative =>
    change('no-sampling', 'Full batches')(
      'The same steps and noise with a sampling rate of 1. No loader that ignores the data can do worse.',
      numbersOf(compose(steps.map((step) => repeat(step.mechanism, step.count)))),
    );
  // a single try of a searched run may be sampled, and may then have no theorem for the other adjacency
  if (oneTry(mechanism) !== mechanism)
    return [
      change('one-try', 'One try, without the search for settings')(
        'The cost of one run with settings chosen beforehand, without the search. It is not the guarantee of the release.',
        numbersOf(oneTry(mechanism)),
      ),
    ];
  return [
    ...(sampled ? [shuffled(mechanism, adjacency, numbersOf), unsampled()] : []),
    ...(steps.length > 0
      ? [otherAdjacency(run, steps, deltas, numbersOf), doubled(mechanism, steps, numbersOf)]
      : []),
  ];
}

/** An alternative from its change, its title, and what was computed. */
const change =
  (name: Alternative['change'], title: string) =>
  (how: string, numbers: Alternative['numbers']): Alternative => ({ change: name, title, how, numbers });

type NumbersOf = (changed: Mechanism, adjacency?: Adjacency) => Numbers;

function shuffled(mechanism: Mechanism, adjacency: Adjacency, numbersOf: NumbersOf): Alternative {
  const met = worstShuffled(mechanism);
  const most = met.reduce((sum, { steps }) => sum + steps, 0);
  const neighbours =
    adjacency !== 'replace-one'
      ? 'Neighbouring data sets differ by one record, zeroed out of its batches.'
      : 'Neighbouring data sets differ by one record, replaced in its place.';
  return change('shuffled-batches', 'Shuffled epochs instead of samples')(
    `Upper bounds, without amplification by shuffling. A record is in at most one batch of a pass, and the run begins with a pass. A whole pass has at least as many batches as whole samples fit into the data set. A phase may begin with a new pass or continue the last one. A record then takes part in at most ${most} steps, and the bound takes the worst ones. ${neighbours}`,
    fromZero(numbersOf(compose(met.map((each) => repeat(each.mechanism, each.steps))))),
  );
}

/** Greatest numbers of distinct steps for which a run of twice the steps, and a Poisson-sampled run under replace-one, are computed. */
const [MOST_DOUBLED, MOST_PAIRED] = [512, 128];

/** The explanation in place of a result that would take too long. */
const tooMany = (steps: readonly Step[], most: number): string =>
  `Not computed: the run has ${steps.length} different steps, and this comparison takes at most ${most}.`;

/** Kinds of mechanism with a known sensitivity under both adjacencies. */
const EXACT_KINDS: readonly string[] = [
  'gaussian',
  'laplace',
  'discrete-gaussian',
  'discrete-laplace',
  'binomial',
  'skellam',
];
/** Loaders with brackets of the worst case under both adjacencies. */
const BRACKETED: readonly string[] = ['shuffled', 'capped-poisson'];
const ANSWERS = 'randomized-response';

function otherAdjacency(
  run: ComposedRun,
  steps: readonly Step[],
  deltas: readonly number[],
  numbersOf: NumbersOf,
): Alternative {
  const isAddRemove = run.settings.adjacency !== 'replace-one';
  // a mechanism whose records depend on each other has no theorem for removals
  const back = provedAdjacencies(run.settings.mechanism)[0];
  const left = back === 'zero-out' || run.settings.adjacency === 'zero-out';
  const out = left ? 'zeroed out' : 'added or removed';
  const other = change(
    'other-adjacency',
    isAddRemove
      ? `One record replaced by another instead of ${out}`
      : `One record ${out} instead of replaced by another`,
  );
  const isExact = steps.every(
    ({ mechanism: { kind }, sampling }) =>
      (sampling === 'all' && (EXACT_KINDS.includes(kind) || (isAddRemove && kind === ANSWERS))) ||
      (isAddRemove && sampling === 'poisson' && kind === 'gaussian') ||
      (isAddRemove && BRACKETED.includes(kind)),
  );
  if (isExact) {
    const answers = steps.some(({ mechanism }) => mechanism.kind === ANSWERS);
    const drawn = steps.some(({ sampling }) => sampling === 'poisson');
    if (drawn && steps.length > MOST_PAIRED) return other(tooMany(steps, MOST_PAIRED), null);
    return other(
      `Replacing a record removes one and adds another, which doubles the sensitivity. The noise is taken relative to ${isAddRemove ? 'twice' : 'half'} the sensitivity.${answers ? ' Randomised response is defined by one changed answer, so its epsilon stays.' : ''}${drawn ? ' A Poisson sample draws either record with the same probability. The pair is two mixtures (Lebeda et al. 2025).' : ''}`,
      numbersOf(run.settings.mechanism, isAddRemove ? 'replace-one' : back),
    );
  }
  if (!isAddRemove) return other('Not computed: no theorem here covers it for this run.', null);
  const pairs = (): Numbers => ({
    epsilonAtDelta: deltas.map((delta) => ({ delta, epsilon: bracket(0, pairEpsilon(run, delta)) })),
    advantage: bracket(0, pairAdvantage(run)),
    mu: null,
  });
  return other(
    'Upper bounds. Replacing a record removes one and adds another. Two steps of the guarantee give delta(a + b) <= delta(a) + e^a delta(b).',
    run.question(pairs, SHARE),
  );
}

function doubled(mechanism: Mechanism, steps: readonly Step[], numbersOf: NumbersOf): Alternative {
  const total = 2 * steps.reduce((sum, { count }) => sum + count, 0);
  const alternative = change('twice-the-steps', 'Twice the steps');
  if (steps.length > MOST_DOUBLED) return alternative(tooMany(steps, MOST_DOUBLED), null);
  if (!Number.isSafeInteger(total))
    return alternative('Not computed: more steps than can be counted exactly.', null);
  return alternative(
    `Every phase run twice as long, ${total} steps in all, with the same noise and sampling.`,
    numbersOf(repeat(mechanism, 2)),
  );
}

/** The brackets with lower ends of 0, where only the upper ends are proved. */
function fromZero({ epsilonAtDelta, advantage, mu }: Numbers): Numbers {
  const zero = ({ upper }: Bracket): Bracket => bracket(0, upper);
  return {
    epsilonAtDelta: epsilonAtDelta.map(({ delta, epsilon }) => ({ delta, epsilon: zero(epsilon) })),
    advantage: zero(advantage),
    mu: mu && zero(mu),
  };
}
