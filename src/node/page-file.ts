import { readFile } from 'node:fs/promises';
import { UnreadableInput } from '../errors.js';
import { fontFacesIn } from '../text/font-faces.js';

/** The place of the page relative to a bundle of dist/, to one of its chunks, and to build/modules/. */
const PLACES = ['./page.html', '../page.html', '../../../../dist/page.html'];

/** The HTML of the page in this package. @throws UnreadableInput if it is not there. */
export async function pageText(): Promise<string> {
  for (const place of PLACES) {
    try {
      return await readFile(new URL(place, import.meta.url), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new UnreadableInput('page.html is not beside the command: build or install the package again');
}

/** The @font-face rules of the page, for reports set in its typeface; undefined if the package has no page. */
export async function fontFaces(): Promise<string | undefined> {
  const text = await pageText().catch((error: unknown) => {
    if (error instanceof UnreadableInput) return '';
    throw error;
  });
  return fontFacesIn(text);
}
