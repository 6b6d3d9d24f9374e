// dist/embed.js in a context that has nothing but the language and WebAssembly.
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { measured } from './measured.mjs';

await measured(() => {
  const context = createContext({ WebAssembly });
  runInContext(readFileSync('dist/embed.js', 'utf8'), context);
  return runInContext('gdpKernel.ask', context);
});
