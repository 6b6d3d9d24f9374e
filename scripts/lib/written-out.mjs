// The kernel's text as JavaScript: what assembly/lane/lanes.ts and assembly/lane/memory.ts do, and every function marked `@inline`, is written out where it is called, since an
// engine inlines only so many calls of a function, and so that the arm of a `select` that is not taken is not worked out.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { root } from './setup.mjs';

// an import would read its nine megabytes twice, to find the names that it exports
const ts = createRequire(import.meta.url)('typescript');

const SOURCES = ['assembly/lane/lanes.ts', 'assembly/lane/memory.ts'];
const OF_OPERATIONS = /^assembly\/lane\/(?:lanes|memory)\.js$/;
/** The arrays of assembly/lane/memory.ts: a function of the kernel reads them once, since memory never grows while it runs. */
const ARRAYS = ['numbers', 'words'];
/** What else these calls need, and where it is. */
const IMPORTS = {
  ROUND: 'src/kernel/constants.js',
  numbers: 'assembly/lane/memory.js',
  words: 'assembly/lane/memory.js',
};

/** Longer functions stay calls: written out in several places they make what is loaded longer, and gain little. */
const MOST_STATEMENTS = 20;
const MARK = '/* @inline */';

const parse = (text) => ts.createSourceFile('x.ts', text, ts.ScriptTarget.ES2022, true);
let operations;

/** The text of a file of assembly/ with these calls written out, line for line. */
export function writtenOut(name, text) {
  const path = name.replaceAll('\\', '/');
  if (!/^assembly\b/.test(path) || SOURCES.includes(path)) return text;
  const further = new Map();
  const written = withArrays(parse(expanded(path, text, further)));
  const needed = Object.entries(IMPORTS).filter(([name]) => written.includes(`$${name}`));
  const names = needed.map(([name, from]) => {
    const local = ARRAYS.includes(name) ? name : `${name} as $${name}`;
    return importOf(path, local, from);
  });
  const others = [...further].map(([name, from]) => importOf(path, name, from));
  return `${names.join('')}${others.join('')}${written}`;
}

/** An import of a module by its path in the project. */
function importOf(path, name, from) {
  const to = posix.relative(posix.dirname(path), from);
  return `import { ${name} } from '${to.startsWith('.') ? to : `./${to}`}';`;
}

/** The text with every call written out that can be, the innermost functions first. What these name and the text does not import goes to `further`. */
function expanded(path, text, further) {
  operations ??= operationsOf();
  const source = parse(text);
  const known = importsOf(path, source);
  const own = new Set(names(source).map(({ text }) => text));
  const templates = new Map([...operations].filter(([name]) => OF_OPERATIONS.test(known.get(name) ?? '')));
  for (const [name, from] of known) {
    const template = inlinedOf(from).get(name);
    if (!template) continue;
    const asked = template.free.filter((free) => !free.startsWith('$') && !known.has(free));
    if (asked.some((free) => own.has(free) || !template.imports.has(free))) continue;
    for (const free of asked) further.set(free, template.imports.get(free));
    templates.set(name, template);
  }
  calls = 0;
  let now = substituted(source, templates);
  for (const done = new Set(); ; ) {
    const tree = parse(now);
    const open = marked(tree).filter(({ name }) => !done.has(name.text));
    const inner = open.filter(
      ({ body }) => !names(body).some(({ text }) => open.some(({ name }) => name.text === text)),
    );
    if (inner.length === 0) return now;
    for (const { name } of inner) done.add(name.text);
    const ready = inner.map((node) => [node.name.text, templateOf(node)]).filter(([, template]) => template);
    now = substituted(tree, new Map(ready));
  }
}

/** What a file of assembly/ imports: names, and the paths of the modules that they are from. */
function importsOf(path, source) {
  const found = new Map();
  for (const { importClause, moduleSpecifier } of source.statements.filter(ts.isImportDeclaration))
    for (const { name } of importClause.namedBindings.elements ?? [])
      found.set(name.text, posix.join(posix.dirname(path), moduleSpecifier.text));
  return found;
}

const inlined = new Map();

/** The marked functions of a module of assembly/, for other modules. */
function inlinedOf(from) {
  if (!from.startsWith('assembly/') || OF_OPERATIONS.test(from)) return new Map();
  if (!inlined.has(from)) {
    inlined.set(from, new Map());
    const path = from.replace(/js$/, 'ts');
    const text = readFileSync(join(root, path), 'utf8');
    const further = new Map();
    const source = parse(expanded(path, text, further));
    const imports = new Map([...further, ...importsOf(path, source)]);
    const functions = marked(source).map((node) => [node.name.text, templateOf(node)]);
    const found = functions.filter(([, template]) => template);
    inlined.set(from, new Map(found.map(([name, template]) => [name, { ...template, imports }])));
  }
  return inlined.get(from);
}

const functionsOf = (source) => source.statements.filter(ts.isFunctionDeclaration);
const marked = (source) => functionsOf(source).filter((node) => node.getFullText().includes(`${MARK} `));

/** The operations, each of one expression. */
function operationsOf() {
  const sources = SOURCES.flatMap((path) => functionsOf(parse(readFileSync(join(root, path), 'utf8'))));
  const templates = sources.map((node) => [
    node.name.text,
    node.body.statements.length === 1 && templateOf(node),
  ]);
  return new Map(templates.filter(([, template]) => template));
}

/** A function of one expression, or of statements without a result: its parameters, and its own names. Nothing for others. */
function templateOf({ parameters, body }) {
  const [only, ...more] = body.statements;
  const alone = more.length === 0 && (ts.isReturnStatement(only) || ts.isExpressionStatement(only));
  const expression = alone ? only.expression : undefined;
  const changes = (node) => ts.isBinaryExpression(node) && /[^=!<>]=$|^=$/.test(node.operatorToken.getText());
  const given = parameters.map(({ name, initializer }) => ({
    name: name.text,
    fallback: initializer?.getText(),
    uses: names(body).filter(({ text }) => text === name.text).length,
  }));
  if (expression === undefined) {
    if (body.statements.length > MOST_STATEMENTS) return undefined;
    const parts = all(body);
    if (
      parts.some(ts.isReturnStatement) ||
      parts.some((node) => changes(node) && given.some(({ name }) => name === node.left.getText()))
    )
      return undefined;
  }
  const own = all(body)
    .filter(ts.isVariableDeclaration)
    .map(({ name }) => name.text);
  const known = new Set([...given.map(({ name }) => name), ...own, 'Math']);
  const free = [...new Set(names(body).map(({ text }) => (text in IMPORTS ? `$${text}` : text)))].filter(
    (name) => !known.has(name),
  );
  return { expression, body, parameters: given, own, free };
}

const all = (node) => [node, ...node.getChildren().flatMap(all)];

/** The names in a text that are no types and no properties. */
function names(node) {
  return all(node).filter(isName);
}

function isName(node) {
  const { parent } = node;
  if (!ts.isIdentifier(node) || ts.isTypeReferenceNode(parent)) return false;
  return !ts.isPropertyAccessExpression(parent) || parent.expression === node;
}

/** Calls written out in a text: the names of each have its number. */
let calls = 0;

/** The text with the calls of these written out. */
function substituted(source, templates) {
  const print = (node) => {
    const call = ts.isExpressionStatement(node) ? node.expression : node;
    const template = ts.isCallExpression(call) && templates.get(call.expression.getText());
    // of a function of statements the whole statement, of an expression the call
    const whole = template && (template.expression === undefined) === (call !== node);
    return (whole ? writeOut(node, call.arguments, template, print) : undefined) ?? spliced(node, print);
  };
  return print(source);
}

function writeOut(node, given, { expression, body, parameters, own }, print) {
  const values = new Map();
  const lead = node.getFullText().slice(0, node.getStart() - node.getFullStart());
  const before = [];
  calls++;
  for (const [i, { name, fallback, uses }] of parameters.entries()) {
    const argument = given[i];
    const text = argument === undefined ? fallback : print(argument).trim();
    const simple = argument === undefined || isSimple(argument);
    if (!simple && expression === undefined) {
      before.push(`const ${name}$${calls} = ${text};`);
      values.set(name, `${name}$${calls}`);
    } else {
      if (!simple && uses > 1) return undefined;
      values.set(name, /^[\w.$]*$/.test(text) ? text : `(${text})`);
    }
  }
  for (const name of own) values.set(name, `${name}$${calls}`);
  const rewrite = (child) => {
    if (!isName(child)) return spliced(child, rewrite);
    const space = child.getFullText().slice(0, child.getStart() - child.getFullStart());
    return space + (values.get(child.text) ?? (child.text in IMPORTS ? `$${child.text}` : child.text));
  };
  const inside = onOneLine(rewrite(expression ?? body));
  const text = expression ? `${lead}(${inside})` : `${lead}{ ${before.join(' ')} ${inside} }`;
  return text + '\n'.repeat(Math.max(0, lines(node.getFullText()) - lines(text)));
}

const onOneLine = (text) =>
  text
    .replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .trim();

const FUNCTIONS = [ts.isFunctionDeclaration, ts.isMethodDeclaration, ts.isConstructorDeclaration];

/** Functions that use the arrays, with these read at their start. */
function withArrays(source) {
  const print = (node) => {
    const text = spliced(node, print);
    if (!FUNCTIONS.some((is) => is(node)) || !node.body) return text;
    const used = ARRAYS.filter((name) => text.includes(`$${name}`));
    const opened = text.length - spliced(node.body, print).trimStart().length;
    return `${text.slice(0, opened + 1)}${used.map((name) => ` const $${name} = ${name};`).join('')}${text.slice(opened + 1)}`;
  };
  return print(source);
}

/** The text of a node with its children's texts replaced. */
function spliced(node, textOf) {
  const whole = node.getSourceFile().text;
  let out = '';
  let at = node.getFullStart();
  ts.forEachChild(node, (child) => {
    out += whole.slice(at, child.getFullStart()) + textOf(child);
    at = child.getEnd();
  });
  return out + whole.slice(at, node.getEnd());
}

const lines = (text) => text.split('\n').length - 1;

/** What may be worked out twice: names, numbers and their sums, true and false. */
function isSimple(node) {
  return (
    ts.isIdentifier(node) ||
    ts.isNumericLiteral(node) ||
    node.kind === ts.SyntaxKind.TrueKeyword ||
    node.kind === ts.SyntaxKind.FalseKeyword ||
    (ts.isPropertyAccessExpression(node) && isSimple(node.expression)) ||
    (ts.isBinaryExpression(node) &&
      node.operatorToken.kind === ts.SyntaxKind.PlusToken &&
      isSimple(node.left) &&
      isSimple(node.right))
  );
}
