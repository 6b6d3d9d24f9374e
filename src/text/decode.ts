/**
 * Bytes as text: UTF-8, or UTF-16. UTF-16 is recognised by a byte order mark, as PowerShell writes it, or by two ASCII
 * characters at the start, each with a zero byte.
 *
 * @throws TypeError if they are neither.
 */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(utf16Of(bytes) ?? 'utf-8', { fatal: true }).decode(bytes);
}

/** The heading and rows of a table with commas between cells, and no quotation marks in them; blank lines are skipped. */
export function tableIn(text: string): { readonly names: readonly string[]; rows(): TableRow[] } {
  const [header, ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const cellsOf = (line: string): string[] => line.split(',').map((cell) => cell.trim());
  return {
    names: cellsOf(header).map((name) => name.replace(/^"(.*)"$/, '$1')),
    rows: () =>
      lines.flatMap((line, i) => (line.trim() === '' ? [] : [{ line, number: i + 2, cells: cellsOf(line) }])),
  };
}

/** A row of cells, and the number of its line, from 1. */
interface TableRow {
  readonly line: string;
  readonly number: number;
  readonly cells: readonly string[];
}

/** The byte order of UTF-16, if the first bytes show one. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const isText = (a: number, b: number): boolean => a > 0x20 && a < 0x7f && b >= 0x09 && b < 0x7f;
  if (second === 0 && fourth === 0 && isText(first, third)) return 'utf-16le';
  return first === 0 && third === 0 && isText(second, fourth) ? 'utf-16be' : undefined;
}
