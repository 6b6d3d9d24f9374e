import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** What a reader can hold in mind: lines of a function, positional parameters, lines of a file. */
const MOST_LINES = 60;
/** Of a view, whose lines are mostly elements. */
const MOST_LINES_OF_VIEW = 85;
const MOST_PARAMETERS = 5;
const MOST_IN_A_FILE = 400;
/** Of a test, where tables of cases stand. */
const MOST_IN_A_TEST = 480;

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /\.(?:tsx?|mjs)$/.test(entry.name) && !entry.parentPath.includes('generated'),
    )
    .map((entry) => join(entry.parentPath, entry.name));
}

const trees = new Map<string, ts.SourceFile>();

/** The syntax tree of a file, made once. */
function parsed(file: string, text: string): ts.SourceFile {
  const known = trees.get(text);
  if (known !== undefined) return known;
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, false, kind);
  trees.set(text, tree);
  return tree;
}

function offences(file: string, text: string): string[] {
  const source = parsed(file, text);
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

test('no function, parameter list or file of src and bindings is too long to read at a glance', () => {
  const files = [...filesUnder('src'), ...filesUnder('bindings')];
  expect(files.length).toBeGreaterThan(200);
  expect(files.flatMap((file) => offences(file, readFileSync(file, 'utf8')))).toEqual([]);
});

test('no script is too long either, and no file of tests', () => {
  const tests = filesUnder('test').filter((file) => !file.includes('golden'));
  expect(tests.length).toBeGreaterThan(150);
  const long = tests.filter((file) => readFileSync(file, 'utf8').split('\n').length > MOST_IN_A_TEST + 1);
  expect(long).toEqual([]);
  expect(filesUnder('scripts').flatMap((file) => offences(file, readFileSync(file, 'utf8')))).toEqual([]);
});

/** Constants of a module that are numbers, or made of them, and have no comment of their own or of the ones that they follow. */
function bareNumbers(file: string, text: string): string[] {
  const source = parsed(file, text);
  const found: string[] = [];
  let said = false;
  for (const statement of source.statements) {
    const before = text.slice(statement.getFullStart(), statement.getStart(source));
    const follows = ts.isVariableStatement(statement) && !before.includes('\n\n');
    said = /\/\*\*|\/\//.test(before) || (said && follows);
    if (!ts.isVariableStatement(statement) || said) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (initializer && isNumber(initializer)) found.push(`${file}: ${name.getText(source)}`);
  }
  return found;
}

function isNumber(node: ts.Expression): boolean {
  if (ts.isPrefixUnaryExpression(node)) return isNumber(node.operand);
  if (ts.isBinaryExpression(node)) return isNumber(node.left) || isNumber(node.right);
  if (ts.isArrayLiteralExpression(node)) return node.elements.length > 0 && node.elements.every(isNumber);
  if (ts.isAsExpression(node)) return isNumber(node.expression);
  return ts.isNumericLiteral(node);
}

test('every number that a module is built on says what it is', () => {
  const rooms = filesUnder('src').filter((file) => !/^src\/(?:page|cli)\//.test(file));
  expect(rooms.flatMap((file) => bareNumbers(file, readFileSync(file, 'utf8')))).toEqual([]);
});

test('the check finds what it is for', () => {
  expect(bareNumbers('x.ts', 'const A = 2 ** -5;\n\n/** Two. */\nconst B = 1;\nconst C = [1, 2];\n')).toEqual(
    ['x.ts: A'],
  );
  const long = `function f(): void {\n${'  g();\n'.repeat(60)}}\n`;
  expect(offences('x.ts', long)).toEqual(['x.ts:1 is a function of 62 lines']);
  expect(offences('x.ts', 'const f = (a, b, c, d, e, g) => a;')).toEqual(['x.ts:1 takes 6 parameters']);
  expect(offences('x.ts', 'const f = ({ a, b, c, d, e, g }) => a;')).toEqual([]);
});
