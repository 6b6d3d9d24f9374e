import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  account,
  gaussian,
  laplace,
  MECHANISM_KINDS,
  type Report,
  randomizedResponse,
  repeat,
} from '../../src/index.js';
import { DETAILS } from '../../src/report/details.js';
import {
  alternatives,
  formatReport,
  report,
  reportHtml,
  reportJson,
  reportMarkdown,
  sameNoise,
} from '../../src/report/index.js';
import { bracketText, shortDecimal } from '../../src/text/decimal.js';
import { aroundPowers } from '../../src/text/rounded.js';
import { runOf, wasm } from '../helpers/runs.js';
import { sampleReport } from '../helpers/sample-report.js';

const schema = JSON.parse(readFileSync(new URL('../../schema/report.schema.json', import.meta.url), 'utf8'));
const validate = new Ajv2020({ allErrors: true, strictTypes: false }).compile(schema);
const adjacency = 'add-remove';

const reports = (): Report[] =>
  [
    runOf([[9.4, 16384 / 50000, 2000]]),
    account(wasm, randomizedResponse({ epsilon: 1 }), { adjacency }),
    account(wasm, repeat(laplace({ scale: 5, sensitivity: 1 }), 50), { adjacency: 'replace-one' }),
    account(wasm, gaussian({ noiseMultiplier: 0 }), { adjacency }),
    runOf([]),
  ].map((run) =>
    report(run, {
      alternatives: alternatives(wasm, run),
      sameNoise: sameNoise(wasm, run),
      details: { unit: 'one patient' },
    }),
  );
const made = reports();

/** What a report prints: a shuffled data set has one row, that among the loaders where there is one. */
function printed(each: Report): object {
  const told = each.sameNoise?.loaders.some(
    ({ loader, epsilon }) => loader === 'shuffled' && epsilon !== null,
  );
  const alternatives = each.alternatives.filter(({ change }) => !told || change !== 'shuffled-batches');
  return { ...each, alternatives };
}

/** Every bracket in a report, wherever it is. */
function bracketsIn(value: unknown): { lower: number; upper: number }[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('lower' in value) return [value as { lower: number; upper: number }];
  return Object.values(value).flatMap(bracketsIn);
}

const numbers = (text: string) => text.replace('infinite', 'Infinity');

describe('report as JSON', () => {
  it('is of the shape that the schema describes', () => {
    for (const each of [...made, sampleReport()]) {
      const valid = validate(JSON.parse(reportJson(each)));
      expect(validate.errors).toBeNull();
      expect(valid).toBe(true);
    }
  });

  it('is refused by the schema where it is something else', () => {
    const wrong = (change: (report: Record<string, unknown>) => void) => {
      const copy = JSON.parse(reportJson(sampleReport()));
      change(copy);
      return validate(copy);
    };
    expect(wrong(() => {})).toBe(true);
    expect(wrong((r) => delete r['mu'])).toBe(false);
    expect(wrong((r) => (r['mu'] = 1.5))).toBe(false);
    expect(wrong((r) => (r['mu'] = { lower: -1, upper: 2 }))).toBe(false);
    expect(wrong((r) => (r['mu'] = { lower: 1, upper: null }))).toBe(false);
    expect(wrong((r) => (r['tier'] = 'III'))).toBe(false);
    expect(wrong((r) => (r['extra'] = 1))).toBe(false);
    expect(wrong((r) => (r['format'] = 'gdp-kernel-report/2'))).toBe(false);
    expect(wrong((r) => (r['mechanism'] = { kind: 'compose', parts: [{ kind: 'magic' }] }))).toBe(false);
  });

  it('knows every kind of mechanism there is', () => {
    const kinds = schema.$defs.mechanism.properties.kind.enum;
    expect([...kinds, 'dp-sgd', 'iterate-phases'].sort()).toEqual([...MECHANISM_KINDS].sort());
  });

  it('keeps every bit of every number', () => {
    for (const each of made) {
      const read = JSON.parse(reportJson(each), (_, x) => (x === 'Infinity' ? Infinity : x));
      expect(read).toMatchObject(
        JSON.parse(JSON.stringify({ regret: each.regret, tradeoff: each.tradeoff })),
      );
      expect(read.mu).toEqual(each.mu);
      expect(read.epsilon).toEqual(each.epsilonAtDelta[0]!.epsilon);
    }
  });
});

/** A page with its raised powers of ten as numbers are typed. */
function lowered(html: string): string {
  return html.replace(
    /([\d.]+\s×\s)?10<sup>(−?)(\d+)<\/sup>/g,
    (_, factor, sign, power) => `${factor?.slice(0, -3) ?? '1'}e${sign === '' ? '' : '-'}${power}`,
  );
}

describe.each([
  ['text', (each: Report) => formatReport(each).replace(/\s+/g, ' ')],
  ['Markdown', reportMarkdown],
  ['HTML', (each: Report) => lowered(reportHtml(each))],
])('report as %s', (_, print) => {
  it('has every bracket of the report, rounded outwards', () => {
    for (const each of made) {
      const text = print(each);
      const brackets = bracketsIn(printed(each));
      expect(brackets.length).toBeGreaterThan(15);
      for (const bracket of brackets) {
        const shown = bracketText(bracket);
        expect(text.replaceAll('e-0', 'e-')).toContain(shown.replaceAll('e-0', 'e-'));
        const [, lower, upper] = /^\[(\S+), (\S+)\]$/.exec(shown) ?? [null, shown, shown];
        expect(Number(numbers(lower!))).toBeLessThanOrEqual(bracket.lower);
        expect(Number(numbers(upper!))).toBeGreaterThanOrEqual(bracket.upper);
      }
    }
  });

  it('has every other number of the report', () => {
    for (const each of [...made, sampleReport()]) {
      const text = print(each);
      for (const x of [
        each.alphaMin,
        each.tolerance,
        ...each.epsilonAtDelta.map(({ delta }) => delta),
        ...each.tradeoff.map(({ alpha }) => alpha),
        ...each.truePositiveRate.map(({ falsePositiveRate }) => falsePositiveRate),
      ]) {
        expect(text).toContain(shortDecimal(x));
      }
    }
  });

  it('has one bracket for a shuffled data set', () => {
    for (const each of made) {
      const shuffled = each.alternatives.find(({ change }) => change === 'shuffled-batches')?.numbers;
      const told = each.sameNoise?.loaders.find(({ loader }) => loader === 'shuffled')?.epsilon;
      if (!shuffled || !told) continue;
      expect(print(each)).toContain(bracketText(told));
      expect(print(each)).not.toContain(bracketText(shuffled.epsilonAtDelta[0]!.epsilon));
    }
  });

  it('says what is assumed, and as one list what was not said', () => {
    const text = print(sampleReport());
    for (const words of ['Adjacency', 'Sampling assumed', 'Composition', 'Accountant', 'one patient']) {
      expect(text).toContain(words);
    }
    expect(text).toContain('privacy@example.org');
    const blank = Object.values(DETAILS).filter(([title]) => !['One record is', 'Contact'].includes(title));
    expect(blank).toHaveLength(11);
    expect(text).toContain('how batches were drawn');
    expect(text).toMatch(
      new RegExp(`\\bNot given\\W(?:\\W|dd|dt)*${blank.map(([, words]) => words).join('; ')}`),
    );
    expect(text).not.toMatch(/one record is,|random numbers from/);
  });

  it('shows what would change the numbers, with what was computed', () => {
    const text = print(sampleReport());
    expect(text).toContain('Twice the steps');
    expect(text).toContain(bracketText({ lower: 1.98, upper: 1.9801 }));
    expect(text).toContain('Every phase run twice as long.');
    expect(text).toContain('Not computed.');
    expect(print(sampleReport({ alternatives: [] }))).not.toContain('What would change');
  });

  it('has nothing undefined in it', () => {
    for (const each of made) expect(print(each)).not.toMatch(/NaN|undefined|\[object|null/);
  });
});

const EVIL = `"><img src=x onerror=alert(1)><script>alert(2)</script> [x](javascript:alert(3)) \`|_*# ${'\u0000\u001b'}[31m\n# heading`;
const evil = sampleReport({
  title: EVIL,
  details: {
    ...sampleReport().details,
    unit: EVIL,
    contact: `</dd></dl></main><svg onload=alert(4)>${EVIL}`,
  },
  alternatives: [{ change: 'no-sampling', title: EVIL, how: EVIL, numbers: null }],
});

describe('a report of hostile texts', () => {
  it('adds no element, attribute or script to HTML', () => {
    const tags = (html: string) => [...html.matchAll(/<(\/?[a-z][a-z0-9]*)/gi)].map(([, name]) => name);
    const clean = sampleReport({
      alternatives: [{ change: 'no-sampling', title: 'a', how: 'b', numbers: null }],
    });
    const html = reportHtml(evil);
    expect(tags(html)).toEqual(tags(reportHtml(clean)));
    expect(html).not.toContain('\u0000');
    expect(html).toContain('&lt;script&gt;alert(2)');
  });

  it('adds no HTML, link, heading, cell or line to Markdown', () => {
    const markdown = reportMarkdown(evil);
    expect(markdown).not.toMatch(/<(?:script|img|svg|\/)/);
    expect(markdown).not.toMatch(/[^\\]\]\(/);
    expect(markdown.match(/^#+ /gm)!.length).toBe(reportMarkdown(sampleReport()).match(/^#+ /gm)!.length);
    // every table keeps its columns
    for (const table of markdown
      .trimEnd()
      .split('\n\n')
      .filter((part) => part.startsWith('|'))) {
      const columns = table.split('\n').map((row) => row.replace(/\\\|/g, '').split('|').length);
      expect(new Set(columns).size).toBe(1);
    }
  });

  it('moves no cursor in a terminal', () => {
    const text = formatReport(evil);
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('\u0000');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

it('Markdown has the signs of the field, whatever escapes them', () => {
  const text = reportMarkdown(made[0]!);
  expect(text).toContain('mu ≤ 1.567');
  expect(text).not.toMatch(/&[lg]t;=/);
});

describe('the HTML page', () => {
  it('raises powers of ten and names letters, but not in the name of a file or its digest', () => {
    const sha256 = `107e6335${'0'.repeat(24)}8e41${'0'.repeat(28)}`;
    const html = reportHtml(report(runOf([[1, 0.01, 100]]), { input: { name: 'mu.run-1e5.json', sha256 } }));
    expect(html).toContain('mu.run-1e5.json, SHA-256');
    expect(html).toContain(`${sha256.slice(0, 32)} ${sha256.slice(32)}`);
    expect(html).toContain('10<sup>−5</sup>');
    expect(
      aroundPowers('at 1e-5, 2.5e-10. x1e5 is 1e5.json and 12e633ab').filter((_, i) => i % 2 === 1),
    ).toEqual(['1e-5', '2.5e-10']);
  });

  it('is complete in itself', () => {
    const html = reportHtml(made[0]!);
    expect(html).not.toMatch(/https?:|src=|<link|<script|@import|url\(/);
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('width=device-width');
    expect(html).toContain('@media print');
  });

  it('captions every figure it is given', () => {
    const figures = [{ title: 'A <figure>', description: 'It shows & tells.', svg: '<svg></svg>\n' }];
    const html = reportHtml(sampleReport(), { figures });
    expect(html).toContain('<svg></svg>');
    expect(html).toContain('<b>Figure 1. A &lt;figure&gt;.</b> It shows &amp; tells.');
    expect(() => reportHtml(sampleReport(), { figures: 'no' as never })).toThrow(
      /"figures" must be an array/,
    );
  });

  it('is set in the type it is given, and in nothing that a browser would fetch', () => {
    const face = (url: string) => `@font-face{font-family:Inter;src:url(${url}) format("woff2")}`;
    const plain = reportHtml(sampleReport());
    const set = reportHtml(sampleReport(), { fontFaces: face('data:font/woff2;base64,AA==') });
    expect(set).toContain("style-src 'unsafe-inline'; font-src data:");
    expect(set.replace('; font-src data:', '').replace(`${face('data:font/woff2;base64,AA==')}\n`, '')).toBe(
      plain,
    );
    expect(plain).not.toContain('font-src');
    const fetched = face('https://example.org/a.woff2');
    const hidden = [fetched.replace('url', 'URL'), fetched.replace('url', '\\75 rl')];
    for (const fontFaces of [fetched, ...hidden, 'body{color:red}', '</style>', 7 as never])
      expect(() => reportHtml(sampleReport(), { fontFaces })).toThrow(/"fontFaces" must be @font-face rules/);
  });

  it('has text whose contrast with the page is at least 7:1, light and dark', () => {
    const html = reportHtml(sampleReport());
    const [light, dark] = [
      ...html.matchAll(/--ink:(#\w+);--soft:(#\w+);--line:#\w+;--page:(#\w+);--tint:#\w+/g),
    ];
    for (const [, ink, soft, page] of [light!, dark!]) {
      for (const colour of [ink!, soft!]) expect(contrast(colour, page!)).toBeGreaterThan(7);
    }
  });
});

/** WCAG 2 contrast ratio of two colours #rgb or #rrggbb. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string) => {
    const hex = colour.length === 4 ? colour.replace(/\w/g, '$&$&') : colour;
    const [r, g, bl] = [1, 3, 5].map((at) => {
      const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * bl!;
  };
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light! + 0.05) / (dark! + 0.05);
}
