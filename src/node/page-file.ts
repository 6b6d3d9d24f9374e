import { readFile } from 'node:fs/promises';
import { UnreadableInput } from '../errors.js';
import { fontFacesIn } from '../text/font-faces.js';

/** Where the page stands from a bundle of dist/, from one of its chunks, and from build/modules/. */
const PLACES = ['./page.html', '../page.html', '../../../../dist/page.html'];

/** The page that the package brings along. @throws UnreadableInput if it is not there. */
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

/** The rules of the page's type, for a report that is set in it; nothing where the package has no page. */
export async function fontFaces(): Promise<string | undefined> {
  const text = await pageText().catch((error: unknown) => {
    if (error instanceof UnreadableInput) return '';
    throw error;
  });
  return fontFacesIn(text);
}
