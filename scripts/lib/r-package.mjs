// The R package as it is built: the sources of r/ with the C of the library, the headers that it reads, their licences and the vectors of the tests.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeC, notices, recipe } from './native-library.mjs';
import { fetchParts } from './native-parts.mjs';
import { root } from './setup.mjs';

/** What QuickJS and simde have and the library does not read. */
const UNREAD = /^(?:quickjs-libc|unicode_gen_def|simde-(?:aes|bf16|complex|f16))\.h$/;

/**
 * Writes the sources of the package, which then need neither Node nor a network.
 *
 * @param {string} to A folder, which is written anew.
 */
export function assembleR(to) {
  const { version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  rmSync(to, { recursive: true, force: true });
  cpSync(join(root, 'r'), to, { recursive: true });
  rmSync(join(to, 'tasks.R'));
  writeC(join(to, 'src'), join(to, 'inst'), version);
  cpSync(join(root, 'conformance/vectors'), join(to, 'tests/testthat/vectors'), { recursive: true });
  const path = join(to, 'DESCRIPTION');
  const url = (repository?.url ?? repository)?.replace(/^git\+|\.git$/g, '');
  const stated = readFileSync(path, 'utf8').replace(/^Version: .*$/m, `Version: ${version}`);
  writeFileSync(path, url === undefined ? stated : `${stated}URL: ${url}\nBugReports: ${url}/issues\n`);
}

/** The C files, each after the header that makes it portable, the headers, and what has to be said of their authors. */
function writeC(to, inst, version) {
  const parts = fetchParts();
  makeC(parts);
  const { sources, folders } = recipe(parts);
  for (const source of sources) {
    const power = source.startsWith(parts.quickjs) ? '#include "power.h"\n' : '';
    writeFileSync(join(to, basename(source)), `#include "portable.h"\n${power}${textOf(source)}`);
  }
  for (const [folder, name] of Object.entries(folders))
    for (const header of headersOf(folder, name === 'simde')) {
      mkdirSync(join(to, header, '..'), { recursive: true });
      writeFileSync(join(to, header), textOf(join(folder, header)));
    }
  const header = join(to, 'portable.h');
  writeFileSync(header, readFileSync(header, 'utf8').replace('VERSION_OF_PACKAGE', JSON.stringify(version)));
  mkdirSync(inst, { recursive: true });
  writeFileSync(join(inst, 'THIRD-PARTY.txt'), notices(parts));
}

/** C as CRAN takes it: no diagnostic is switched off. */
function textOf(path) {
  const text = readFileSync(path, 'utf8').replace(/^[ \t]*#[ \t]*pragma (?:GCC|clang) diagnostic .*\n/gm, '');
  return `${text.trimEnd()}\n`;
}

/** Headers by their names in a folder; of simde, those of WebAssembly's vectors. */
function headersOf(folder, simde) {
  const own = (at) =>
    readdirSync(join(folder, at))
      .filter((name) => name.endsWith('.h') && !UNREAD.test(name))
      .map((name) => join(at, name));
  return simde ? [...own('simde'), join('simde/wasm', 'simd128.h')] : own('');
}
