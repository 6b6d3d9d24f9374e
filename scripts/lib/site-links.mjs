// Links of a folder of HTML pages that lead nowhere, and what they would fetch from elsewhere.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** @returns A line for each: the page, and the link. */
export function deadLinks(folder) {
  const pages = readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.html'))
    .map((name) => join(folder, name));
  const anchors = new Map();
  const anchorsOf = (page) => {
    if (!anchors.has(page)) {
      const text = readFileSync(page, 'utf8');
      anchors.set(page, new Set([...text.matchAll(/ (?:id|name)="([^"]*)"/g)].map(([, id]) => decoded(id))));
    }
    return anchors.get(page);
  };
  return pages.flatMap((page) => {
    const text = readFileSync(page, 'utf8').replace(
      /<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>/g,
      (whole) => whole.slice(0, whole.indexOf('>') + 1),
    );
    return [...text.matchAll(/<(\w+)[^>]*? (href|src)="([^"]*)"/g)]
      .filter(([, tag, , to]) => isDead(page, tag, decoded(to), anchorsOf))
      .map(([, , , to]) => `${relative(folder, page)}: ${to}`);
  });
}

function isDead(page, tag, to, anchorsOf) {
  if (/^https?:/.test(to)) return tag !== 'a';
  if (/^(?:data|mailto|blob):/.test(to)) return false;
  const [file, anchor] = to.split('#');
  const target = file === '' ? page : join(dirname(page), decodeURIComponent(file.split('?')[0]));
  if (!existsSync(target)) return true;
  const html = statSync(target).isDirectory() ? join(target, 'index.html') : target;
  if (anchor === undefined || anchor === '' || !html.endsWith('.html')) return false;
  return !anchorsOf(html).has(decodeURIComponent(anchor));
}

const decoded = (text) =>
  text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<');
