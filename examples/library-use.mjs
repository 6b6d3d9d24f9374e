// From an accountant state to a guarantee, with the library.
import { readFile } from 'node:fs/promises';
import { account, loadEngine, measure } from 'gdp-kernel';
import { parseOpacusState } from 'gdp-kernel/read';
import { formatReport, report } from 'gdp-kernel/report';

const file = process.argv[2] ?? new URL('cifar10-wrn40.json', import.meta.url);
const mechanism = parseOpacusState(await readFile(file, 'utf8'));

const engine = await loadEngine();
const run = account(engine, mechanism, { adjacency: 'add-remove' });

// Every number is a bracket that contains the exact value; `upper` is safe to publish.
const epsilon = run.epsilon(1e-5);
const { mu, alphaMin } = measure(run);
console.log(`epsilon(1e-5) <= ${epsilon.upper}`);
console.log(`mu <= ${mu.upper}, for error rates down to ${alphaMin}`);
console.log(`best attack at 1 % false positives misses at least ${run.tradeoff(0.01).lower} of the members`);

console.log(formatReport(report(run, { title: 'My run', deltas: [1e-5] })));
