// docs/public-values.md, and the table of events in docs/guide/migration.md: what the unit tests of other accountants expect.
import { between } from './architecture.mjs';

/** What is compared elsewhere: the tests there count. */
const ELSEWHERE = [
  ['jax_privacy', 'tests/auditing_test.py test_clopper_pearson_upper', 45, 'test/audit/peers.test.ts'],
  ['jax_privacy', 'tests/auditing_test.py test_one_run_p_value', 345, 'test/audit/peers.test.ts'],
  ['gdpnum', 'test_converter, test_dpsgd', 22, 'test/account/peers-risk.test.ts'],
  ['riskcal', 'test_blackbox, test_conversions', 21, 'test/account/peers-risk.test.ts'],
];

/** Tests of theirs that state numbers and are compared with nothing here. */
const LEFT_OUT = [
  [
    'dp_accounting',
    'masses of pessimistic, optimistic and truncated loss distributions',
    'numbers of a grid, not of a mechanism; those of connect-the-dots fix delta at the points of the grid, and are compared',
  ],
  [
    'dp_accounting',
    'discrete Gaussian noise in loss distributions',
    'theirs is cut to a finite range, another mechanism than the one here',
  ],
  [
    'dp_accounting',
    'Renyi divergences of selections and of order 1, KL divergences',
    'divergences here have orders above 1, and a selection is accounted by its curve',
  ],
  [
    'dp_accounting',
    'losses and tails at single outputs',
    'steps of an accountant: what they lead to is compared',
  ],
  [
    'jax_privacy',
    'ROC curves, accuracy, bootstrap, epsilon from thresholds chosen on the same scores',
    'estimates from scores, without a bound',
  ],
  ['jax_privacy', 'calibration of 128 truncated steps', 'the bracket here is too wide to solve for noise'],
  ['jax_privacy', 'experimental/monte_carlo', 'numbers of a random sample'],
];

const BY = {
  below: 'ours is not above theirs',
  above: 'ours is not below theirs',
  other: 'ours is above theirs',
  refused: 'refused here',
};

const count = (groups) => groups.reduce((sum, { rows }) => sum + rows.length, 0);
const total = (groups) => count(groups) + ELSEWHERE.reduce((sum, [, , values]) => sum + values, 0);

/** How many values are compared in all. @param groups of test/golden/peers-public.json. */
export function valuesCompared(groups) {
  return { total: total(groups), exceptions: count(groups.filter(({ by }) => by !== undefined)) };
}

/** The page. @param groups of test/golden/peers-public.json. */
export function publicValuesPage(groups) {
  const equal = groups.filter(({ by }) => by === undefined);
  const rest = groups.filter(({ by }) => by !== undefined);
  const slack = ({ tolerance, relative, widened }) =>
    `${tolerance}${relative ? ' of it' : ''}${widened ? ` (${widened})` : ''}`;
  return [
    '# Values of other accountants',
    '',
    `The public unit tests of other accountants are run here by configuration and expected value: ${total(groups)} values. Of these, ${count(rest)} are exceptions, each`,
    'with its reason. Everything else agrees within the tolerance of the test itself. `test/account/peers-public.test.ts` asks both engines',
    '`test/golden/peers-public.json`; `npm run docs:peers` writes this page.',
    '',
    'Versions: dp_accounting b5b0286, Opacus 4d0ebc8, jax_privacy 8967688, riskcal 108104a, gdpnum 9fe9b25.',
    '',
    '## Equal',
    '',
    '| peer | test | values | tolerance | what is compared |',
    '| --- | --- | --- | --- | --- |',
    ...equal.map(
      (group) =>
        `| ${group.peer} | ${group.test} | ${group.rows.length} | ${slack(group)} | ${asked(group)}${group.derived ? `: ${group.derived}` : ''} |`,
    ),
    ...ELSEWHERE.map(
      ([peer, test, values, file]) => `| ${peer} | ${test} | ${values} | stated there | \`${file}\` |`,
    ),
    '',
    '## Exceptions',
    '',
    '| peer | test | values | how | why |',
    '| --- | --- | --- | --- | --- |',
    ...rest.map(
      (group) => `| ${group.peer} | ${group.test} | ${group.rows.length} | ${BY[group.by]} | ${group.why} |`,
    ),
    '',
    '## Not compared',
    '',
    '| peer | what | why |',
    '| --- | --- | --- |',
    ...LEFT_OUT.map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n');
}

function asked({ rows }) {
  return [...new Set(rows.map(([, , ask]) => ask))].join(', ');
}

/** The page with its table of events. @param answer what the library says of one: { kind, neighbours, epsilon }. */
export function withEvents(page, { events, groups }, answer) {
  const rows = Object.entries(events).map(([event, theirs]) => {
    const { kind, neighbours, epsilon } = answer(event);
    return `| \`${event}\` | ${kind} | ${neighbours} | ${epsilon} | ${spoken(theirs)} | ${testsOf(event, groups)} |`;
  });
  return between(page, 'events', [
    '| event | kind here | neighbours | epsilon(1e-5), or why not | theirs | their unit tests |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ]);
}

function spoken(theirs) {
  if (theirs === null) return 'no such class in b5b0286';
  const known = Object.entries(theirs).filter(([, epsilon]) => epsilon !== null);
  return known.length === 0 ? 'refused' : known.map(([name, epsilon]) => `${name} ${epsilon}`).join(', ');
}

/** The tests whose rows have the event outermost, else anywhere: most values first. */
function testsOf(event, groups) {
  const name = event.split('(')[0];
  const found = (has) =>
    groups
      .map(({ test, rows }) => ({
        test: test.split(' ')[1].replace(',', ''),
        values: rows.filter(([each]) => each !== null && has(each)).length,
      }))
      .filter(({ values }) => values > 0)
      .sort((a, b) => b.values - a.values);
  const outermost = found((each) => each.startsWith(`${name}(`));
  const all = outermost.length > 0 ? outermost : found((each) => each.includes(`${name}(`));
  if (all.length === 0) return 'none';
  const values = all.reduce((sum, each) => sum + each.values, 0);
  const named = [...new Set(all.map(({ test }) => test))];
  const more = named.length > 2 ? ` and ${named.length - 2} more` : '';
  return `\`${named.slice(0, 2).join('`, `')}\`${more}: ${values} ${values === 1 ? 'value' : 'values'}`;
}
