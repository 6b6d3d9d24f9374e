// Entries: the library, its plots, its threads, the workers of a sweep, the command line. They share chunks. The base64 kernel is a chunk of its own.
import { chmodSync, copyFileSync } from 'node:fs';
import typescript from '@rollup/plugin-typescript';

/** Copies the raw module beside the bundle and makes the command line executable. */
const finish = {
  name: 'finish',
  writeBundle() {
    copyFileSync('build/kernel.wasm', 'dist/kernel.wasm');
    chmodSync('dist/cli.js', 0o755);
  },
};

export default {
  input: {
    index: 'src/index.ts',
    plot: 'src/plot/index.ts',
    threads: 'src/node/thread-pool.ts',
    'sweep-worker': 'src/node/sweep-worker.ts',
    'sweep-web-worker': 'src/sweep/web-worker.ts',
    cli: 'src/cli/bin.ts',
  },
  external: /^(?:node:|echarts\/|hyparquet|tinypool)/,
  output: {
    dir: 'dist',
    format: 'es',
    chunkFileNames: 'chunks/[name].js',
    manualChunks: (id) => (id.endsWith('kernel-wasm.ts') ? 'kernel-wasm' : undefined),
    hoistTransitiveImports: false,
  },
  plugins: [
    typescript({
      tsconfig: 'tsconfig.json',
      include: ['src/**/*.ts', 'bindings/**/*.ts'],
      noEmit: false,
      noEmitOnError: true,
      declaration: true,
      declarationDir: 'dist/types',
      rootDir: '.',
    }),
    finish,
  ],
};
