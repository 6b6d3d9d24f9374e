import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { readTextFile } from '../../src/node/read-text.js';
import { readText } from '../../src/text/stream.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-read-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Chunks without end; counts the bytes taken from it. */
function endless(): { chunks: AsyncIterable<Uint8Array>; taken: () => number } {
  let bytes = 0;
  async function* chunks() {
    const chunk = new Uint8Array(65536).fill(120);
    for (;;) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  return { chunks: chunks(), taken: () => bytes };
}

describe('readTextFile', () => {
  it('reads UTF-8, with or without a byte order mark', async () => {
    expect(await readTextFile(file('plain', 'σ = 1'))).toBe('σ = 1');
    expect(await readTextFile(file('bom', '\uFEFF{}'))).toBe('{}');
  });

  it('joins characters that chunks cut in two', async () => {
    const bytes = new TextEncoder().encode('aσb');
    async function* chunks() {
      yield bytes.subarray(0, 2);
      yield bytes.subarray(2);
    }
    expect(await readText(chunks(), 'standard input')).toBe('aσb');
  });

  it('says what is wrong with a path in one sentence', async () => {
    await expect(readTextFile(join(folder, 'absent'))).rejects.toThrow(/absent: no such file$/);
    await expect(readTextFile(folder)).rejects.toThrow(/: it is a directory, not a file$/);
    await expect(readTextFile(join(file('f', ''), 'x'))).rejects.toThrow(/not a directory$/);
    await expect(readTextFile('a\0b')).rejects.toThrow(/cannot be read/);
  });

  it('refuses what is not UTF-8', async () => {
    await expect(readTextFile(file('latin1', Uint8Array.of(0x7b, 0xff, 0x7d)))).rejects.toThrow(/not UTF-8/);
    await expect(readTextFile(file('cut', Uint8Array.of(0xcf)))).rejects.toThrow(/not UTF-8/);
  });

  it('refuses a gigabyte without reading it', async () => {
    const path = file('huge', '');
    truncateSync(path, 2 ** 30);
    const handle = await open(path);
    await handle.close();
    const reads = vi.spyOn(Object.getPrototypeOf(handle), 'createReadStream');
    await expect(readTextFile(path)).rejects.toThrow(/larger than 64 MiB/);
    expect(reads).not.toHaveBeenCalled();
    truncateSync(path, 1);
    expect(await readTextFile(path)).toBe('\0');
    expect(reads).toHaveBeenCalledOnce();
    reads.mockRestore();
  });

  it('stops at the limit of a stream that does not end', async () => {
    const { chunks, taken } = endless();
    await expect(readText(chunks, 'standard input', 2 ** 20)).rejects.toThrow(
      /^standard input: .*larger than 1 MiB/,
    );
    expect(taken()).toBeLessThan(2 ** 20 + 2 ** 17);
  });
});
