// Bundles the bench, with the sources as they are now, into build/bench.js.
import typescript from '@rollup/plugin-typescript';

export default {
  input: 'bench/run.ts',
  external: [/^node:/, /^echarts\//, /^fflate/, 'tinybench', 'fft.js', /^@stdlib\//],
  output: { dir: 'build', entryFileNames: 'bench.js', chunkFileNames: 'bench-[name].js', format: 'es' },
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
