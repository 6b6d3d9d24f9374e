import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

// the bundle, as the wheel has it: its modules one by one take four times as long to load
const python = spawnSync('python3', ['--version']).status === 0;
// told by the name, where a reader of the log sees it
const title = python ? 'the Python package' : 'the Python package (NOT TESTED: there is no python3)';

describe.skipIf(!python)(title, () => {
  it('passes its own tests', () => {
    const { status, stderr } = run('python/tests/all.py');
    expect(stderr).toMatch(/\nOK(?: \(skipped=\d+\))?\n$/);
    expect(status).toBe(0);
  });

  it('has notebooks that show what their cells give', () => {
    expect(run('python/notebooks/make.py')).toMatchObject({ status: 0, stderr: '' });
  });
});

function run(script: string) {
  return spawnSync('python3', [script], {
    encoding: 'utf8',
    env: { ...process.env, GDP_KERNEL_CLI: 'dist/cli.js' },
  });
}
