// Proofs as pages: statements set off, proofs to their ∎, subscripts and superscripts. A plugin of markdown-it, the parser of TypeDoc.

/** A text that begins with this line is set so. */
export const FORMULAS = '<!-- formulas -->';

export const PROOF_STYLE = `
.statement, .proof { margin: 0.6em 0; padding-left: 0.9em; border-left: 3px solid #2563a8; }
.proof { border-left: 1px solid #8886; }
.formula { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: center; gap: 1em; margin: 0.8em 0 0.8em 1.5em; }
.formula > div { display: grid; row-gap: 0.5em; overflow-x: auto; padding: 2px 0; }
.qed { float: right; }
`;

/** A _ behind a sign begins no emphasis. */
const SCRIPT = /(?<=[^\s\w*`\\])_(?=[\p{L}{±])/gu;

export function proofPlugin(parser) {
  const withScripts = (text) => scripts(parser.utils.escapeHtml(text));
  parser.core.ruler.before('inline', 'scripts', (state) => {
    if (!isMarked(state)) return;
    for (const token of state.tokens)
      if (token.type === 'inline')
        token.content = token.content
          .split(/(`[^`]*`)/)
          .map((part) => (part.startsWith('`') ? part : part.replace(SCRIPT, '\\_')))
          .join('');
  });
  parser.core.ruler.push('proofs', (state) => {
    if (!isMarked(state)) return;
    const make = (type, tag, nesting, content = '') => {
      const token = new state.Token(type, tag, nesting);
      token.content = content;
      return token;
    };
    state.tokens = numbered(state.tokens, make, withScripts);
    // headings keep their words, of which addresses and menus are made
    for (const [i, { type, children }] of state.tokens.entries())
      if (type === 'inline' && state.tokens[i - 1].type !== 'heading_open')
        for (const child of children)
          if (child.type === 'text')
            Object.assign(child, { type: 'html_inline', content: withScripts(child.content) });
  });
}

const isMarked = ({ tokens: [first] }) => first?.type === 'html_block' && first.content.startsWith(FORMULAS);

/** `x_{i}`, `x_i`, `e^{x}` and `x^2` as subscripts and superscripts; those within others first. */
function scripts(text) {
  const set = text.replace(
    /([_^])(?:\{([^{}]*)\}|([\p{L}\d±+−*∗]))/gu,
    (_, sign, group, one) =>
      `<${sign === '_' ? 'sub' : 'sup'}>${group ?? one}</${sign === '_' ? 'sub' : 'sup'}>`,
  );
  return set === text ? text : scripts(set);
}

/** Statements, proofs and remarks are paragraphs of their own; formulas on lines of their own are numbered through the text. */
function numbered(tokens, make, withScripts) {
  const out = [];
  let [kind, count] = ['', 0];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token.type === 'code_block') {
      out.push(make('html_block', '', 0, formulaBlock(token.content, ++count, withScripts)));
    } else if (token.type === 'paragraph_open' && token.level === 0) {
      for (const piece of piecesOf(tokens[i + 1].children)) {
        kind = kindOf(piece, kind);
        out.push(...paragraph(piece, kind, make));
        const end = textOf(piece).trimEnd().at(-1);
        if (end === '∎' || (kind === 'statement' && /[.∎]/.test(end))) kind = '';
      }
      i += 2;
    } else {
      if (token.type === 'heading_open') kind = '';
      out.push(token);
    }
  }
  return out;
}

function formulaBlock(content, number, withScripts) {
  const lines = content.trim().split('\n');
  return `<div class="formula" id="formula-${number}"><div>${lines.map((line) => `<div>${withScripts(line)}</div>`).join('')}</div><span>(${number})</span></div>\n`;
}

/** A paragraph parted before each *Proof.* and after each ∎. */
function piecesOf(children) {
  const pieces = [[]];
  for (const [i, child] of children.entries()) {
    const opens = /^(?:em|strong)_open$/.test(child.type) && children[i + 1]?.content === 'Proof.';
    if (opens && pieces.at(-1).length > 0) pieces.push([]);
    if (child.type === 'text' && child.content.includes('∎')) {
      for (const text of child.content.split(/(?<=∎)\s*/)) {
        pieces.at(-1).push(copyOf(child, text));
        if (text.endsWith('∎')) pieces.push([]);
      }
    } else if (child.type === 'text' && child.content === '') {
    } else if (child.type !== 'softbreak' || pieces.at(-1).length > 0) pieces.at(-1).push(child);
  }
  return pieces.filter((piece) => piece.length > 0);
}

const copyOf = (child, content) =>
  Object.assign(Object.create(Object.getPrototypeOf(child)), child, { content });

const textOf = (piece) => piece.map(({ content }) => content).join('');

function kindOf(piece, kind) {
  const first = /^(?:em|strong)_open$/.test(piece[0].type) ? piece[1].content : '';
  if (first === 'Proof.') return 'proof';
  if (/^(?:T?\d+\. |Statement)/.test(first)) return 'statement';
  return kind === 'proof' || (kind === 'statement' && first === '') ? kind : '';
}

function paragraph(piece, kind, make) {
  const open = Object.assign(make('paragraph_open', 'p', 1), { block: true });
  if (kind !== '') open.attrSet('class', kind);
  const number = kind === 'statement' ? /^(T?\d+)\. /.exec(piece[1]?.content ?? '')?.[1] : undefined;
  if (number !== undefined) {
    open.attrSet('id', `statement-${number}`);
    if (/^\d/.test(number)) piece[1].content = `Statement ${piece[1].content}`;
  }
  const inline = Object.assign(make('inline', '', 0, textOf(piece)), {
    children: piece.flatMap((child) => qed(child, make)),
    block: true,
  });
  return [open, inline, Object.assign(make('paragraph_close', 'p', -1), { block: true })];
}

function qed(child, make) {
  if (child.type !== 'text' || !child.content.endsWith('∎')) return [child];
  return [
    copyOf(child, child.content.slice(0, -1)),
    make('html_inline', '', 0, '<span class="qed">∎</span>'),
  ];
}
