const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The bytes that a base64 text (RFC 4648, padded, without line breaks) stands for; nothing where it is none. */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = new Uint8Array((text.length / 4) * 3 - (text.length - text.replace(/=+$/, '').length));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (const digit of text.replace(/=+$/, '')) {
    held = ((held << 6) | DIGITS.indexOf(digit)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >> bits;
  }
  return bytes;
}
