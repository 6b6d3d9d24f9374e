/** Every export that takes options refuses one that it does not know, by name, and says which was meant: nothing is taken for a default in silence. */
import { expect, test } from 'vitest';
import { exportedDeclarations } from '../../scripts/lib/declarations.mjs';
import * as compare from '../../src/accountants/index.js';
import * as audits from '../../src/audit/index.js';
import * as convert from '../../src/convert/index.js';
import * as sync from '../../src/engine-sync.js';
import { InputTypeError } from '../../src/errors.js';
import * as root from '../../src/index.js';
import * as lint from '../../src/lint/index.js';
import * as threads from '../../src/node/thread-pool.js';
import * as plot from '../../src/plot/index.js';
import * as read from '../../src/read/index.js';
import * as reports from '../../src/report/index.js';
import * as sweeps from '../../src/sweep/index.js';
import { wasm } from '../helpers/runs.js';
import { noiseUnknown } from '../helpers/unknowns.js';

const lib: Readonly<Record<string, unknown>> = {
  ...{ ...compare, ...audits, ...convert, ...lint, ...plot, ...read, ...reports, ...sweeps, ...threads },
  ...root,
  ...sync,
};
const mechanism = root.gaussian({ noiseMultiplier: 2 });
const run = root.account(wasm, mechanism, { adjacency: 'add-remove' });
const evidence = { kind: 'one-run', canaries: 10, guesses: 5, correct: 4 } as const;
const f = root.gaussianTradeoff(1);
const report = reports.report(run);

/** What stands before the options, by the parameter's name. */
const BEFORE: Readonly<Record<string, unknown>> = {
  engine: wasm,
  mechanism,
  inner: mechanism,
  run,
  subject: run,
  f,
  g: f,
  functions: [f],
  delta: () => 1e-5,
  report,
  evidence,
  audit: audits.audit(evidence),
  claim: { epsilon: 1, delta: 1e-5 },
  from: { kind: 'gdp', mu: 1 },
  unknown: noiseUnknown({ samplingRate: 0.1, steps: 10 }),
  target: { epsilon: 1, delta: 1e-5 },
  shares: [{ share: 1, mechanism: { kind: 'gaussian', noiseMultiplier: '?' } }],
  pool: sweeps.inlinePool(wasm),
  grid: { mechanisms: [mechanism] },
  formula: 'abadi',
  input: '{"history": []}',
  text: '{"history": []}',
};
const OPTIONS = ['options', 'settings', 'request', 'question', 'style', 'plot'];

const takers = exportedDeclarations().flatMap(({ name, nodes }) =>
  nodes.flatMap((node) => {
    const { parameters } = node as { parameters?: readonly { name: { getText(): string } }[] };
    const names = parameters?.map((each) => each.name.getText()) ?? [];
    return OPTIONS.includes(names.at(-1)!) ? [[name, names.slice(0, -1)] as const] : [];
  }),
);

async function refusal(name: string, before: readonly string[], options: object): Promise<string> {
  try {
    const made = (lib[name] as (...args: unknown[]) => unknown)(
      ...before.map((each) => BEFORE[each]),
      options,
    );
    await ((made as { next?: () => Promise<unknown> } | null)?.next?.() ?? made);
  } catch (error) {
    expect(error, name).toBeInstanceOf(InputTypeError);
    return (error as Error).message;
  }
  throw new Error(`${name} takes ${JSON.stringify(options)}`);
}

test('there are many', () => {
  expect(takers.length).toBeGreaterThan(75);
  for (const [name, before] of takers)
    for (const each of before) expect(Object.keys(BEFORE), `${name}: ${each}`).toContain(each);
});

test.each(takers)('%s', async (name, before) => {
  const unknown = await refusal(name, before, { qqqqqqqqq: 1 });
  expect(unknown).toContain('qqqqqqqqq" is unknown: ');
  expect(unknown).not.toContain('did you mean');
  // the options that the refusal lists, each with its last letter wrong
  const [, list] = / (?:takes|has|have) ([\w, ]+)/.exec(unknown) ?? [];
  const options = list!.split(/, | and /).filter((each) => each.length > 3);
  for (const option of options) {
    const wrong = `${option.slice(0, -1)}q`;
    const message = await refusal(name, before, { [wrong]: 1 });
    expect(message).toContain(`${wrong}" is unknown: `);
    // sensitivityLq may be either of sensitivityL1 and sensitivityL2
    const near = options.filter((each) => each.slice(0, -1) === option.slice(0, -1));
    expect(near.map((each) => `did you mean "${each}"?`)).toContain(
      /did you mean "\w+"\?/.exec(message)?.[0],
    );
  }
});
