import { expect, test } from 'vitest';
import { openingFault } from '../../src/node/whole-file.js';

test.each([
  ['EROFS', 'a.ledger: it cannot be written: the file system is read-only (EROFS)'],
  ['ENOENT', 'a.ledger: no such file'],
  ['EIO', 'a.ledger: it cannot be read (EIO)'],
])('a ledger that cannot be opened: %s', (code, sentence) => {
  expect(openingFault('a.ledger', { code }).message).toBe(sentence);
});
