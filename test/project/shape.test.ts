import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** What a reader can hold in mind: lines of a function, positional parameters, lines of a file. */
const MOST_LINES = 60;
/** Of a view, whose lines are mostly elements. */
const MOST_LINES_OF_VIEW = 85;
const MOST_PARAMETERS = 5;
const MOST_IN_A_FILE = 450;

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('generated'),
    )
    .map((entry) => join(entry.parentPath, entry.name));
}

function offences(file: string, text: string): string[] {
  const source = ts.createSourceFile(
    file,
    text,
    ts.ScriptTarget.ES2022,
    true,
    file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const lineOf = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const found: string[] = [];
  const lines = lineOf(source.end);
  if (lines > MOST_IN_A_FILE + 1) found.push(`${file} has ${lines} lines`);
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const first = lineOf(node.getStart(source));
      const length = lineOf(node.end) - first + 1;
      if (length > (file.endsWith('.tsx') ? MOST_LINES_OF_VIEW : MOST_LINES))
        found.push(`${file}:${first} is a function of ${length} lines`);
      if (node.parameters.length > MOST_PARAMETERS)
        found.push(`${file}:${first} takes ${node.parameters.length} parameters`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * The engines take arrays and numbers as the module's own exports do, where a record would be made for every call; the
 * contour method is still to be cut up: nothing may be added here.
 */
const EXEMPT = ['bindings/', 'src/reference/', 'src/methods/contour/'];
const isExempt = (file: string): boolean => EXEMPT.some((place) => file.startsWith(place));

test('no function, parameter list or file of src and bindings is too long to read at a glance', () => {
  const files = [...filesUnder('src'), ...filesUnder('bindings')];
  expect(files.length).toBeGreaterThan(200);
  const read = files.filter((file) => !isExempt(file));
  expect(read.flatMap((file) => offences(file, readFileSync(file, 'utf8')))).toEqual([]);
});

test('the check finds what it is for', () => {
  const long = `function f(): void {\n${'  g();\n'.repeat(60)}}\n`;
  expect(offences('x.ts', long)).toEqual(['x.ts:1 is a function of 62 lines']);
  expect(offences('x.ts', 'const f = (a, b, c, d, e, g) => a;')).toEqual(['x.ts:1 takes 6 parameters']);
  expect(offences('x.ts', 'const f = ({ a, b, c, d, e, g }) => a;')).toEqual([]);
});
