// npm run build: the kernel, the ESM bundles and the type declarations, into dist/.
import { ensureBuilt, ensureInstalled, timed } from './lib/setup.mjs';

ensureInstalled();
const [rebuilt, seconds] = timed(ensureBuilt);
process.stdout.write(rebuilt ? `dist/ built in ${seconds.toFixed(1)} s\n` : 'dist/ is up to date\n');
