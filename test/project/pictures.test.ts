import { expect, it } from 'vitest';
import { differenceOf, readPng, writePng } from '../../scripts/lib/png.mjs';

/** A page of rows of text, as grey dots, `shift` pixels further down. */
function page(shift: number, width = 200, height = 320) {
  const rgb = new Uint8Array(3 * width * height).fill(250);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if ((y - shift + 400) % 40 < 8 && x > 20 && x < 180)
        rgb.fill(20 + ((x * 7) % 60), 3 * (y * width + x), 3 * (y * width + x) + 3);
  return { width, height, rgb };
}

it('a picture is kept in few colours, and is the same to the eye', () => {
  const kept = readPng(writePng(page(0)));
  expect([kept.width, kept.height]).toEqual([200, 320]);
  expect(differenceOf(kept, page(0))).toBe(0);
});

it('a page that moved, changed its size or its colours differs from its baseline', () => {
  const kept = readPng(writePng(page(0)));
  expect(differenceOf(kept, page(12))).toBeGreaterThan(0.3);
  expect(differenceOf(kept, page(0, 216))).toBe(1);
  expect(differenceOf(kept, page(0, 200, 340))).toBe(1);
  const { rgb, ...size } = page(0);
  expect(differenceOf(kept, { ...size, rgb: rgb.map((x) => 255 - x) })).toBe(1);
});
