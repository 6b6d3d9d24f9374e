import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../../scripts/lib/formulas.mjs';
import { displayMath, inlineMath } from '../../scripts/lib/mathml.mjs';
import { proofsHtml } from '../../scripts/lib/proofs-pdf.mjs';

const TEXTS = [...readdirSync('docs/proofs').map((name) => `docs/proofs/${name}`), 'docs/accounting.md'];
/** Paragraphs without code, emphasis and links, as the plugin hands them on. */
const paragraphs = TEXTS.flatMap((path) => {
  const text = readFileSync(path, 'utf8').replace(/```.*?```/gs, '');
  // the star of x* is no emphasis
  return text
    .replace(/(?<!\p{L})(\p{L})\*(?=[ ),(])/gu, '$1∗')
    .split(/\n\s*\n/)
    .filter((block) => !/^\s*(?:\||#| {4})/.test(block))
    .flatMap((block) => block.split(/`[^`]*`|\*+|\[[^\]]*\]\([^)]*\)/))
    .map((part) => part.replace(/\s+/g, ' '));
});
const displays = TEXTS.flatMap((path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^ {4,6}\S/.test(line))
    .map((line) => line.trim()),
);

/** What a reader sees of a formula, without its layout: signs in their order. */
function signsOf(xml: string): string {
  const text = xml
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
  return plain(text);
}

/** The signs of either notation that stand for the same, sorted, since scripts below are read before those above. */
function plain(source: string): string {
  const text = withoutRoots(source);
  const same: Record<string, string> = {
    '∑': 'Σ',
    '∏': 'Π',
    '‾': '\u0304',
    '^': '',
    '~': '~',
    '∗': '*',
    "'": '′',
    '-': '−',
  };
  const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉';
  const raised: Record<string, string> = {
    '⁺': '+',
    '⁻': '−',
    ⁿ: 'n',
    ᵏ: 'k',
    ᵀ: 'T',
    '₊': '+',
    '₋': '−',
    '₍': '(',
    '₎': ')',
    ₖ: 'k',
  };
  return [...text.normalize('NFD')]
    .map((sign) =>
      digits.includes(sign) ? String(digits.indexOf(sign) % 10) : (raised[sign] ?? same[sign] ?? sign),
    )
    .filter((sign) => !/[\s_{}√~]/.test(sign) && sign !== '\u0302' && sign !== '\u0303')
    .sort()
    .join('');
}

/** A root is drawn over what its brackets hold. */
function withoutRoots(text: string): string {
  const start = text.indexOf('√(');
  if (start < 0) return text;
  let [end, depth] = [start + 2, 1];
  for (; depth > 0; end++) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
  return withoutRoots(text.slice(0, start) + text.slice(start + 2, end - 1) + text.slice(end));
}

/** Elements that something else closes, or nothing. */
function unclosed(xml: string): string[] {
  const open: string[] = [];
  for (const [, end, name, whole] of xml.matchAll(/<(\/?)(m\w+|wbr)[^>]*?(\/?)>/g)) {
    if (whole === '/' || name === 'wbr') continue;
    if (end === '') open.push(name!);
    else if (open.pop() !== name) return [`</${name}>`];
  }
  return open;
}

const formulasOf = (text: string): string[] =>
  partsOf(text).flatMap(({ formula }) => (formula === undefined ? [] : [formula]));

describe('formulas of the proofs', () => {
  it('are found, and nothing is lost between them and the words', () => {
    const found = paragraphs.flatMap(formulasOf);
    expect(found.length).toBeGreaterThan(1500);
    for (const text of paragraphs)
      expect(
        partsOf(text)
          .map((part) => part.text ?? part.formula)
          .join(''),
      ).toBe(text.normalize('NFC'));
  });

  it('show every sign that is written, with what opens closed again', () => {
    for (const formula of [...paragraphs.flatMap(formulasOf), ...displays]) {
      const xml = inlineMath(formula);
      expect(signsOf(xml), formula).toBe(plain(formula));
      expect(unclosed(xml), formula).toEqual([]);
    }
  });

  it.each([
    ['If μ = 1/σ, a test of δ_E(ε) at x + iy is a μ-GDP test.', ['μ = 1/σ', 'δ_E(ε)', 'x + iy', 'μ']],
    ['by the union bound (b), as in 4(b), on [0, π) and at most a/2 in 1e-9 of 3 tries', ['[0, π)']],
    [
      'Let k > np. A test, for (S, x) and N(0, 1), is at most e^{−x²/2} (Cauchy).',
      ['k > np', '(S, x)', 'N(0, 1)', 'e^{−x²/2}'],
    ],
    ['no formula in I and a, none in A third, nor in a well-known word', []],
  ])('%s', (text, formulas) => {
    expect(formulasOf(text)).toEqual(formulas);
  });
});

describe('a formula', () => {
  it('has its scripts where they belong', () => {
    expect(displayMath('x^ms^2')).toBe(
      '<math displaystyle="true"><msup><mi>x</mi><mrow><mi>m</mi></mrow></msup><msup><mi>s</mi><mrow><mn>2</mn></mrow></msup></math>',
    );
    expect(displayMath('u₊^{1−c}')).toContain(
      '<msubsup><mi>u</mi><mrow><mo stretchy="false">+</mo></mrow><mrow><mn>1</mn>',
    );
    expect(displayMath('√(a + b)')).toMatch(
      /<msqrt><mi>a<\/mi><mo form="infix">\+<\/mo><mi>b<\/mi><\/msqrt>/,
    );
  });
  it('may be broken before its relations, and before signs where it is long', () => {
    expect(inlineMath('a = b + c').split('<wbr>')).toHaveLength(1);
    expect(inlineMath('f(x) = b + c + d').split('<wbr>')).toHaveLength(2);
    expect(inlineMath('f(x) = b + c + d + e + f + g + h').split('<wbr>')).toHaveLength(8);
  });
  it('that does not close is refused', () => {
    expect(() => inlineMath('e^{x')).toThrow('lacks a }');
  });
});

describe('all proofs in one document', () => {
  const html = proofsHtml('0');
  it('has every numbered statement at an address, and every proof to its end', () => {
    for (const path of TEXTS.slice(0, -1)) {
      const name = /(\w[\w-]*)\.md$/.exec(path)![1]!;
      for (const [, number] of readFileSync(path, 'utf8').matchAll(/^\*\*(T?\d+)\. /gm))
        expect(html, `${name} ${number}`).toContain(`class="statement" id="${name}-statement-${number}"`);
    }
    const ends = TEXTS.slice(0, -1).flatMap((path) => readFileSync(path, 'utf8').match(/∎/g) ?? []);
    expect(ends.length).toBeGreaterThan(30);
    expect(html.split('<span class="qed">').length - 1).toBe(ends.length);
  });
  it('leads nowhere but to its own chapters', () => {
    const ids = new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id));
    const links = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
  });
});
