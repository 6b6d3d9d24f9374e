import { dirname, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { moduleOf } from './scripts/lib/modules.mjs';

/** Milliseconds. */
const HANG = 20 * 60_000;
const long = process.env['GDP_LONG_TESTS'] === '1';

export default defineConfig({
  plugins: [
    {
      name: 'compiled-sources',
      enforce: 'pre',
      resolveId: (id, importer) =>
        importer && id.startsWith('.') ? moduleOf(resolve(dirname(importer), id)) : undefined,
    },
  ],
  test: {
    include: long ? ['test/**/*.test.ts', 'test/**/*.long.ts'] : ['test/**/*.test.ts'],
    // Guards against what does not end, on a slow and busy machine too: no test measures time.
    testTimeout: long ? 3 * HANG : HANG,
    hookTimeout: HANG,
    maxWorkers: 2,
    // No file leaves anything behind that another would see, and what is compiled and warm stays so.
    isolate: false,
    globalSetup: ['test/helpers/compiled.ts'],
    setupFiles: ['test/helpers/matchers.ts', 'test/helpers/kinds.ts'],
    server: { deps: { external: [/\/build\/modules\//] } },
    // MiB of memory for new objects: a fourth of the collections, for 5 % less CPU in all
    execArgv: ['--enable-source-maps', '--max-semi-space-size=128', '--interrupt-budget=264000'],
    forceRerunTriggers: ['src/**', 'bindings/**', 'reproduce/**'],
  },
});
