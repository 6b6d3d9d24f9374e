import { readFileSync } from 'node:fs';
import { compareAccountants, renyiDivergence } from '../../src/accountants/index.js';
import {
  type Adjacency,
  account,
  type ComposedRun,
  calibrate,
  type Engine,
  measure,
  optimalSigma,
  type Unknown,
} from '../../src/index.js';
import { type Bracket, exactly } from '../../src/numeric/bracket.js';
import { recognise } from '../../src/read/index.js';

/** Event of dp_accounting, neighbours (and the direction, after a colon), what is asked, at what, and what the peer's test expects. */
export type Row = readonly [
  event: string | null,
  neighbours: string,
  ask: string,
  at: number | null | readonly [number, number],
  expected: number | 'infinite' | null,
];

/** Rows of one unit test. */
export interface Group {
  readonly peer: string;
  /** File and names of the tests. */
  readonly test: string;
  /** How far the test itself lets a value be off. */
  readonly tolerance: number;
  readonly relative?: true;
  /** Why the tolerance is larger than theirs, where it is. */
  readonly widened?: string;
  /** Under 'below': how far ours may be below theirs. */
  readonly within?: number;
  /** How the value follows from what the test states, where it is not stated itself. */
  readonly derived?: string;
  /** How ours may stand to theirs where both are not equal, and why. */
  readonly by?: 'below' | 'above' | 'other' | 'refused';
  readonly why?: string;
  readonly rows: readonly Row[];
}

export const GROUPS: readonly Group[] = JSON.parse(
  readFileSync(new URL('../golden/peers-public.json', import.meta.url), 'utf8'),
).groups;

const runs = new WeakMap<Engine, Map<string, ComposedRun>>();

/** The account of an event, made once for all that is asked of it: the order of questions changes no bit (test/account/order.test.ts). */
function runOf(engine: Engine, event: string, adjacency: Adjacency): ComposedRun {
  const known = runs.get(engine) ?? new Map<string, ComposedRun>();
  runs.set(engine, known);
  const key = `${adjacency} ${event}`;
  const run = known.get(key) ?? account(engine, recognise(event).mechanism, { adjacency });
  known.set(key, run);
  return run;
}

/** What the library says to a row; `tolerance` is that of a noise whose ε is asked for. */
export function answerTo(engine: Engine, [event, neighbours, ask, at]: Row, tolerance = 1e-5): Bracket {
  const [adjacency, direction] = neighbours.split(':') as [
    'add-remove' | 'zero-out' | 'replace-one',
    string?,
  ];
  const both = at as readonly [number, number];
  const gaussian = (sigma: number) => recognise(`GaussianDpEvent(${sigma})`).mechanism;
  if (ask === 'epsilon of sigma') {
    const { lower, upper } = optimalSigma({ epsilon: both[0], delta: both[1] });
    const found = [upper, lower].map((each) =>
      account(engine, gaussian(each), { adjacency }).epsilon(both[1]),
    );
    return { lower: found[0]!.lower, upper: found[1]!.upper };
  }
  if (ask === 'sigma of epsilon') {
    const { lower, upper } = account(engine, gaussian(both[0]), { adjacency }).epsilon(both[1]);
    const found = [upper, lower].map((epsilon) => optimalSigma({ epsilon, delta: both[1] }));
    return { lower: found[0]!.lower, upper: found[1]!.upper };
  }
  if (ask === 'noise' || ask === 'parameter' || ask === 'solved') {
    const close = ask === 'solved' ? tolerance : 1e-8;
    const unknown = unknownOf(event!, ask);
    const target = { epsilon: both[0], delta: both[1] };
    const found = calibrate(engine, unknown, target, { adjacency, tolerance: close });
    if (!found.reached) throw new Error(found.reason);
    return ask === 'solved'
      ? account(engine, found.mechanism, { adjacency }).epsilon(both[1])
      : exactly(found.value);
  }
  const { mechanism } = recognise(event!);
  const number = at as number;
  if (ask === 'renyi') return exactly(renyiDivergence(mechanism, number, adjacency));
  if (ask === 'clt epsilon') {
    const { baselines } = compareAccountants(engine, mechanism, { adjacency, delta: number });
    return exactly(baselines.find(({ name }) => name === 'GDP-CLT, Poisson')!.value);
  }
  const run = runOf(engine, event!, adjacency);
  if (ask === 'epsilon') return run.epsilon(number);
  if (ask === 'tpr') return run.truePositiveRate(number);
  if (ask === 'mu') return measure(run, number === null ? {} : { alphaMin: number }).mu;
  if (direction === undefined) return run.delta(number);
  const { lower, upper } = (
    run.directions.find((each) => each.direction === direction) ?? run.directions[0]!
  ).logDelta(number);
  return { lower: Math.exp(lower), upper: Math.exp(upper) };
}

/** The number in place of "?". */
function unknownOf(event: string, name: 'noise' | 'parameter' | 'solved'): Unknown {
  return {
    name,
    least: 1e-3,
    most: 1e3,
    larger: name === 'parameter' ? 'less-private' : 'more-private',
    mechanismAt: (value) => recognise(event.replace('?', String(value))).mechanism,
  };
}
