// Formulas in the linear notation of docs/proofs (Unicode, with _ and ^ for scripts and { } around what belongs together) as MathML.

const SUPERSCRIPTS = Object.fromEntries(
  [...'⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵏᵀ'].map((sign, i) => [sign, [...'0123456789+−nkT'][i]]),
);
const SUBSCRIPTS = Object.fromEntries(
  [...'₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₖₙₜ'].map((sign, i) => [sign, [...'0123456789+−()knt'][i]]),
);
const PRIMES = { '′': '′', '″': '″', "'": '′' };
/** Combining marks, and the accent each stands for. */
const ACCENTS = { '\u0304': '‾', '\u0302': '^', '\u0303': '~' };
/** Names of functions and of several letters; all else of letters is a product of one-letter variables. */
export const NAMES =
  'log exp max min sup inf lim sinh cosh tanh sin cos tan asin arg Re Im Var Cov Bin Beta Gamma Laplace Uniform Exp TPR FPR TP FP sd top last without with mod error slope range'.split(
    ' ',
  );
const RELATIONS = '=≤≥<>≠≈≡∈∉⊂⊆→↦~←:';
const SIGNS = '+−±∓';
const BIG = { Σ: '∑', '∑': '∑', '∏': '∏', Π: '∏', '∫': '∫' };
const CLOSING = { '(': ')', '[': ']', '{': '}', '⟨': '⟩', '⌈': '⌉', '⌊': '⌋' };
const OTHER = { '…': '…', '∞': '∞', '½': '½', '¼': '¼', '∂': '∂', '⊤': '⊤', '∅': '∅', '%': '%', '∎': '∎' };
const NUMBER = /^(?:\d+(?:,\d{3})+|\d*\.?\d+)(?:e[-−]?\d+(?!\^))?/;
/** Formulas longer than this may be broken at signs as well as at relations. */
const LONG = 28;
/** And shorter ones nowhere. */
const SHORT = 12;

const THIN = '<mspace width="0.17em"/>';

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A line of formulas, parted where wide gaps part them. */
export function displayMath(source) {
  const parts = source.trim().split(/\s{2,}/);
  return parts
    .map(
      (part) =>
        `<math displaystyle="true">${rowsOf(part)
          .map(({ xml }) => xml)
          .join('')}</math>`,
    )
    .join('<wbr>');
}

/** A formula within text: a line may end before each of its relations, and before the signs of a long one, never before `after`. */
export function inlineMath(source, after = '') {
  const pieces = [[]];
  const breaks = source.length > LONG ? RELATIONS + SIGNS : source.length > SHORT ? RELATIONS : '';
  for (const [i, row] of rowsOf(source).entries()) {
    if (i > 0 && row.sign !== undefined && breaks.includes(row.sign)) pieces.push([]);
    pieces.at(-1).push(row.xml);
  }
  const lines = pieces.map((piece) => `<math>${piece.join('')}</math>`);
  if (after !== '') lines.push(`<span class="unbroken">${lines.pop()}${escaped(after)}</span>`);
  return lines.join('<wbr>');
}

/** The top level of a formula as MathML, atom by atom; `sign` is the operator that an atom is. */
export function rowsOf(source) {
  const reader = { text: source.normalize('NFD').replace(/([=≤≥<>])\u0338/g, '≠'), at: 0 };
  const rows = readUntil(reader, '');
  if (reader.at < reader.text.length) throw new Error(`"${source}" closes what it never opened`);
  return rows;
}

/** Atoms up to a closing sign, which is left where it is. */
function readUntil(reader, end) {
  const rows = [];
  while (reader.at < reader.text.length) {
    const next = reader.text[reader.at];
    if (end !== '' && end.includes(next)) return rows;
    if (end === '' && ')]}⟩⌉⌋'.includes(next)) rows.push({ xml: operator(take(reader)) });
    else if (/\s/.test(next)) space(reader, rows);
    else {
      const whole = scripted(reader, atom(reader, rows));
      if (whole.name !== undefined && rows.at(-1)?.operand) rows.push({ xml: THIN });
      rows.push(whole);
    }
  }
  if (end !== '') throw new Error(`"${reader.text}" lacks a ${end}`);
  return rows;
}

/** A blank after a name keeps it from its argument. */
function space(reader, rows) {
  const [gap] = /^\s+/.exec(reader.text.slice(reader.at));
  reader.at += gap.length;
  if (rows.at(-1)?.name && /^[^\s(=≤≥<>)\]}]/.test(reader.text.slice(reader.at))) rows.push({ xml: THIN });
}

const take = (reader) => reader.text[reader.at++];

function atom(reader, rows) {
  const rest = reader.text.slice(reader.at);
  const number = NUMBER.exec(rest);
  if (number !== null) {
    reader.at += number[0].length;
    return { xml: `<mn>${number[0]}</mn>`, operand: true };
  }
  if (/^\p{L}/u.test(rest) && !(rest[0] in BIG)) return letters(reader, rest);
  const sign = take(reader);
  if (sign in BIG) return { xml: `<mo>${BIG[sign]}</mo>`, limits: sign !== '∫' };
  if (sign === '√') return root(reader);
  if (sign in CLOSING) return group(reader, sign);
  if (sign in OTHER) return { xml: `<mi mathvariant="normal">${OTHER[sign]}</mi>` };
  if (
    sign in SUPERSCRIPTS ||
    sign in SUBSCRIPTS ||
    sign in PRIMES ||
    sign === '*' ||
    sign === '^' ||
    sign === '_'
  ) {
    reader.at -= 1;
    return { xml: '<mi></mi>' };
  }
  return operatorAtom(reader, sign, rows);
}

/** A name of several letters, a word, or one variable with what stands over it. */
function letters(reader, rest) {
  const name = NAMES.find((each) => rest.startsWith(each) && !/^[a-z]/.test(rest.slice(each.length)));
  const word = /^(?:[A-Za-z][a-z]{2,}(?![_^])|(?:of|or|at|by|in|is|to)(?=\s))/.exec(rest)?.[0];
  const whole = name ?? word;
  if (whole !== undefined) {
    reader.at += whole.length;
    if (name !== undefined) return { xml: `<mi>${name}</mi>`, name };
    const before = /\s/.test(reader.text[reader.at - word.length - 1] ?? '') ? '\u00a0' : '';
    const after = /\s/.test(reader.text[reader.at] ?? '') ? '\u00a0' : '';
    return { xml: `<mtext>${before}${word}${after}</mtext>` };
  }
  const letter = take(reader);
  const accent = ACCENTS[reader.text[reader.at]];
  const variable = /[Α-Ω]/.test(letter) ? `<mi mathvariant="normal">${letter}</mi>` : `<mi>${letter}</mi>`;
  if (accent === undefined) return { xml: variable, operand: true };
  reader.at += 1;
  return { operand: true, xml: `<mover accent="true">${variable}<mo>${accent}</mo></mover>` };
}

function root(reader) {
  if (reader.text[reader.at] !== '(') return { xml: `<msqrt>${bare(atom(reader, []))}</msqrt>` };
  reader.at += 1;
  return { xml: `<msqrt>${until(reader, ')')}</msqrt>` };
}

function group(reader, sign) {
  // intervals may be open at one end
  const inside = until(reader, sign === '(' || sign === '[' ? ')]' : CLOSING[sign]);
  return { operand: true, lead: operator(sign) + inside, xml: operator(reader.text[reader.at - 1]) };
}

function until(reader, end) {
  const rows = readUntil(reader, end);
  reader.at += 1;
  return rows.map(({ xml }) => xml).join('');
}

function operatorAtom(reader, sign, rows) {
  const known = sign === '-' ? '−' : sign;
  if (RELATIONS.includes(known)) return { xml: `<mo form="infix">${escaped(known)}</mo>`, sign: known };
  if (SIGNS.includes(known)) {
    const binary = rows.length > 0 && rows.at(-1).sign === undefined && rows.at(-1).separates !== true;
    return {
      xml: `<mo form="${binary ? 'infix' : 'prefix'}">${known}</mo>`,
      sign: binary ? known : undefined,
    };
  }
  if (known === '|' || known === '‖') {
    const between = reader.text[reader.at] === ' ' && reader.text[reader.at - 2] === ' ';
    const room = between ? '0.25em' : '0';
    return { xml: `<mo stretchy="false" lspace="${room}" rspace="${room}">${known}</mo>` };
  }
  if (known === ',' || known === ';') return { xml: `<mo separator="true">${known}</mo>`, separates: true };
  return { xml: operator(known) };
}

const operator = (sign) =>
  sign === '/' ? '<mo lspace="0" rspace="0">/</mo>' : `<mo stretchy="false">${escaped(sign)}</mo>`;

/** An atom with the scripts that follow it. */
function scripted(reader, atomRead) {
  let base = atomRead;
  let [below, above] = ['', ''];
  for (;;) {
    const next = reader.text[reader.at];
    if (next === '_' || next === '^') {
      reader.at += 1;
      const script = scriptOf(reader, next);
      if (next === '_') below += script;
      else above += script;
    } else if (next === '*') {
      reader.at += 1;
      above += '<mo>∗</mo>';
    } else if (next in PRIMES) {
      // the sign of a prime is raised as it is
      reader.at += 1;
      base = { ...base, xml: `<mrow>${base.xml}<mo lspace="0" rspace="0">${PRIMES[next]}</mo></mrow>` };
    } else if (next in SUPERSCRIPTS) above += run(reader, SUPERSCRIPTS);
    else if (next in SUBSCRIPTS) below += run(reader, SUBSCRIPTS);
    else break;
  }
  const { lead = '' } = base;
  if (below === '' && above === '') return { ...base, xml: bare(base) };
  const parts = [below, above].filter((script) => script !== '').map((script) => `<mrow>${script}</mrow>`);
  const [under, over, both] = base.limits ? ['munder', 'mover', 'munderover'] : ['msub', 'msup', 'msubsup'];
  const element = parts.length === 2 ? both : below === '' ? over : under;
  return { ...base, xml: `${lead}<${element}>${base.xml}${parts.join('')}</${element}>` };
}

const bare = ({ lead = '', xml }) => `${lead}${xml}`;

/** What a _ or ^ holds: a group, a name, a number, or one variable with its sign. */
function scriptOf(reader, mark) {
  if (reader.text[reader.at] === '{') {
    reader.at += 1;
    return until(reader, '}');
  }
  if (/[+−±-]/.test(reader.text[reader.at]) && mark === '_') return operator(take(reader));
  const digits = /^\d+/.exec(reader.text.slice(reader.at));
  if (digits !== null) {
    reader.at += digits[0].length;
    return `<mn>${digits[0]}</mn>`;
  }
  return reader.at < reader.text.length ? bare(atom(reader, [{}])) : '';
}

function run(reader, signs) {
  let out = '';
  while (reader.text[reader.at] in signs) {
    const sign = signs[take(reader)];
    out += /\d/.test(sign) ? `<mn>${sign}</mn>` : /[a-zT]/.test(sign) ? `<mi>${sign}</mi>` : operator(sign);
  }
  return out;
}
