/** The bytes of a base64 text (RFC 4648, padded, without line breaks); undefined if it is none. */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const digits = text.replace(/=+$/, '');
  const bytes = new Uint8Array((digits.length * 3) >> 2);
  let held = 0;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < digits.length; i++) {
    held = ((held << 6) | VALUES[digits.charCodeAt(i)]!) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >> bits;
  }
  return bytes;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Values of digits by their codes. */
const VALUES: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, DIGITS.indexOf(String.fromCharCode(code))),
);
