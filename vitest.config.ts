import { defineConfig } from 'vitest/config';

const long = process.env['GDP_LONG_TESTS'] === '1';

export default defineConfig({
  test: {
    include: long ? ['test/**/*.test.ts', 'test/**/*.long.ts'] : ['test/**/*.test.ts'],
    testTimeout: long ? 600_000 : 60_000,
    maxWorkers: 2,
    hookTimeout: 120_000,
  },
});
