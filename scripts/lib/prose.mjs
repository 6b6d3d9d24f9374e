// Sentences that people read, and how long they are: of texts in Markdown, and of the strings and JSX of sources.
import ts from 'typescript';

/** Words of a sentence, and the sentence. */
const measured = (text) => ({
  words: text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
  text,
});

/** Parted at full stops, question and exclamation marks alone; fragments of two words or fewer are left out. */
export function sentences(text) {
  return text
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?]["”’)]?) (?=\S)/)
    .map((sentence) => measured(sentence.trim()))
    .filter(({ words }) => words > 2);
}

/** The prose of a page in Markdown: no code, tables, headings or addresses of links; a list item is a text of its own. */
export function proseOfMarkdown(text) {
  const prose = text
    .replace(/```.*?```/gs, '\n\n')
    .replace(/<!--.*?-->/gs, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split('\n')
    .map((line) => (/^\s*(\||#|<)/.test(line) ? '' : line))
    .join('\n');
  return prose
    .split(/\n\s*\n|\n\s*(?:[-*>]|\d+\.)\s/)
    .map((block) => block.replace(/^\s*(?:[-*>]|\d+\.)\s/, ''))
    .flatMap(sentences);
}

/** The sentences in the cells of a page's tables. */
export function cellsOfMarkdown(text) {
  const rows = text.split('\n').filter((line) => /^\s*\|/.test(line));
  return rows.flatMap((row) => row.replace(/\]\([^)]*\)/g, ']').split('|')).flatMap(sentences);
}

/** Strings, templates and text of JSX in a source; what a template puts in counts as a word. */
export function proseOfSource(path, source) {
  const file = ts.createSourceFile(
    path,
    source,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const found = [];
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push(node.text);
    else if (ts.isTemplateExpression(node))
      found.push(node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join(''));
    else if (ts.isJsxElement(node)) found.push(node.children.map(textOf).join(''));
    ts.forEachChild(node, visit);
  };
  visit(file);
  // a text of a sentence or more, no list of classes, path or markup
  return found
    .filter((text) => /[a-z]{2,} [a-z]{2,}.* /i.test(text) && !/[{}<>]|;\s*$|;\w|: \w+;|\w=[\w"']/.test(text))
    .flatMap(sentences)
    .filter(({ words }) => words > 3);
}

function textOf(node) {
  if (ts.isJsxText(node)) return node.text;
  if (ts.isJsxExpression(node)) {
    if (node.expression && ts.isStringLiteral(node.expression)) return node.expression.text;
    return 'X';
  }
  // an element of a line counts with it, others are texts of their own
  if (ts.isJsxElement(node))
    return /^(b|i|em|a|span|strong|code|abbr|num)$/i.test(node.openingElement.tagName.getText())
      ? node.children.map(textOf).join('')
      : '. ';
  return 'X';
}

/** The sentences of a source's comments, signs counted as words. A tag, an empty line or a semicolon ends one; examples are left out. */
export function commentsOfSource(source) {
  const blocks = [...source.matchAll(/\/\*\*?(.*?)\*\/|((?:^[ \t]*\/\/[^\n]*\n)+)/gms)];
  return blocks
    .map(([, block, lines]) => block ?? lines)
    .map((text) => text.replace(/^\s*(?:\*+|\/\/+) ?/gm, '').replace(/```.*?```/gs, ''))
    .flatMap((text) => text.split(/\n\s*\n|;\s|@[a-z]+\b/))
    .flatMap(sentences)
    .map(({ text }) => ({ text, words: text.split(/\s+/).length }));
}

/** The middle of the numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
