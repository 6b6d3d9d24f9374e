import { defineConfig } from 'vitest/config';

/** Milliseconds. */
const HANG = 20 * 60_000;
const long = process.env['GDP_LONG_TESTS'] === '1';

export default defineConfig({
  test: {
    include: long ? ['test/**/*.test.ts', 'test/**/*.long.ts'] : ['test/**/*.test.ts'],
    // Guards against what does not end, on a slow and busy machine too: no test measures time.
    testTimeout: long ? 3 * HANG : HANG,
    hookTimeout: HANG,
    maxWorkers: 2,
    setupFiles: ['test/helpers/matchers.ts'],
  },
});
