// The table of docs/sampling.md: what is proved of which loader under which adjacency.
import { between } from './architecture.mjs';

/** Names of rows, where the name that `--sampling` has is not all there is to say. */
const ROWS = {
  all: 'every record in every step',
  fixed: '`fixed`; trees and matrix mechanisms',
  'fixed-kept': '`fixed`; trees and matrix mechanisms: places kept',
  divided: '`poisson` with `--divisor expected` or `expected-whole`',
  'cyclic-poisson': 'cyclic Poisson groups (BandMF)',
  'cyclic-poisson-kept': 'cyclic Poisson groups (BandMF): places kept',
};
const ADJACENCIES = ['add-remove', 'zero-out', 'replace-one'];

/** @param page docs/sampling.md. @param theorems `THEOREMS` of src/mechanism/theorems.ts. */
export function withTheorems(page, theorems) {
  const cell = ({ standing, by }) => `${standing === 'none' ? '**none**' : standing}: ${linked(by)}`;
  const rows = Object.entries(theorems).map(
    ([drawing, row]) =>
      `| ${ROWS[drawing] ?? `\`${drawing}\``} | ${ADJACENCIES.map((each) => cell(row[each])).join(' | ')} |`,
  );
  const head = [`| loader | ${ADJACENCIES.join(' | ')} |`, '| --- | --- | --- | --- |'];
  return between(page, 'theorems', [...head, ...rows]);
}

function linked(by) {
  return by.replace(/docs\/proofs\/([\w-]+)\.md/, (_, name) => `[${name}](proofs/${name}.md)`);
}
