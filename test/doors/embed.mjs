// dist/embed.js in a context that has nothing but the language and WebAssembly, as a door (ask.py).
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createContext, runInContext } from 'node:vm';

const context = createContext({ WebAssembly });
runInContext(readFileSync('dist/embed.js', 'utf8'), context);
const ask = runInContext('gdpKernel.ask', context);
for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${await ask(line)}\n`);
