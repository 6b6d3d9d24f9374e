// The doors of docs/hosts.md: for whom each is, how it is built and asked, and the table of what they take.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { fetchParts, python } from './native-parts.mjs';
import { root } from './setup.mjs';

const node = process.execPath;
const [LIBRARY, MODULE, SCRIPT] = ['build/native/libgdp.so', 'dist/gdp.wasm', 'dist/embed.js'];
const NO_LIMIT = 'a time limit of its own';

/**
 * `who`, `door`, `install` and `lacks` are the cells of the table. `file` is what its size is of, `needs` a command that fails where the door cannot
 * be asked, `command` the program that answers lines, and `reverse` whether it is asked in reverse, too. A `host` is a folder of hosts/: it is built in an empty folder by the lines of its README,
 * and `answer` is how the program of test/doors is put there and built.
 */
export const DOORS = [
  {
    who: 'JavaScript; a program that may start another',
    door: '[`gdp serve`](serve.md), a child process',
    install: 'Node',
    command: [node, 'dist/cli.js', 'serve', '--stdio', '--no-files', '--workers', '1'],
    reverse: true,
  },
  {
    who: 'JavaScript without Node',
    door: '`embed.js` in an empty context',
    file: SCRIPT,
    command: [node, 'test/doors/embed.mjs'],
    reverse: true,
  },
  {
    who: 'other hosts of WebAssembly',
    door: '`gdp.wasm`, by that of Node',
    lacks: NO_LIMIT,
    file: MODULE,
    command: [node, 'test/doors/module.mjs'],
    reverse: true,
  },
  {
    who: 'Python',
    door: '[the wheel](../python/README.md): `libgdp` by ctypes',
    file: LIBRARY,
    command: [python, 'test/doors/door.py', 'native'],
    reverse: true,
  },
  {
    who: 'Python where there is no wheel',
    door: 'its extra `[wasm]`: `gdp.wasm` by wasmtime',
    install: 'wasmtime',
    lacks: NO_LIMIT,
    file: MODULE,
    needs: [python, '-c', 'import wasmtime'],
    command: [python, 'test/doors/door.py', 'wasm'],
    reverse: true,
  },
  {
    who: 'Python, many questions under replace-one',
    door: 'its extra `[v8]`: `embed.js` by mini-racer',
    install: 'mini-racer',
    file: SCRIPT,
    needs: [python, '-c', 'import py_mini_racer'],
    command: [python, 'test/doors/door.py', 'v8'],
    reverse: true,
  },
  {
    who: 'R',
    door: '[the package](../r/README.md), the library compiled in',
    install: 'jsonlite',
    file: 'build/r/library/gdpkernel/libs/gdpkernel.so',
    needs: ['Rscript', '--version'],
    command: ['Rscript', 'test/doors/door.R'],
  },
  {
    who: 'C, and what links C',
    door: '[hosts/c](../hosts/c/README.md): `libgdp`',
    install: 'a C compiler',
    host: 'c',
    file: LIBRARY,
    files: [LIBRARY, 'build/native/gdp.h'],
    needs: ['cc', '--version'],
    answer: { 'answer.c': 'answer.c' },
    build: 'cc -O2 -Wall -Wextra -I. answer.c -L. -lgdp -Wl,-rpath,. -o answer',
    command: ['./answer'],
  },
  {
    who: 'Java',
    door: '[hosts/java](../hosts/java/README.md): `libgdp` by JNA',
    install: 'JNA, Jackson',
    host: 'java',
    file: LIBRARY,
    files: [LIBRARY],
    needs: ['mvn', '--version'],
    answer: { 'Answer.java': 'src/main/java/org/gdpkernel/Answer.java' },
    build: 'mvn -q -B package',
    command: ['java', '-cp', 'target/classes:target/libs/*', 'org.gdpkernel.Answer', './libgdp.so'],
  },
  {
    who: 'Go, without cgo',
    door: '[hosts/go](../hosts/go/README.md): `gdp.wasm` by wazero',
    install: 'wazero',
    lacks: NO_LIMIT,
    host: 'go',
    file: MODULE,
    files: [MODULE],
    needs: ['go', 'version'],
    answer: { 'answer.go': 'answer/main.go' },
    build: 'CGO_ENABLED=0 go test && CGO_ENABLED=0 go build -o answers ./answer',
    command: ['./answers'],
  },
  {
    who: 'Rust',
    door: '[hosts/rust](../hosts/rust/README.md): `gdp.wasm` by wasmtime',
    install: 'wasmtime',
    lacks: NO_LIMIT,
    host: 'rust',
    file: MODULE,
    files: [MODULE],
    needs: ['cargo', '--version'],
    answer: { 'answer.rs': 'examples/answer.rs' },
    build: 'cargo build -q --release --example answer',
    command: ['target/release/examples/answer'],
  },
];

/** The kernel without the accountant, which is asked questions of its own. */
export const KERNEL = {
  who: 'DP-SGD alone, in C or Go',
  door: '[hosts/kernel](../hosts/kernel/README.md): [`kernel.wasm`](host-kernel.md) by wasm2c',
  install: 'a C compiler',
  lacks: 'other mechanisms',
  host: 'kernel',
  file: 'dist/kernel.wasm',
  files: ['dist/kernel.wasm', 'native/wasm-rt.h', 'native/wasm-rt.c'],
  needs: ['cc', '--version'],
  answer: { 'answer-kernel.c': 'answer.c' },
  build:
    'cc -std=gnu11 -O2 -I. -isystem "$SIMDE" -isystem "$SIMDE/simde" answer.c kernel.o wasm-rt.o -lm -o answer',
  command: ['./answer'],
};

/**
 * Why a door cannot be asked here; nothing if it can. A host is built.
 *
 * @throws Error if a host cannot be built as its README says, or prints something else.
 */
export function missingOf({ file, needs, ...door }) {
  if (file !== undefined && !existsSync(join(root, file))) return `${file} is not built`;
  if (needs !== undefined && spawnSync(needs[0], needs.slice(1)).status !== 0)
    return `"${needs.join(' ')}" fails`;
  if (door.host !== undefined) buildHost(door);
  return undefined;
}

export const folderOf = ({ host }) => (host === undefined ? root : join(root, 'build/doors', host));

function buildHost({ host, files, answer, build }) {
  const folder = folderOf({ host });
  mkdirSync(folder, { recursive: true });
  // what cargo compiled in minutes is kept
  for (const name of readdirSync(folder))
    if (name !== 'target') rmSync(join(folder, name), { recursive: true });
  cpSync(join(root, 'hosts', host), folder, { recursive: true });
  for (const file of files) copyFileSync(join(root, file), join(folder, basename(file)));
  for (const { lines, prints } of blocksOf(readFileSync(join(folder, 'README.md'), 'utf8'))) {
    const said = shell(lines, folder);
    if (said !== prints) throw new Error(`hosts/${host}/README.md says\n${prints}and this machine\n${said}`);
  }
  for (const [from, to] of Object.entries(answer)) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(join(root, 'test/doors', from), join(folder, to));
  }
  shell(build, folder);
}

/** The commands of a page, and what it says that they print. */
export function blocksOf(page) {
  return [...page.matchAll(/```sh\n([\s\S]*?)```\s+```\n([\s\S]*?)```/g)].map(([, lines, prints]) => ({
    lines,
    prints,
  }));
}

/** What lines of a shell print. wasm2c and simde are those that the library is built of. */
function shell(lines, cwd) {
  const { wabt, simde } = fetchParts();
  const env = {
    ...process.env,
    PATH: `${join(wabt, 'bin')}:${process.env.PATH}`,
    SIMDE: join(simde, '..'),
  };
  const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', lines], { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${lines}: ${stdout.slice(-1000)}${stderr.slice(-2000)}`);
  return stripVTControlCharacters(stdout);
}

const [BEGIN, END] = ['<!-- doors: begin -->', '<!-- doors: end -->'];
const HEAD = ['who', 'door', 'to install', 'lacks', 'MB (gzipped)', 'open', 'first', 'p50', 'p90', 'memory'];

/** @param {{ size: string, compiled: number, open: number, first: number, times: number[], memory: number }[]} rows each with its door's cells. */
export function tableOf(rows) {
  const lines = rows.map(({ who, door, install = '', lacks = '', size, ...took }) => {
    const sorted = took.times.toSorted((a, b) => a - b);
    const part = (share) => shown(sorted[Math.floor(share * (sorted.length - 1))]);
    const once = took.compiled > 2 * took.open ? ` (once ${shown(took.compiled)})` : '';
    const figures = [
      shown(took.open) + once,
      shown(took.first),
      part(0.5),
      part(0.9),
      took.memory.toFixed(0),
    ];
    return [who, door, install, lacks, size, ...figures];
  });
  return [HEAD, HEAD.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

const shown = (ms) => (ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en'));

/** A page with the table between its marks. @throws Error for a page without them. */
export function withTable(page, table) {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`the page has no place between ${BEGIN} and ${END}`);
  return `${page.slice(0, from)}${BEGIN}\n\n${table}\n${page.slice(to)}`;
}
