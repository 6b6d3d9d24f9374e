// A C compiler of this machine for a target, and how it is called.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Missing, python } from './native-parts.mjs';

/** For every file: one text of arithmetic, in which no product and sum become one, on every processor. */
const PLAIN = [
  '-std=gnu11',
  '-O2',
  '-fno-strict-aliasing',
  '-ffp-contract=off',
  '-funsigned-char',
  // what is never called is left out
  '-ffunction-sections',
  '-fdata-sections',
];

/** Bytes of the module's stack. The script may have a part of it (native/gdp.c). */
const WASM_STACK = 4 << 20;

const WASM = {
  compile: ['-msimd128', '-D_WASI_EMULATED_SIGNAL'],
  link: [
    '-mexec-model=reactor',
    '-O2',
    `-Wl,-z,stack-size=${WASM_STACK},--stack-first,--strip-all,--gc-sections`,
    '-lm',
  ],
};

/**
 * @param {string} target 'host', 'wasm', or a target of zig.
 * @returns {{ name: string, target: string, command: string[], compile: string[], link: string[], output: string }}
 * @throws Missing where there is none.
 */
export function compilerFor(target) {
  if (target === 'wasm') return { ...wasmCompiler(), target, output: 'gdp.wasm' };
  const system = target === 'host' ? process.platform : target;
  const output = /win32|windows/.test(system)
    ? 'gdp.dll'
    : /darwin|macos/.test(system)
      ? 'libgdp.dylib'
      : 'libgdp.so';
  const { command, name, cpu } = target === 'host' ? hostCompiler() : zigFor(target);
  const shared = output === 'gdp.dll' ? [] : ['-fPIC'];
  const strict = {
    'libgdp.so': ['-Wl,-z,defs', '-Wl,--gc-sections'],
    'libgdp.dylib': ['-Wl,-dead_strip', '-Wl,-install_name,@rpath/libgdp.dylib'],
    'gdp.dll': [],
  }[output];
  return {
    name,
    target,
    command,
    output,
    // no exception passes through the library; Windows unwinds for longjmp
    compile: [
      ...cpu,
      ...shared,
      '-fvisibility=hidden',
      ...PLAIN,
      ...(output === 'libgdp.so' ? ['-fno-asynchronous-unwind-tables', '-fno-unwind-tables'] : []),
    ],
    link: ['-shared', '-s', ...strict, ...(output === 'gdp.dll' ? [] : ['-lm', '-lpthread'])],
  };
}

function hostCompiler() {
  const named = process.env.CC ? [process.env.CC.split(' ')] : [['cc'], ['gcc'], ['clang']];
  const command = named.find((each) => compiles(each, []));
  const cpu = process.arch === 'x64' ? ['-msse4.2'] : [];
  if (command !== undefined) return { command, name: command.join(' '), cpu };
  return { ...zig('a C compiler (gcc, clang, or ziglang of PyPI)'), cpu };
}

function zigFor(target) {
  const { command, name } = zig('zig (ziglang of PyPI), which compiles for other systems');
  const cpu = target.startsWith('x86_64') ? ['-mcpu=x86_64_v2'] : [];
  // the systems that platform_tag of python/build_wheel.py names
  const oldest = { 'aarch64-macos': '.11.0', 'x86_64-macos': '.10.13' }[target] ?? '';
  return { command: [...command, '-target', `${target}${oldest}`], name, cpu: [...cpu, '-fno-sanitize=all'] };
}

function wasmCompiler() {
  const numbered = [14, 15, 16, 17, 18, 19, 20, 21].map((version) => [`clang-${version}`]);
  const named = process.env.WASM_CC ? [process.env.WASM_CC.split(' ')] : [['clang'], ...numbered];
  const found = named.find((each) => compiles([...each, '--target=wasm32-wasi'], WASM.link));
  const { command, name } = found
    ? { command: [...found, '--target=wasm32-wasi'], name: found.join(' ') }
    : zigOf('wasm32-wasi');
  return { command, name, compile: [...WASM.compile, ...PLAIN], link: WASM.link };
}

function zigOf(target) {
  const needs =
    'a C compiler for WebAssembly (clang, lld, wasi-libc and the wasm32 part of compiler-rt, or ziglang of PyPI)';
  const { command, name } = zig(needs);
  return { command: [...command, '-target', target, '-fno-sanitize=all'], name };
}

function zig(needs) {
  const command = process.env.ZIG ? process.env.ZIG.split(' ') : [python, '-m', 'ziglang'];
  if (spawnSync(command[0], [...command.slice(1), 'version']).status !== 0)
    throw new Missing(`${needs} is needed, and this machine has none`);
  return { command: [...command, 'cc'], name: 'zig' };
}

/** Whether a compiler makes a program, its C library included. */
function compiles(command, flags) {
  const folder = mkdtempSync(join(tmpdir(), 'gdp-cc-'));
  try {
    const [source, out] = [join(folder, 'a.c'), join(folder, 'a.out')];
    writeFileSync(
      source,
      '#include <math.h>\n#include <stdlib.h>\nint main(int n, char **v) { return (int)pow(atof(v[0]), n); }\n',
    );
    return spawnSync(command[0], [...command.slice(1), source, '-o', out, ...flags, '-lm']).status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
