// Bundles the reproduction, with the sources as they are now, into build/reproduce/.
import typescript from '@rollup/plugin-typescript';

export default {
  input: 'reproduce/run.ts',
  external: [/^node:/, /^echarts/, /^fflate/, /^hyparquet/],
  output: { dir: 'build/reproduce', format: 'es' },
  plugins: [
    typescript({
      tsconfig: 'tsconfig.json',
      include: ['src/**/*.ts', 'bindings/**/*.ts', 'reproduce/**/*.ts'],
      noEmit: false,
      noEmitOnError: true,
      declaration: false,
    }),
  ],
};
