// docs/papers.md as text: what each paper defines or proves, the function that has it, the command, and an example that is run when the
// page is written. The test that checks the page runs every example again and holds it against the value given here, found independently.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Entries of the package, and their files. */
export const ENTRIES = {
  'gdp-kernel': 'index',
  'gdp-kernel/compare': 'compare',
  'gdp-kernel/convert': 'convert',
  'gdp-kernel/report': 'report',
  'gdp-kernel/read': 'read',
  'gdp-kernel/lint': 'lint',
  'gdp-kernel/audit': 'audit',
  'gdp-kernel/budget': 'budget',
  'gdp-kernel/sweep': 'sweep',
  'gdp-kernel/plot': 'plot',
  'gdp-kernel/sync': 'sync',
};

/** The names that each module exports, those of values. */
export function exportsOf(modules) {
  return Object.fromEntries(
    Object.entries(modules).map(([entry, module]) => [entry, Object.keys(module).sort()]),
  );
}

/** The texts of src/. */
export function sources(root) {
  return readdirSync(join(root, 'src'), { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'));
}

const cli = (text) => `\`gdp ${text}\``;

/**
 * Every paper with its rows, from papers.txt. A paper is a section "== title"; a row is a paragraph: the item, its functions (*), its
 * command ($), the example (>), its value by another route and by how much they may differ (=), where reproduced or what to know (;).
 */
export const PAPERS = readFileSync(new URL('papers.txt', import.meta.url), 'utf8')
  .split(/^== /m)
  .slice(1)
  .map((section) => {
    const [title, ...rows] = section.trimEnd().split(/\n\n+/);
    return [title, rows.map(rowOf)];
  });

function rowOf(paragraph) {
  const [item, ...lines] = paragraph.split('\n');
  const marked = (mark) => lines.find((line) => line.startsWith(`${mark} `))?.slice(2) ?? '';
  const [exact, slack] = marked('=').split(' +- ').map(Number);
  const command = marked('$').replace(/^gdp /, '');
  return [item, marked('*').split(', '), command, marked('>'), exact, slack, marked(';')];
}

/** @param lib The library, all entries; `engine` one of its engines; `documented` first sentences of docstrings by name, `entries` the exports by entry. */
export function papersPage(lib, engine, entries, documented) {
  const sections = PAPERS.map(([title, rows]) => {
    const lines = rows.map(
      ([item, functions, command, example, , , note]) =>
        `| ${[item, functions.map((name) => `\`${name}\``).join(', '), command === '' ? 'library only' : cli(command), `\`${example.replaceAll('|', '\\|')}\``, shown(answer(lib, engine, example)), note].join(' | ')} |`,
    );
    return `## ${title}\n\n| item | functions | command | example | answers | reproduced, or to know |\n| --- | --- | --- | --- | --- | --- |\n${lines.join('\n')}`;
  });
  const lists = Object.entries(entries).map(([entry, names]) => {
    const lines = names.map((name) => `- \`${name}\`: ${documented[name] ?? ''}`);
    return `### ${entry}\n\n${lines.join('\n')}`;
  });
  return `${[
    '# The papers, item by item',
    'What the papers define or prove, the function that has it, the command, and an example. Written by `npm run docs:papers`, which runs every example; a test holds each answer, a bracket, against a value found by another route; here it is printed to seven digits. In the examples `run(m)` is `account(engine, m, { adjacency: "add-remove" })`. Tables and figures as a whole are in [reproduction.md](reproduction.md).',
    ...sections,
    '## Every function of every entry',
    ...lists,
  ].join('\n\n')}\n`;
}

/** The answer of an example. */
export function answer(lib, engine, example) {
  const run = (mechanism) => lib.account(engine, mechanism, { adjacency: 'add-remove' });
  return new Function('lib', 'engine', 'run', `return ${example}`)(lib, engine, run);
}

/** Seven digits, to the nearest: brackets and their last bits are the tests' business. */
function shown(value) {
  const digits = (x) => String(Number(x.toPrecision(7)));
  if (typeof value === 'number') return digits(value);
  const [low, high] = [digits(value.lower), digits(value.upper)];
  return low === high ? low : `${low} to ${high}`;
}

/** First sentences of the docstrings of exported functions and classes, read from the sources. */
export function docstrings(texts) {
  const found = {};
  for (const text of texts)
    for (const [, comment, name] of text.matchAll(
      /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export (?:async )?(?:function\*?|class|const) (\w+)/g,
    )) {
      const plain = comment
        .replace(/^\s*\*? ?/gm, ' ')
        .replace(/\s+/g, ' ')
        .trim();
      const thrown = plain.replace(/^@throws/, 'Throws').split(/ @\w+/)[0];
      found[name] ??= thrown.split(/(?<=[.:])\s(?=[A-Z(])/)[0].replaceAll('|', '\\|');
    }
  return found;
}
