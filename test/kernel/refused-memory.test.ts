/** What a host refuses is told as an input error: of WebAssembly as a whole, and of more memory for it. */
import { afterEach, expect, test, vi } from 'vitest';
import { Arena } from '../../bindings/arena.js';
import { loadEngine, sharedEngine } from '../../src/account/load-engine.js';
import { isInputError } from '../../src/errors.js';

afterEach(() => vi.unstubAllGlobals());

test('memory that cannot grow', () => {
  const memory = {
    buffer: new ArrayBuffer(65536),
    grow(): number {
      throw new RangeError('refused');
    },
  };
  const arena = new Arena(memory, 0);
  let caught: unknown;
  try {
    arena.alloc(1e5);
  } catch (error) {
    caught = error;
  }
  expect(isInputError(caught)).toBe(true);
  expect(String(caught)).toContain('was refused more');
});

test('a host without WebAssembly', async () => {
  vi.stubGlobal('WebAssembly', undefined);
  const refused = await loadEngine({ kernel: 'wasm' }).catch((error: unknown) => error);
  expect(isInputError(refused)).toBe(true);
  const { kernel, fallbackReason } = await loadEngine();
  expect([kernel.name, fallbackReason]).toEqual(['reference', 'WebAssembly is not defined on this host']);
});

test('a process has one kernel, by whichever name it is asked for', async () => {
  const engine = await sharedEngine('auto');
  expect(engine.kernel.name).toBe('wasm');
  expect(await sharedEngine('wasm')).toBe(engine);
});
