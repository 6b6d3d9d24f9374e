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

/** How good a place for a newline is: the more alike its surroundings always are, the less the newline costs when the file is packed. */
const [ANYWHERE, BEFORE_BODY, BETWEEN_STATEMENTS] = [0, 1, 2];

/**
 * JavaScript text with no line longer than `width` where that can be helped: newlines between the statements of the file, and where these are
 * longer before bodies, between statements, the elements of lists and after operators, as the syntax tree says. An uncaught error prints one line, not a file.
 */
export function breakLines(code, tree, width) {
  const cuts = [];
  for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1))
    cuts.push({ at: at + 1, isNewline: true });
  for (const { start } of tree.body.slice(1)) cuts.push({ at: start, isStatement: code[start - 1] !== '\n' });
  visit(tree, cuts);
  cuts.push({ at: code.length });
  cuts.sort((a, b) => a.at - b.at);
  let [out, line] = ['', 0];
  let written = 0;
  /** Places since the line began. */
  let places = [];
  const begin = (at) => {
    line = at;
    places = places.filter((place) => place.at > at);
  };
  const breakAt = (at) => {
    out += `${code.slice(written, at)}\n`;
    written = at;
    begin(at);
  };
  for (const cut of cuts) {
    while (cut.at - line > width && places.length > 0)
      breakAt(places.reduce((best, place) => (place.worth >= best.worth ? place : best)).at);
    if (cut.isNewline) begin(cut.at);
    else if (cut.isStatement) breakAt(cut.at);
    else if (cut.at > line && cut.worth !== undefined) places.push(cut);
  }
  return out + code.slice(written);
}

function visit(node, cuts) {
  for (const [field, value] of Object.entries(node)) {
    const children = (Array.isArray(value) ? value : [value]).filter((child) => child?.type !== undefined);
    const first = field === 'expressions' && node.type === 'TemplateLiteral' ? 0 : BREAKS[field];
    for (const [i, child] of children.entries()) {
      if (i >= first) cuts.push({ at: child.start, worth: worthOf(field) });
      visit(child, cuts);
    }
  }
}

function worthOf(field) {
  if (field === 'body') return BETWEEN_STATEMENTS;
  return field === 'consequent' ? BEFORE_BODY : ANYWHERE;
}
