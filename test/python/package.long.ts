import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const python = spawnSync('python3', ['--version']).status === 0;
const title = python ? 'the wheel' : 'the wheel (NOT TESTED: there is no python3)';

describe.skipIf(!python)(title, () => {
  it('is typed, to mypy and pyright where they are installed', () => {
    const { status, stderr } = spawnSync('python3', ['python/tests/test_types.py'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringMatching(/\nOK(?: \(skipped=\d+\))?\n$/)]);
  });

  it('has the numbers of a loop on clusters of this machine, where they are installed', () => {
    const { status, stderr } = spawnSync('python3', ['python/tests/test_clusters.py'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringMatching(/\nOK(?: \(skipped=\d+\))?\n$/)]);
  });

  it('runs in an empty environment', () => {
    const { status, stderr } = spawnSync('python3', ['python/tests/test_long.py'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringMatching(/\nOK\n$/)]);
  });
});
