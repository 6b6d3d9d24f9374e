import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Sha256 } from '../../src/text/sha256.js';
import { seeded } from '../helpers/random.js';

test('SHA-256 in pieces is that of Node, at every length around a block', () => {
  const random = seeded(256);
  for (const length of [0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 10_007]) {
    const bytes = Uint8Array.from({ length }, () => Math.floor(256 * random()));
    const cut = Math.floor(length * random());
    const found = new Sha256().update(bytes.subarray(0, cut)).update(bytes.subarray(cut)).hex();
    expect(found, `${length}`).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});
