// npm run readme: writes what the README's commands print into the README; the tests compare it.
import { ensureBuilt, ensureInstalled, run } from './lib/setup.mjs';

ensureInstalled();
ensureBuilt();
const args = ['node_modules/vitest/vitest.mjs', 'run', 'test/project/readme.test.ts'];
run(process.execPath, args, { env: { GDP_UPDATE_README: '1' } });
