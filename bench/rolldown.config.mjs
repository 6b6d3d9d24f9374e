// Bundles the bench, with the sources as they are now, into build/bench.js.
import { compileModules } from '../scripts/lib/modules.mjs';

compileModules();

export default {
  input: 'build/modules/bench/run.js',
  external: [/^node:/, /^echarts\//, /^fflate/, 'tinybench', 'fft.js', /^@stdlib\//],
  output: { dir: 'build', entryFileNames: 'bench.js', chunkFileNames: 'bench-[name].js', format: 'es' },
};
