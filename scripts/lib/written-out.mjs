// The kernel's text as JavaScript: what assembly/lanes.ts and assembly/memory.ts do is written out where it is called, since an engine inlines only so many calls
// of a function, and so that the arm of a `select` that is not taken is not worked out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './setup.mjs';

const SOURCES = ['assembly/lanes.ts', 'assembly/memory.ts'];
/** The arrays of assembly/memory.ts: a function of the kernel reads them once, since memory never grows while it runs. */
const ARRAYS = ['numbers', 'words'];
/** What else these calls need, and where it is. */
const IMPORTS = { ROUND: '../src/kernel/constants.js', numbers: './memory.js', words: './memory.js' };

/** Its functions make the memory, after they are entered. */
const MAKES_MEMORY = 'assembly/scalar.ts';

const parse = (path, text) => ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
let templates;

/** Functions of one expression: its text, parameters with their defaults, and how often each is used. */
function templatesOf() {
  const found = new Map();
  for (const path of SOURCES) {
    for (const node of parse(path, readFileSync(join(root, path), 'utf8')).statements) {
      const [only, ...more] = node.body?.statements ?? [];
      if (!ts.isFunctionDeclaration(node) || only === undefined || more.length > 0 || !only.expression)
        continue;
      found.set(node.name.text, {
        body: only.expression,
        parameters: node.parameters.map(({ name, initializer }) => ({
          name: name.text,
          fallback: initializer?.getText(),
          uses: identifiers(only.expression).filter(({ text }) => text === name.text).length,
        })),
      });
    }
  }
  return found;
}

function identifiers(node) {
  if (ts.isIdentifier(node)) return [node];
  return node.getChildren().flatMap(identifiers);
}

/** The text of a file of assembly/ with these calls written out, line for line. */
export function writtenOut(path, text) {
  if (!/^assembly\b/.test(path) || SOURCES.includes(path) || path === MAKES_MEMORY) return text;
  templates ??= templatesOf();
  const source = parse(path, text);
  const imported = new Set();
  for (const node of source.statements) {
    if (!ts.isImportDeclaration(node) || !/lanes|memory/.test(node.moduleSpecifier.text)) continue;
    for (const { name } of node.importClause.namedBindings.elements) imported.add(name.text);
  }
  const written = print(source, imported);
  const needed = Object.entries(IMPORTS).filter(([name]) => written.includes(`$${name}`));
  const names = needed.map(([name, from]) => {
    const local = ARRAYS.includes(name) ? name : `${name} as $${name}`;
    return `import { ${local} } from '${from}';`;
  });
  return `${names.join('')}${written}`;
}

function print(node, imported) {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && imported.has(node.expression.text)) {
    const call = writeOut(node, imported);
    if (call !== undefined) return call;
  }
  const text = spliced(
    node,
    (child) => print(child, imported),
    node.getSourceFile().text,
    node.getFullStart(),
  );
  if (!ts.isFunctionDeclaration(node)) return text;
  const used = ARRAYS.filter((name) => text.includes(`$${name}`));
  const opened =
    text.length -
    spliced(
      node.body,
      (child) => print(child, imported),
      node.getSourceFile().text,
      node.body.getFullStart(),
    ).trimStart().length;
  return `${text.slice(0, opened + 1)}${used.map((name) => ` const $${name} = ${name};`).join('')}${text.slice(opened + 1)}`;
}

/** The text of a node with its children's texts replaced. */
function spliced(node, textOf, whole, from) {
  let out = '';
  let at = from;
  ts.forEachChild(node, (child) => {
    out += whole.slice(at, child.getFullStart()) + textOf(child);
    at = child.getEnd();
  });
  return out + whole.slice(at, node.getEnd());
}

function writeOut(node, imported) {
  const template = templates.get(node.expression.text);
  if (template === undefined) return undefined;
  const values = new Map();
  for (const [i, { name, fallback, uses }] of template.parameters.entries()) {
    const argument = node.arguments[i];
    if (uses > 1 && argument && !isSimple(argument)) return undefined;
    const text = argument === undefined ? fallback : print(argument, imported).trim();
    values.set(name, argument === undefined || isSimple(argument) ? text : `(${text})`);
  }
  const substitute = (child) => {
    if (ts.isIdentifier(child)) {
      const lead = child.getFullText().slice(0, child.getStart() - child.getFullStart());
      if (values.has(child.text)) return lead + values.get(child.text);
      if (child.text in IMPORTS) return `${lead}$${child.text}`;
      return child.getFullText();
    }
    return spliced(child, substitute, child.getSourceFile().text, child.getFullStart());
  };
  const before = node.getFullText();
  const text = `${before.slice(0, node.getStart() - node.getFullStart())}(${substitute(template.body).trim()})`;
  return text + '\n'.repeat(Math.max(0, lines(before) - lines(text)));
}

const lines = (text) => text.split('\n').length - 1;

function isSimple(node) {
  return (
    ts.isIdentifier(node) ||
    ts.isNumericLiteral(node) ||
    (ts.isPropertyAccessExpression(node) && isSimple(node.expression))
  );
}
