// Which library a bundled file belongs to, and what its licence asks to be handed on.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licences that allow code, or fonts (OFL), in a package under Apache-2.0, with their text and notices beside it. */
const ALLOWED = ['Apache-2.0', 'MIT', 'BSD-3-Clause', '0BSD', 'OFL-1.1'];

/** The package of a file under node_modules: its folder, name, version and licence. */
export function packageOf(id) {
  const found = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(id);
  if (found === null) return undefined;
  const { name, version, license } = JSON.parse(readFileSync(join(found[1], 'package.json'), 'utf8'));
  return { folder: found[1], name, version, license };
}

/** @throws Error if the licence is not known to allow bundling, or its text is missing. */
export function noticeOf({ folder, name, version, license }) {
  if (!ALLOWED.includes(license)) throw new Error(`${name} is under ${license}: may its code be bundled?`);
  const texts = readdirSync(folder).filter(
    (file) => /^(?:licen[cs]e|notice|copyrightnotice)/i.test(file) && /\.\w+$|^[A-Z]+$/.test(file),
  );
  const more = join(folder, 'licenses');
  const paths = [
    ...texts.map((file) => join(folder, file)).filter((path) => path !== more),
    ...(existsSync(more) ? readdirSync(more).map((file) => join(more, file)) : []),
  ];
  if (paths.length === 0) throw new Error(`${name} has no licence text`);
  return [
    `${'='.repeat(80)}\n${name} ${version} (${license})\n`,
    ...paths.map((path) => `${readFileSync(path, 'utf8').trim()}\n`),
  ].join('\n');
}
