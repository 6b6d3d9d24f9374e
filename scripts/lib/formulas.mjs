// Where the formulas are in a text that marks none: runs of signs, variables and numbers between the words of a sentence.
import { NAMES } from './mathml.mjs';

const SIGNS = '=≤≥<>≠≈≡∈∉∪∩~→↦←+−±∓·×⊗∘/‖…';
const SURE = /[_^=≤≥<>≠≈≡∈∉⊗→↦+−±·‖∫∑∏√∞½¼′″₀-ₜ⁰-ⁿ²³¹Α-Ωα-ωϕϵ|]|\u0302|\u0303|\u0304/u;
const [OPENING, CLOSING] = ['([{⟨⌈⌊', ')]}⟩⌉⌋'];
/** Single letters that are words as often. */
const ARTICLES = /^[aAI]$/;
/** Two letters that are a word; two others are a product. */
const SHORT_WORDS =
  /^(?:an|am|as|at|be|by|do|et|al|go|he|if|in|is|it|me|my|no|of|on|or|so|to|th|up|us|vs|we|cf)$/;
/** More words than these in brackets are a remark, no formula. */
const WORDS_IN_BRACKETS = 4;

/**
 * @returns Parts of the text in their order: `{ formula }` or `{ text }`. Joined, they are the text.
 */
export function partsOf(text) {
  const chunks = chunksOf(text.normalize('NFC'));
  const kinds = chunks.map(({ core }) => kindOf(core));
  settle(chunks, kinds);
  const parts = [];
  const add = (kind, piece) => {
    if (piece === '') return;
    if (kind === 'text' && parts.at(-1)?.text !== undefined) parts.at(-1).text += piece;
    else parts.push({ [kind]: piece });
  };
  for (let i = 0; i < chunks.length; i++) {
    if (!isMath(kinds[i])) {
      add('text', chunks[i].whole);
      continue;
    }
    let [formula, last] = [chunks[i].core, i];
    while (
      chunks[last].after === '' &&
      last + 1 < chunks.length &&
      isMath(kinds[last + 1]) &&
      chunks[last + 1].before === ''
    ) {
      formula += chunks[last].gap + chunks[last + 1].core;
      last += 1;
    }
    add('text', chunks[i].before);
    add('formula', formula);
    add('text', chunks[last].after + chunks[last].gap);
    i = last;
  }
  return parts;
}

const isMath = (kind) => kind === 'sure' || kind === 'joined';

/** Pieces between blanks, whole where a bracket within them is open; `before` and `after` are punctuation of the sentence. */
function chunksOf(text) {
  const pieces = text.match(/\S+\s*|\s+/g) ?? [];
  const chunks = [];
  for (let i = 0; i < pieces.length; i++) {
    let piece = pieces[i];
    const most = Math.min(pieces.length, i + 40);
    const [before] = /^[“"(]*/.exec(piece);
    const bare = piece.slice(before.length);
    // a bracket that a formula opens within a piece is read to its end
    const opensWithin = depthOf(bare.trimEnd()) > 0 && !/^[[{(⟨⌈⌊]?\p{L}{3,}[^([{]*$/u.test(bare.trimEnd());
    const opensAtStart = before !== '' && depthOf(piece.trimEnd()) > 0;
    if (opensWithin || (opensAtStart && isFormulaInBrackets(pieces.slice(i, most).join('')))) {
      const start = opensAtStart && isFormulaInBrackets(pieces.slice(i, most).join('')) ? 0 : before.length;
      let [joined, j] = [piece, i];
      while (depthOf(joined.slice(start).trimEnd()) > 0 && j + 1 < most) joined += pieces[++j];
      if (depthOf(joined.slice(start).trimEnd()) <= 0) [piece, i] = [joined, j];
    }
    chunks.push(chunkOf(piece));
  }
  return chunks.flatMap(parted);
}

/** How many brackets stay open. */
function depthOf(text) {
  let depth = 0;
  for (const sign of text) {
    if (OPENING.includes(sign)) depth += 1;
    else if (CLOSING.includes(sign) && depth > 0) depth -= 1;
  }
  return depth;
}

/** Whether what the text begins with, in brackets, has signs in it and hardly a word. */
function isFormulaInBrackets(text) {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (OPENING.includes(text[i])) depth += 1;
    if (CLOSING.includes(text[i]) && --depth === 0) {
      const inside = text.slice(1, i);
      const words = inside.match(/\p{L}{3,}/gu)?.filter((word) => !NAMES.includes(word)) ?? [];
      const tied = /^[\^_²³⁺′/·]|^ ?[≤≥=<>+−·/]/.test(text.slice(i + 1));
      if (/^\p{L}(?:, \p{L})+$/u.test(inside)) return true;
      return words.length === 0 && SURE.test(inside) && (tied || !/[,;]/.test(inside));
    }
  }
  return false;
}

/** A piece without the punctuation of its sentence. */
function chunkOf(piece) {
  const gap = /\s*$/.exec(piece)[0];
  let core = piece.slice(0, piece.length - gap.length);
  let [before, after] = ['', ''];
  for (;;) {
    const end = core.at(-1);
    const isStop = /[.,;:!?”"∎]/.test(end ?? '') && core.length > 1;
    const isLoose = CLOSING.includes(end ?? '~') && surplus(core) > 0;
    if (!isStop && !isLoose) break;
    after = end + after;
    core = core.slice(0, -1);
  }
  while (core.length > 1 && (/[“"]/.test(core[0]) || (OPENING.includes(core[0]) && depthOf(core) > 0))) {
    before += core[0];
    core = core.slice(1);
  }
  return { before, core, after, gap, whole: piece };
}

function surplus(text) {
  let [depth, more] = [0, 0];
  for (const sign of text) {
    if (OPENING.includes(sign)) depth += 1;
    else if (CLOSING.includes(sign)) {
      if (depth > 0) depth -= 1;
      else more += 1;
    }
  }
  return more;
}

/** "μ-GDP", "δ_E's" and "(k + 1)-th" are a formula and a word. */
function parted(chunk) {
  const found = /^(.*?)((?:'s|[-–]\p{L}{2,}.*))$/u.exec(chunk.core);
  if (found === null || found[1] === '' || /\p{L}{3,}/u.test(found[1]) || /^\p{L}{2,}$/u.test(found[1]))
    return [chunk];
  return [{ ...chunk, core: found[1], after: found[2] + chunk.after }];
}

function kindOf(core) {
  if (core === '') return 'text';
  if (/^[-–—]$/.test(core)) return 'text';
  const words =
    core
      .match(/(?<![_^\p{L}]|_\{)[\p{L}]{3,}/gu)
      ?.filter((word) => !NAMES.includes(word) && !/[Α-ω]/u.test(word)) ?? [];
  const inBrackets = /[([{|]/.test(core);
  if (words.length > (inBrackets ? WORDS_IN_BRACKETS : 0)) return 'text';
  if (words.length > 0 && new RegExp(`^${words[0]}`, 'u').test(core)) return 'text';
  if ([...core].every((sign) => SIGNS.includes(sign))) return 'sign';
  if (/^\d*\([\p{L}\d]+\)$/u.test(core) || /^\([\d.e-]+\)$/.test(core) || /["”]/.test(core)) return 'text';
  if (/^[a-z]\p{L}$/u.test(core) && !SHORT_WORDS.test(core)) return 'sure';
  if (/^[A-Z]{2}$/.test(core)) return 'product';
  if (/^\p{L}(?:\u0302|\u0303|\u0304)?$/u.test(core)) return ARTICLES.test(core) ? 'article' : 'sure';
  if (/^[\d.,/]+%?$/.test(core)) return 'number';
  if (NAMES.includes(core))
    return /^(?:with|without|top|last|error|slope|range|mod)$/.test(core) ? 'word' : 'name';
  if (SURE.test(core)) return 'sure';
  if (/^[\p{L}\d]{0,3}[([{].*[)\]}]$/u.test(core) || /^\p{L}\/\p{L}+$/u.test(core)) return 'sure';
  if (new RegExp(`^(?:${NAMES.join('|')})[(\\[].*[)\\]]$`).test(core)) return 'sure';
  return /^[\d.]*\p{L}{1,2}$/u.test(core) && /\d/.test(core) ? 'sure' : 'text';
}

/** Numbers, names and articles belong to a formula beside them; a sign joins what stands on either side. */
function settle(chunks, kinds) {
  const open = (i) =>
    i >= 0 && i + 1 < chunks.length && chunks[i].after === '' && chunks[i + 1].before === '';
  const loose = (kind) => ['number', 'article', 'name', 'word', 'sign', 'product'].includes(kind);
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] !== 'sign') continue;
    const [left, right] = [
      open(i - 1) && (loose(kinds[i - 1]) || isMath(kinds[i - 1])),
      open(i) && (loose(kinds[i + 1]) || isMath(kinds[i + 1])),
    ];
    if (left && loose(kinds[i - 1])) kinds[i - 1] = 'joined';
    if (right && loose(kinds[i + 1])) kinds[i + 1] = 'joined';
    if (left || right) kinds[i] = 'joined';
    else kinds[i] = 'text';
  }
  for (let i = kinds.length - 1; i >= 0; i--)
    if (kinds[i] === 'name' && open(i) && isMath(kinds[i + 1])) kinds[i] = 'joined';
  for (let i = 0; i < kinds.length; i++)
    if (
      kinds[i] === 'number' &&
      ((open(i - 1) && kinds[i - 1] === 'joined') || (open(i) && kinds[i + 1] === 'joined'))
    )
      kinds[i] = 'joined';
}
