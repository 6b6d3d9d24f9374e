// Proofs as pages: statements set off, proofs to their ∎, formulas typeset. A plugin of markdown-it, the parser of TypeDoc.
import { partsOf } from './formulas.mjs';
import { displayMath, inlineMath } from './mathml.mjs';

/** A text that begins with this line has its formulas typeset. */
export const FORMULAS = '<!-- formulas -->';

export const PROOF_STYLE = `
math { font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math", "DejaVu Math TeX Gyre", math; }
.statement, .proof { margin: 0.6em 0; padding-left: 0.9em; border-left: 3px solid #2563a8; }
.proof { border-left: 1px solid #8886; }
.formula { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: center; gap: 1em; margin: 0.8em 0 0.8em 1.5em; }
.formula > div { display: grid; row-gap: 0.5em; overflow-x: auto; padding: 2px 0; }
.formula math { margin-right: 2em; }
.unbroken { white-space: nowrap; }
.qed { float: right; }
`;

/** A _ behind a sign begins no emphasis. */
const SCRIPT = /(?<=[^\s\w*`\\])_(?=[\p{L}{±])/gu;

export function proofPlugin(parser) {
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
    state.tokens = numbered(state.tokens, make).flatMap((token) => {
      if (token.type !== 'inline') return [token];
      return [Object.assign(token, { children: typeset(token.children, make) })];
    });
    state.tokens = headingsAsText(state.tokens);
  });
}

const isMarked = ({ tokens: [first] }) => first?.type === 'html_block' && first.content.startsWith(FORMULAS);

/** Words of a paragraph with their formulas; code, emphasis and links stay as they are. */
function typeset(children, make) {
  const joined = [];
  for (const child of children) {
    const [text, isText] = [
      child.type === 'softbreak' ? ' ' : child.content,
      child.type === 'text' || child.type === 'softbreak',
    ];
    if (isText && joined.at(-1)?.type === 'text') joined.at(-1).content += text;
    else joined.push(isText ? make('text', '', 0, text) : child);
  }
  return joined.flatMap((child) => {
    if (child.type !== 'text') return [child];
    const parts = partsOf(child.content);
    return parts.map(({ text, formula }, i) => {
      if (formula === undefined) return make('text', '', 0, text.slice(i > 0 ? stopsOf(text).length : 0));
      const after = stopsOf(parts[i + 1]?.text ?? '');
      const token = make('html_inline', '', 0, inlineMath(formula, after));
      return Object.assign(token, { meta: { formula: formula + after } });
    });
  });
}

/** The punctuation that a text begins with. */
const stopsOf = (text) => /^[.,;:)\]]*/.exec(text)[0];

/** Headings keep their words, of which addresses and menus are made. */
function headingsAsText(tokens) {
  for (const [i, { type }] of tokens.entries())
    if (type === 'heading_open')
      for (const child of tokens[i + 1].children)
        if (child.meta?.formula !== undefined) [child.type, child.content] = ['text', child.meta.formula];
  return tokens;
}

/** Statements, proofs and remarks are paragraphs of their own; formulas on lines of their own are numbered through the text. */
function numbered(tokens, make) {
  const out = [];
  let [kind, count] = ['', 0];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token.type === 'code_block') {
      out.push(make('html_block', '', 0, formulaBlock(token.content, ++count)));
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

function formulaBlock(content, number) {
  const lines = content.trim().split('\n');
  return `<div class="formula" id="formula-${number}"><div>${lines.map((line) => `<div>${displayMath(line)}</div>`).join('')}</div><span>(${number})</span></div>\n`;
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
