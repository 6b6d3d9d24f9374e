/**
 * Bytes as text: UTF-8, or UTF-16 where a mark at the start says so, as PowerShell writes it.
 *
 * @throws TypeError if they are neither.
 */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(utf16Of(bytes) ?? 'utf-8', { fatal: true }).decode(bytes);
}

/** The byte order of UTF-16, where a mark at the start tells it. */
export function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}
