import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { compose, dpSgd } from '../../src/index.js';
import { recogniseFile } from '../../src/node/run-file.js';
import { recognise } from '../../src/read/index.js';
import { Opaque } from '../../src/read/opaque.js';
import { unpickle } from '../../src/read/unpickle.js';
import { inflate } from '../../src/read/zip.js';
import { cpuSeconds, LONG } from '../helpers/cpu.js';
import { PickleWriter } from '../helpers/pickle-writer.js';
import { seeded } from '../helpers/random.js';
import { zip } from '../helpers/zip-writer.js';

const path = (name: string) => new URL(`./fixtures/${name}`, import.meta.url);
const fixture = (name: string) => new Uint8Array(readFileSync(path(name)));
const TWO_PHASES = compose([
  dpSgd({ noiseMultiplier: 1.3, samplingRate: 0.004, steps: 5000 }),
  dpSgd({ noiseMultiplier: 0.9, samplingRate: 0.004, steps: 500 }),
]);

describe('checkpoints that Python wrote', () => {
  it.each(['checkpoint.pt', 'checkpoint-deflated.pt', 'checkpoint-zip64.pt'])('%s', async (name) => {
    const run = recognise(fixture(name));
    expect(run).toMatchObject({ format: 'opacus-checkpoint', mechanism: TWO_PHASES });
    expect(run.facts).toEqual({ sampling: 'poisson', accountant: 'prv', divisor: 'expected-whole' });
    expect(await recogniseFile(path(name).pathname)).toEqual(run);
  });

  it.each([0, 1, 2, 3, 4, 5])('an accountant state pickled by protocol %i', (protocol) => {
    const { mechanism, facts } = recognise(fixture(`state-${protocol}.pkl`));
    expect(mechanism).toEqual(TWO_PHASES);
    expect(facts).toEqual({ sampling: 'poisson', accountant: 'rdp' });
  });

  it('says what a checkpoint without an accountant holds', () => {
    expect(() => recognise(fixture('weights-only.pt'))).toThrow(
      'it is a checkpoint without "privacy_accountant_state_dict" (it has "fc.weight", "fc.bias")',
    );
  });

  it('builds tensors and their storages never, and keeps what they are called', () => {
    const bytes = new PickleWriter(2)
      .global('torch._utils', '_rebuild_tensor_v2')
      .op('(')
      .op('(')
      .string('storage')
      .op('tQ')
      .op('tR.')
      .bytes();
    const built = unpickle(bytes);
    expect(built).toBeInstanceOf(Opaque);
    expect(built).toMatchObject({ name: 'torch._utils._rebuild_tensor_v2' });
  });

  it('reads a large file in its parts', async () => {
    // 200 MiB between the records and the directory, as a file with a hole
    const folder = mkdtempSync(join(tmpdir(), 'gdp-checkpoint-'));
    try {
      const bytes = fixture('checkpoint.pt');
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      const end = bytes.length - 22;
      const directory = view.getUint32(end + 16, true);
      const moved = directory + 200 * 2 ** 20;
      view.setUint32(end + 16, moved, true);
      const name = join(folder, 'large.pt');
      const file = openSync(name, 'w');
      writeSync(file, bytes, 0, directory, 0);
      writeSync(file, bytes, directory, bytes.length - directory, moved);
      closeSync(file);
      expect((await recogniseFile(name)).mechanism).toEqual(TWO_PHASES);
      // the same size of anything else must be read whole, and is not
      truncateSync(name, 0);
      truncateSync(name, 200 * 2 ** 20);
      await expect(recogniseFile(name)).rejects.toThrow('it is larger than 64 MiB and no zip archive');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Refused in one sentence, without a long computation. */
function refused(bytes: Uint8Array, sentence: string | RegExp): void {
  let error: unknown;
  const spent = cpuSeconds(() => {
    try {
      recognise(bytes);
    } catch (caught) {
      error = caught;
    }
  });
  expect(spent).toBeLessThan(LONG);
  expect(error).toBeInstanceOf(SyntaxError);
  const { message } = error as SyntaxError;
  expect(message).toMatch(/^it is [^\n]+$/);
  if (typeof sentence === 'string') expect(message).toContain(sentence);
  else expect(message).toMatch(sentence);
}

const inArchive = (content: Uint8Array) => zip([{ name: 'x/data.pkl', content }]);

describe('malicious pickles', () => {
  it.each([
    ['os', 'system'],
    ['posix', 'system'],
    ['nt', 'system'],
    ['subprocess', 'Popen'],
    ['builtins', 'eval'],
    ['builtins', 'exec'],
    ['__builtin__', 'eval'],
    ['builtins', 'getattr'],
    ['__main__', 'Net'],
    ['torch', 'load'],
    ['torch.serialization', 'load'],
    ['torch.hub', 'load'],
    ['collections', '__init__'],
    ['importlib', 'import_module'],
    ['runpy', '_run_code'],
  ])('%s.%s', (module, name) => {
    const sentence = `it is a pickle, but it would run ${module}.${name}, which reading a run never needs`;
    const called = (protocol: number) =>
      new PickleWriter(protocol).global(module, name).op('(').string('touch /tmp/pwned').op('tR.').bytes();
    refused(called(2), sentence);
    refused(inArchive(called(2)), sentence);
    const stacked = new PickleWriter(4).string(module).string(name).raw(0x93).op('.').bytes();
    refused(stacked, sentence);
    // even where nothing calls it
    refused(new PickleWriter(2).op('}').string('a').global(module, name).op('s.').bytes(), sentence);
  });

  it.each([
    ['INST', new PickleWriter(2).op('(i').line('os').line('system').op('.')],
    ['OBJ', new PickleWriter(2).op('(').string('x').op('o.')],
    ['NEWOBJ_EX', new PickleWriter(2).op('))}').raw(0x92).op('.')],
    ['EXT1', new PickleWriter(2).raw(0x82, 1).op('.')],
    ['a called list', new PickleWriter(2).op('])R.')],
    ['a called string', new PickleWriter(2).string('os.system').op(')R.')],
    ['BUILD of a list', new PickleWriter(2).op(']}b.')],
    ['a set', new PickleWriter(4).raw(0x8f).op('.')],
    ['an unknown operation', new PickleWriter(2).raw(0xff)],
    ['protocol 6 in an archive', new PickleWriter(6).op('N.')],
    ['an empty stack', new PickleWriter(2).op('.')],
    ['no mark', new PickleWriter(2).op('t.')],
    ['popping below a mark', new PickleWriter(2).op('N(a.')],
    ['odd items', new PickleWriter(2).op('}(Nu.')],
    ['an unknown memo', new PickleWriter(2).op('h').raw(7).op('.')],
    [
      'a frame beyond the end',
      new PickleWriter(4).raw(0x95, 255, 255, 255, 255, 255, 255, 255, 255).op('N.'),
    ],
    ['a string beyond the end', new PickleWriter(2).op('X').uint32(0xffffffff)],
    ['a negative string', new PickleWriter(2).op('T').uint32(0xffffffff)],
    ['a negative integer length', new PickleWriter(2).raw(0x8b).uint32(0xffffffff)],
    [
      'a huge LONG4',
      new PickleWriter(2)
        .raw(0x8b)
        .uint32(1000)
        .raw(...new Array(1000).fill(255))
        .op('.'),
    ],
    ['a huge LONG', new PickleWriter(2).op('L').line('9'.repeat(3000))],
    ['a line without end', new PickleWriter(2).op('I').raw(...new Array(100_000).fill(49))],
    ['no end', new PickleWriter(2).op(']')],
  ])('%s', (_name, writer) => {
    refused(inArchive(writer.bytes()), /^it is a pickle, but /);
  });

  it('deep nesting, without recursion', () => {
    const depth = 300_000;
    const nested = new Uint8Array(2 * depth + 3);
    nested.set([0x80, 2]);
    nested.fill(0x5d, 2, 2 + depth); // EMPTY_LIST
    nested.fill(0x61, 2 + depth, 1 + 2 * depth); // APPEND
    nested[1 + 2 * depth] = 0x2e;
    refused(nested, 'it is a pickle, but of a list and not of a dictionary');
    const deeper = new Uint8Array(2_000_002).fill(0x5d);
    deeper.set([0x80, 2]);
    refused(deeper, 'its stack grows beyond 1000000 values');
    refused(new Uint8Array(1_000_000).fill(0x28, 2).fill(0x80, 0, 1).fill(2, 1, 2), 'open marks');
  });

  it('a million remembered values', () => {
    const bytes = new Uint8Array(1_000_010).fill(0x94);
    bytes.set([0x80, 4, 0x4e]);
    refused(bytes, 'it remembers more than 500000 values');
  });

  it('more operations than a checkpoint has', () => {
    const bytes = new Uint8Array(12_000_000).fill(0x4e);
    bytes.set([0x80, 2]);
    for (let i = 3; i < bytes.length; i += 2) bytes[i] = 0x30;
    refused(bytes, 'it has more than 5000000 operations');
  });

  it('keys that name parts of an object', () => {
    const bytes = new PickleWriter(2)
      .op('}(')
      .string('__proto__')
      .op('}')
      .string('constructor')
      .op('Nu.')
      .bytes();
    expect(unpickle(bytes)).toEqual(
      new Map<unknown, unknown>([
        ['__proto__', new Map()],
        ['constructor', null],
      ]),
    );
    expect(() => recognise(bytes)).toThrow('it is a checkpoint without');
  });

  it('a history that holds a tensor', () => {
    const bytes = new PickleWriter(2)
      .op('}')
      .string('history')
      .op(']')
      .global('numpy.core.multiarray', 'scalar')
      .op(')R')
      .op('K')
      .raw(1)
      .op('K')
      .raw(1)
      .raw(0x87)
      .op('as.')
      .bytes();
    expect(() => recognise(bytes)).toThrow(
      '"history[0][0] (noise_multiplier)" must be a finite number >= 0, got "numpy.core.multiarray.scalar"',
    );
  });
});

describe('archives', () => {
  const state = new Uint8Array(fixture('state-2.pkl'));

  it('a bomb is refused by the size it states', () => {
    const bomb = zip([
      { name: 'a/data.pkl', content: new Uint8Array(64 * 2 ** 20), deflate: true, stated: { crc: 0 } },
    ]);
    refused(bomb, 'a/data.pkl in it states 67108864 bytes, more than the 16777216 allowed');
  });

  it('a bomb that states a small size is stopped there', () => {
    const content = new Uint8Array(64 * 2 ** 20);
    refused(
      zip([{ name: 'data.pkl', content, deflate: true, stated: { size: 1000, crc: 0 } }]),
      'it is a zip archive that unpacks to more than the 1000 bytes it states',
    );
  });

  it.each([
    ['encrypted', { flags: 1 }, 'is encrypted'],
    ['another method', { method: 14 }, 'is packed by method 14, not deflate'],
    ['a wrong checksum', { crc: 1 }, 'does not match its checksum'],
    ['two sizes', { size: 3 }, 'has two different sizes'],
    ['data beyond the end', { packed: 1e6, size: 1e6 }, 'it is cut or broken'],
  ])('%s', (_name, stated, sentence) => {
    refused(zip([{ name: 'data.pkl', content: state, stated }]), sentence);
  });

  it('no data.pkl, two of them, a cut archive', () => {
    refused(zip([{ name: 'word/document.xml', content: state }]), 'it is a zip archive with 0 data.pkl');
    refused(zip(['a', 'b'].map((name) => ({ name: `${name}/data.pkl`, content: state }))), 'with 2 data.pkl');
    const whole = fixture('checkpoint.pt');
    for (const end of [4, 21, 22, 100, whole.length - 22, whole.length - 1]) {
      refused(whole.subarray(0, end), /^it is a zip archive, but /);
    }
  });

  it('the old format of PyTorch is named', () => {
    const magic = Uint8Array.of(
      0x80,
      2,
      0x8a,
      10,
      0x6c,
      0xfc,
      0x9c,
      0x46,
      0xf9,
      0x20,
      0x6a,
      0xa8,
      0x50,
      0x19,
      0x2e,
    );
    refused(magic, 'it is a checkpoint of PyTorch before 1.6');
  });
});

describe('inflate', () => {
  it('undoes what zlib does, at every level and strategy', () => {
    const random = seeded(7);
    for (const size of [0, 1, 100, 70_000]) {
      const text = Uint8Array.from({ length: size }, (_, i) =>
        i % 97 < 60 ? i % 13 : Math.floor(random() * 256),
      );
      for (const level of [0, 1, 6, 9]) {
        for (const strategy of [0, 2, 3, 4]) {
          const packed = new Uint8Array(deflateRawSync(text, { level, strategy }));
          expect(Buffer.compare(inflate(packed, size), text)).toBe(0);
          expect(() => inflate(packed, size + 1)).toThrow(SyntaxError);
          if (size > 0) expect(() => inflate(packed, size - 1)).toThrow(SyntaxError);
        }
      }
    }
  });

  it.each([[[7]], [[]], [[1, 0, 0, 0, 0]], [[5, 0, 0]], [[3, 2, 0]]])('refuses %j', (bytes) => {
    expect(() => inflate(Uint8Array.from(bytes), 10)).toThrow(SyntaxError);
  });
});
