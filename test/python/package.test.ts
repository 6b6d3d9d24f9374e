import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const python = spawnSync('python3', ['--version']).status === 0;
// told by the name, where a reader of the log sees it
const title = python ? 'the Python package' : 'the Python package (NOT TESTED: there is no python3)';

describe.skipIf(!python)(title, () => {
  it('passes its own tests', () => {
    const { status, stderr } = spawnSync('python3', ['python/tests/test_short.py'], {
      encoding: 'utf8',
      env: { ...process.env, GDP_KERNEL_CLI: 'build/modules/src/cli/bin.js' },
    });
    expect([status, stderr]).toEqual([0, expect.stringMatching(/\nOK\n$/)]);
  });
});
