/** Fields of syntax nodes, and from which element of a list on a line may begin there: never where a newline would end a statement (`return`, `throw`, `async x => …`). */
const BREAKS = {
  arguments: 0,
  body: 0,
  cases: 0,
  consequent: 0,
  alternate: 0,
  right: 0,
  elements: 0,
  properties: 0,
  declarations: 1,
  expressions: 1,
  params: 1,
  specifiers: 1,
};

/**
 * JavaScript text with no line longer than `width` where that can be helped: newlines between statements, the
 * elements of lists and after operators, as the syntax tree says. An uncaught error prints one line, not a file.
 */
export function breakLines(code, tree, width) {
  const cuts = [];
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) cuts.push([at + 1, true]);
  visit(tree, cuts);
  cuts.push([code.length, false]);
  cuts.sort(([a], [b]) => a - b);
  let [out, written, line, last] = ['', 0, 0, 0];
  for (const [at, isNewline] of cuts) {
    if (at - line > width && last > line) {
      out += `${code.slice(written, last)}\n`;
      written = last;
      line = last;
    }
    if (isNewline) line = at;
    last = at;
  }
  return out + code.slice(written);
}

function visit(node, cuts) {
  for (const [field, value] of Object.entries(node)) {
    const children = (Array.isArray(value) ? value : [value]).filter((child) => child?.type !== undefined);
    const first = field === 'expressions' && node.type === 'TemplateLiteral' ? 0 : BREAKS[field];
    for (const [i, child] of children.entries()) {
      if (i >= first) cuts.push([child.start, false]);
      visit(child, cuts);
    }
  }
}
