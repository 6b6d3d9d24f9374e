// The table of mutants: every term of every bound, each with the edit that takes it out and the tests that must then fail.
// A term is named by what it is and found by its text, which has to be in its file exactly once; lines may move.
// A mutant is a paragraph of a text below its source file, "== src/file.ts":
//   a term, in words (renyi.md 9)      what is taken out, and its statement in docs/proofs if it has one
//   - text that the file has once      several lines of it where the text has several
//   + what stands there instead        no such line where nothing does
//   > test/file.test.ts: a title       a test that must fail, as its file writes its title
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('.', import.meta.url);

export const MUTANTS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.txt'))
  .toSorted()
  .flatMap((name) => mutantsIn(readFileSync(new URL(name, FOLDER), 'utf8')));

function mutantsIn(text) {
  const sections = text.split(/^== /m).slice(1);
  return sections.flatMap((section) => {
    const [file, ...paragraphs] = section.trimEnd().split(/\n\n+/);
    return paragraphs.map((paragraph) => mutantIn(file, paragraph));
  });
}

function mutantIn(file, paragraph) {
  const [head, ...lines] = paragraph.split('\n');
  const strange = lines.find((line) => !/^[-+>]( |$)/.test(line));
  if (strange !== undefined) throw new Error(`a line of the mutant "${head}" is none: ${strange}`);
  const [, term, proof] = /^(.*?)(?: \(([\w-]+\.md \d+)\))?$/.exec(head);
  const marked = (mark) => lines.filter((line) => line[0] === mark).map((line) => line.slice(2));
  const tests = marked('>').map((test) => /^(.*?): (.*)$/.exec(test).slice(1));
  return { term, proof, file, find: marked('-').join('\n'), put: marked('+').join('\n'), tests };
}
