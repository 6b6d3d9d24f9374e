import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { executablePath, required } from './chromium.js';

test.runIf(executablePath !== undefined || required)(
  'the page looks as its baselines: six states at three widths, light and dark',
  () => {
    const { status, stdout } = spawnSync(process.execPath, ['scripts/page-look.mjs'], { encoding: 'utf8' });
    expect(stdout).toMatch(/36 pictures in build\/page-look\/: 0 differ from their baselines\n$/);
    expect(status).toBe(0);
  },
);
