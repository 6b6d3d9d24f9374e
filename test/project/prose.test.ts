import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  cellsOfMarkdown,
  commentsOfSource,
  median,
  proseOfMarkdown,
  proseOfSource,
  type Sentence,
  sentences,
} from '../../scripts/lib/prose.mjs';

/** Words of a sentence: the middle one, and the longest. */
const [USUAL, LONGEST] = [16, 25];

const under = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => `${folder}/${name}`);

const read = (path: string): string => readFileSync(path, 'utf8');
const inSources = (folder: string): Sentence[] =>
  under(folder, /\.tsx?$/).flatMap((path) => proseOfSource(path, read(path)));

const SURFACES: readonly (readonly [string, number, () => Sentence[]])[] = [
  [
    'README and guide',
    150,
    () => ['README.md', ...under('docs/guide', /\.md$/)].flatMap((path) => proseOfMarkdown(read(path))),
  ],
  ['the report', 120, () => inSources('src/report')],
  ['the page', 80, () => inSources('src/page')],
  ['the command line', 200, () => inSources('src/cli')],
  ['the linter', 60, () => inSources('src/lint')],
];

describe.each(SURFACES)('%s', (_, least, proseOf) => {
  const found = proseOf();
  it('has sentences that people read at once', () => {
    expect(found.length).toBeGreaterThan(least);
    expect(median(found.map(({ words }) => words))).toBeLessThanOrEqual(USUAL);
    expect(found.filter(({ words }) => words > LONGEST).map(({ text }) => text)).toEqual([]);
  });
});

it('tables of README and guide have no sentence that is longer', () => {
  const cells = ['README.md', ...under('docs/guide', /\.md$/)].flatMap((path) => cellsOfMarkdown(read(path)));
  expect(cells.length).toBeGreaterThan(80);
  expect(cells.filter(({ words }) => words > LONGEST).map(({ text }) => text)).toEqual([]);
});

it('comments have no sentence that is longer', () => {
  const found = ['src', 'assembly', 'bindings'].flatMap((folder) =>
    under(folder, /\.tsx?$/).flatMap((path) =>
      commentsOfSource(read(path)).map((each) => ({ path, ...each })),
    ),
  );
  expect(found.length).toBeGreaterThan(8000);
  expect(found.filter(({ words, text }) => words > LONGEST || text.startsWith('The same '))).toEqual([]);
});

/** What stopped a reader, and what took its place says otherwise. */
const GONE = [
  'this tells what you may publish',
  'shows how little it could be improved',
  'that something is proved of',
  'read the row of',
  'a floor of mu as its window',
  'Whoever could guess',
  'one number tells all',
  'as bad at each error rate',
  'known from both sides',
  'saying μ only',
  'nearly always right is not excluded',
  'what it grows to',
  'p-value is within',
  'loss so far epsilon at most',
  'but with probability',
  'nothing is proved of these batches',
  'composes by squares',
  'chance of no guarantee',
  'a word or key pressed',
  'stand on ladders',
  'hide behind a far tail',
  'with no try nothing',
  'not told enough',
  'stands in `POLICY`',
  'The same of ',
];

it('sentences that stopped readers are gone', () => {
  const texts = ['README.md', ...under('docs', /\.md$/), ...under('src', /\.tsx?$/)];
  const kept = texts.flatMap((path) => {
    const text = read(path).replace(/\s+/g, ' ');
    return GONE.filter((each) => text.includes(each)).map((each) => `${path}: ${each}`);
  });
  expect(kept).toEqual([]);
});

describe('the measure', () => {
  it('parts at full stops alone', () => {
    const text = 'One two three: four, five; six. “Is it so?” Yes, at 0.5 of it it is.';
    expect(sentences(text).map(({ words }) => words)).toEqual([6, 3, 7]);
  });
  it('reads prose of Markdown, not code, tables or addresses', () => {
    const text =
      '# A heading here\n\nA [link to it](docs/x.md) is here.\n\n| a table row here |\n\n- one item of a list\n- another item of it\n\n```js\nno prose in code\n```\n';
    expect(proseOfMarkdown(text).map(({ text: each }) => each)).toEqual([
      'A [link to it] is here.',
      'one item of a list',
      'another item of it',
    ]);
  });
  it('reads comments, and ends a sentence at a tag', () => {
    const source =
      '/**\n * One two three four. Five six\n * seven; eight nine ten.\n * @param a It is a number\n */\nconst a = 1; // not\n  // a line of\n  // two lines\n';
    expect(commentsOfSource(source).map(({ words }) => words)).toEqual([4, 3, 3, 5, 5]);
  });
  it('reads the cells of tables one by one', () => {
    const text =
      '| loader | what it is |\n| --- | --- |\n| one of them | It draws [a batch](x.md) each time. Twice. |';
    expect(cellsOfMarkdown(text).map(({ words }) => words)).toEqual([3, 3, 6]);
  });
  it('reads sentences with semicolons and equals signs, not styles or markup', () => {
    const source =
      "const a = 'It is long; it has two parts, where ε = 0 is right.'; const b = 'color: red; margin: 0 auto of it;';";
    expect(proseOfSource('a.ts', source).map(({ words }) => words)).toEqual([12]);
  });
  it('reads strings, templates and JSX', () => {
    const source =
      'const a = <p>All of it <b>{n}</b> is read here.</p>; const b = `There are $' +
      "{n} of them here.`; import 'x y z a b';";
    expect(proseOfSource('a.tsx', source).map(({ words }) => words)).toEqual([7, 6]);
  });
});
