export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}
export function readPng(file: Buffer): Picture;
export function writePng(picture: Picture): Buffer;
export function differenceOf(a: Picture, b: Picture): number;
