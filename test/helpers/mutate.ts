/** `bytes` with one to eight random changes: bits and bytes changed, spans cut, doubled, zeroed or moved. */
export function mutated(bytes: Uint8Array, random: () => number): Uint8Array {
  const below = (n: number) => Math.floor(random() * n);
  let out = Uint8Array.from(bytes);
  for (let changes = 1 + below(8); changes > 0 && out.length > 0; changes--) {
    const at = below(out.length);
    const length = 1 + below(Math.min(32, out.length - at));
    switch (below(7)) {
      case 0:
        out[at] ^= 1 << below(8);
        break;
      case 1:
        out[at] = below(256);
        break;
      case 2:
        out[at] = SPECIAL[below(SPECIAL.length)];
        break;
      case 3:
        out = out.slice(0, at);
        break;
      case 4:
        out = Uint8Array.from([...out.subarray(0, at), ...out.subarray(at + length)]);
        break;
      case 5:
        out = Uint8Array.from([...out.subarray(0, at + length), ...out.subarray(at)]);
        break;
      default:
        out.copyWithin(below(out.length), at, at + length);
    }
  }
  return out;
}

/** Bytes that mean something to one format or another. */
const SPECIAL = [...new TextEncoder().encode('{}[]()",:=-+.eE0129NI \n\\_RbcQ.}])(atu%')].concat([
  0, 0x7f, 0x80, 0x81, 0x8a, 0x8b, 0x93, 0x94, 0x95, 0xff,
]);
