import { readFile } from 'node:fs/promises';
import { UnreadableInput } from '../errors.js';
import { fontFacesIn } from '../text/font-faces.js';

/** The folder of this package's files relative to a bundle of dist/, to one of its chunks, and to build/modules/. */
const PLACES = ['./', '../', '../../../../dist/'];

/** A text that the build made for this package, by its name in dist/. @throws UnreadableInput if it is not there. */
export async function shippedText(name: string): Promise<string> {
  for (const place of PLACES) {
    try {
      return await readFile(new URL(place + name, import.meta.url), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new UnreadableInput(`${name} is not beside the command: build or install the package again`);
}

/** The @font-face rules of the page, for reports set in its typeface; undefined if the package has no page. */
export async function fontFaces(): Promise<string | undefined> {
  const text = await shippedText('page.html').catch((error: unknown) => {
    if (error instanceof UnreadableInput) return '';
    throw error;
  });
  return fontFacesIn(text);
}
