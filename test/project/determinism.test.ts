import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** A verifier on purpose independent of src/numeric/scalar.ts, and drawing: no answer of the engine depends on them. */
const EXEMPT = /^src\/(certificate\/(verify|integral|laws|phases|sums)\.ts|plot\/|chart\/|page\/)/;
const HOST_FUNCTION =
  /\bMath\.(log|exp|pow|sin|cos|tan|asin|acos|atan|atan2|log10|log2|hypot|cbrt|sinh|cosh|tanh|asinh|acosh|atanh|expm1|log1p)\b/;
/** A power is exact where a base of 2 or 4 meets a whole exponent, and of a bigint; squares are the one other power in use. */
const POWER = /(\S+) \*\*=? (\S+)/g;

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sourceFiles(path) : /\.tsx?$/.test(path) ? [path] : [];
  });
}

function offences(source: string): string[] {
  // comments name functions that code must not call
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
  return code.split('\n').filter((line) => {
    if (HOST_FUNCTION.test(line)) return true;
    const text = line.replace(/`[^`]*`/g, '');
    return [...text.matchAll(POWER)].some(([, base, exponent]) => {
      if (/(^|[^\w.])([24]|\d+n)$/.test(base)) return false;
      return !/^(2\b(?!\.)|BigInt\()/.test(exponent);
    });
  });
}

test('no host function whose last digits differ between JavaScript engines is used in src', () => {
  const files = sourceFiles('src').filter((path) => !EXEMPT.test(path));
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((path) =>
    offences(readFileSync(path, 'utf8')).map((line) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test('the check finds what it is for', () => {
  for (const line of [
    'const a = Math.log(x);',
    'return Math.hypot(a, b);',
    'y = 10 ** k;',
    'y = x ** 0.5;',
    'y = x ** 2.5;',
    'y = xn ** k;',
  ])
    expect(offences(line), line).toHaveLength(1);
  for (const line of [
    'const U = 2 ** -53;',
    '// Math.log is not used',
    'y = x ** 2;',
    'y = 10n ** k;',
    'y = over ** BigInt(j);',
    'Math.sqrt(x)',
  ])
    expect(offences(line), line).toHaveLength(0);
});
