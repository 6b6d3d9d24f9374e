// PNG, as far as pictures of a page need it: eight-bit RGB is read, palettes of at most 16 colours are written and read.
import { deflateSync, inflateSync } from 'node:zlib';

/** Colours of a picture that is written: enough for curves and for text in two themes. */
const COLOURS = 12;

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** @returns {{ width: number, height: number, rgb: Uint8Array }} three bytes a pixel, row by row. */
export function readPng(file) {
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error('it is no PNG');
  let [header, palette] = [];
  const parts = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const data = file.subarray(at + 8, at + 8 + length);
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR') header = data;
    if (type === 'PLTE') palette = data;
    if (type === 'IDAT') parts.push(data);
    at += 12 + length;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, kind] = [header[8], header[9]];
  const indexed = kind === 3 && depth === 4;
  if (!indexed && !(kind === 2 && depth === 8)) throw new Error(`kind ${kind} of depth ${depth} is not read`);
  const rows = unfiltered(
    inflateSync(Buffer.concat(parts)),
    indexed ? (width + 1) >> 1 : 3 * width,
    indexed ? 1 : 3,
  );
  if (!indexed) return { width, height, rgb: Buffer.concat(rows) };
  const rgb = Buffer.alloc(3 * width * height);
  rows.forEach((row, y) => {
    for (let x = 0; x < width; x++) {
      const colour = (row[x >> 1] >> (x % 2 === 0 ? 4 : 0)) & 15;
      palette.copy(rgb, 3 * (y * width + x), 3 * colour, 3 * colour + 3);
    }
  });
  return { width, height, rgb };
}

/** Rows of `bytes` each, with what PNG predicts of a byte from those before and above it added. */
function unfiltered(data, bytes, step) {
  const rows = [];
  let above = Buffer.alloc(bytes);
  for (let at = 0; at < data.length; at += bytes + 1) {
    const row = Buffer.from(data.subarray(at + 1, at + 1 + bytes));
    const filter = data[at];
    for (let i = 0; i < bytes; i++) {
      const [a, b, c] = [i < step ? 0 : row[i - step], above[i], i < step ? 0 : above[i - step]];
      row[i] +=
        filter === 1 ? a : filter === 2 ? b : filter === 3 ? (a + b) >> 1 : filter === 4 ? paeth(a, b, c) : 0;
    }
    rows.push(row);
    above = row;
  }
  return rows;
}

function paeth(a, b, c) {
  const [da, db, dc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return da <= db && da <= dc ? a : db <= dc ? b : c;
}

/** The picture in the few colours that serve it best: a third of its size, and text as sharp as it was. */
export function writePng({ width, height, rgb }) {
  const palette = coloursOf(rgb);
  const known = new Map();
  const nearest = (key) => {
    let found = known.get(key);
    if (found === undefined) {
      const [r, g, b] = [key >> 16, (key >> 8) & 255, key & 255];
      const far = palette.map(([x, y, z]) => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2);
      found = far.indexOf(Math.min(...far));
      known.set(key, found);
    }
    return found;
  };
  const bytes = (width + 1) >> 1;
  const data = Buffer.alloc((bytes + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = 3 * (y * width + x);
      const colour = nearest((rgb[at] << 16) | (rgb[at + 1] << 8) | rgb[at + 2]);
      data[y * (bytes + 1) + 1 + (x >> 1)] |= colour << (x % 2 === 0 ? 4 : 0);
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([4, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(data, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The commonest colour, then again and again the one that most pixels are farthest from; each moved to the middle of its own. */
function coloursOf(rgb) {
  const counts = new Map();
  for (let at = 0; at < rgb.length; at += 3) {
    const key = (rgb[at] << 16) | (rgb[at + 1] << 8) | rgb[at + 2];
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const all = [...counts].map(([key, count]) => ({
    colour: [key >> 16, (key >> 8) & 255, key & 255],
    count,
  }));
  all.sort((a, b) => b.count - a.count || (a.colour.join() < b.colour.join() ? -1 : 1));
  const common = all.slice(0, 4000);
  const far = ([a, b, c], [x, y, z]) => (a - x) ** 2 + (b - y) ** 2 + (c - z) ** 2;
  const palette = [common[0].colour];
  const least = common.map(({ colour }) => far(colour, palette[0]));
  while (palette.length < Math.min(COLOURS, common.length)) {
    const scores = common.map(({ count }, i) => least[i] * Math.sqrt(count));
    const { colour } = common[scores.indexOf(Math.max(...scores))];
    palette.push(colour);
    common.forEach((each, i) => {
      least[i] = Math.min(least[i], far(each.colour, colour));
    });
  }
  return palette;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(8 + body.length);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), 4 + body.length);
  return framed;
}

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Pixels on a side of the blocks that two pictures are compared in. */
const BLOCK = 16;
/** The mean colour of a block, of 255, may be this far off: fewer colours and other smoothing of letters are not seen. */
const OFF = 20;

/** The share of blocks in which two pictures differ to the eye; 1 where one is more than a hundredth longer. */
export function differenceOf(a, b) {
  if (a.width !== b.width || Math.abs(a.height - b.height) > 0.01 * a.height) return 1;
  const [columns, rows] = [Math.ceil(a.width / BLOCK), Math.ceil(Math.min(a.height, b.height) / BLOCK)];
  let different = 0;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const [one, other] = [a, b].map((picture) => meanOf(picture, column * BLOCK, row * BLOCK));
      if (one.some((mean, i) => Math.abs(mean - other[i]) > OFF)) different += 1;
    }
  return different / (columns * rows);
}

function meanOf({ width, height, rgb }, left, top) {
  const sums = [0, 0, 0];
  let pixels = 0;
  for (let y = top; y < Math.min(top + BLOCK, height); y++)
    for (let x = left; x < Math.min(left + BLOCK, width); x++, pixels++)
      for (let i = 0; i < 3; i++) sums[i] += rgb[3 * (y * width + x) + i];
  return sums.map((sum) => sum / pixels);
}
