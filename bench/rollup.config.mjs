// Bundles the bench, with the sources as they are now, into build/bench.js.
import typescript from '@rollup/plugin-typescript';

export default {
  input: 'bench/run.ts',
  external: [/^node:/, 'tinybench', 'fft.js'],
  output: { file: 'build/bench.js', format: 'es' },
  plugins: [
    typescript({
      tsconfig: 'tsconfig.json',
      include: ['src/**/*.ts', 'bindings/**/*.ts', 'bench/**/*.ts'],
      noEmit: false,
      noEmitOnError: true,
      declaration: false,
    }),
  ],
};
