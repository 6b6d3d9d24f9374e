// What the package's entries export, as its sources declare it, with the documentation of each: read by syntax alone, no types are resolved.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './setup.mjs';

const sources = new Map();

function sourceOf(path) {
  if (!sources.has(path)) {
    const text = readFileSync(join(root, path), 'utf8');
    sources.set(path, ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true));
  }
  return sources.get(path);
}

/** The entries of code, by their name after the package's, with the source that stands behind each. */
export function entrySources() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([, { types }]) => types?.startsWith('./dist/types/src/'))
    .map(([name, { types }]) => [name, types.replace('./dist/types/', '').replace('.d.ts', '.ts')]);
}

/** Every export of every entry once: its name, its source and the nodes that declare it. */
export function exportedDeclarations() {
  const found = new Map();
  for (const [entry, path] of entrySources()) {
    for (const [name, at] of exportsOf(path)) {
      const key = `${at.path}#${at.name}`;
      if (found.has(key)) found.get(key).entries.push(entry);
      else found.set(key, { name, path: at.path, entries: [entry], nodes: declared(at.path, at.name) });
    }
  }
  return [...found.values()];
}

/** Where each exported name of a source is declared. */
function exportsOf(path) {
  const names = [];
  for (const statement of sourceOf(path).statements) {
    if (ts.isExportDeclaration(statement) && statement.exportClause !== undefined) {
      for (const { name, propertyName } of statement.exportClause.elements) {
        const from = (propertyName ?? name).text;
        const to = statement.moduleSpecifier?.text ?? importOf(path, from);
        names.push([name.text, to === undefined ? { path, name: from } : resolved(path, to, from)]);
      }
    } else if (ts.isExportDeclaration(statement)) {
      names.push(...exportsOf(join(dirname(path), statement.moduleSpecifier.text.replace(/\.js$/, '.ts'))));
    } else if (isExported(statement)) {
      for (const name of namesOf(statement)) names.push([name, { path, name }]);
    }
  }
  return names;
}

/** What a name is imported from, if it is. */
function importOf(path, name) {
  return sourceOf(path).statements.find(
    (statement) =>
      ts.isImportDeclaration(statement) &&
      statement.importClause?.namedBindings?.elements?.some((element) => element.name.text === name),
  )?.moduleSpecifier.text;
}

/** Follows re-exports to the source that declares the name. */
function resolved(from, to, name) {
  const path = join(dirname(from), to.replace(/\.js$/, '.ts'));
  if (declared(path, name).length > 0) return { path, name };
  const found = exportsOf(path).find(([exported]) => exported === name);
  if (found === undefined) throw new Error(`${path} does not export ${name}`);
  return found[1];
}

function declared(path, name) {
  return sourceOf(path).statements.filter((statement) => namesOf(statement).includes(name));
}

function namesOf(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.text);
  return ts.isDeclarationStatement(statement) && statement.name !== undefined ? [statement.name.text] : [];
}

const isExported = (node) =>
  ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;

/** The documentation before a node: its sentences, and its tags with their text. */
export function documentationOf(node) {
  const last = node.jsDoc?.at(-1);
  if (last === undefined) return undefined;
  const tags = (last.tags ?? []).map((tag) => ({
    name: tag.tagName.text,
    text: ts.getTextOfJSDocComment(tag.comment) ?? '',
  }));
  return { text: ts.getTextOfJSDocComment(last.comment) ?? '', tags };
}

/** Whether a declaration is a function, or a class that is more than an error. */
export const isCode = (node) =>
  ts.isFunctionDeclaration(node) || (ts.isClassDeclaration(node) && !/Error$/.test(extendsOf(node)));

const extendsOf = (node) => node.heritageClauses?.[0]?.types[0]?.expression.getText() ?? '';

/** Whether a function is given something that may be wrong. */
export const takesSomething = (node) => ts.isFunctionDeclaration(node) && node.parameters.length > 0;

/** A member that is one literal, as `kind: 'gaussian'`, says all itself. */
export const isDiscriminant = (member) => member.type !== undefined && ts.isLiteralTypeNode(member.type);

/** The members of an interface, class or object type that a reader meets, by name. */
export function membersOf(node) {
  const list = ts.isFunctionDeclaration(node) ? [] : (node.members ?? node.type?.members ?? []);
  return list.filter(
    (member) =>
      member.name !== undefined &&
      !ts.isPrivateIdentifier(member.name) &&
      !ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword),
  );
}
