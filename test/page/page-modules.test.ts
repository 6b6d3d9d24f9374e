import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { account } from '../../src/account/account.js';
import { chartSvg } from '../../src/chart/chart.js';
import { axisEnd, scaleOf, ticksOf } from '../../src/chart/scale.js';
import { dpSgd, gaussian, repeat } from '../../src/index.js';
import { answerTo } from '../../src/page/compute.js';
import { commandLine, python } from '../../src/page/exports.js';
import { tradeoffChart } from '../../src/page/figures.js';
import { fragmentOf, readFragment } from '../../src/page/fragment.js';
import { agreeing, batchesText, takenFor } from '../../src/page/loaders.js';
import type { AnswerPart, PageAnswer, Question } from '../../src/page/messages.js';
import { notesOf } from '../../src/page/notes.js';
import { LOADERS, NEIGHBOURS } from '../../src/page/setting.js';
import {
  batchOfSize,
  EXAMPLE,
  type FieldName,
  fieldFault,
  fieldText,
  fieldValue,
  phaseOf,
  type State,
  settingOf,
  sliderStop,
  typedIn,
} from '../../src/page/state.js';
import { recognise } from '../../src/read/index.js';
import { grouped, oneIn, percentUp, powerOfTen, settingText, upperText } from '../../src/text/rounded.js';
import { gdp } from '../cli/harness.js';
import { wasm } from '../helpers/runs.js';

const positive = (most: number) => fc.double({ min: 1e-9, max: most, noNaN: true });
const settings: fc.Arbitrary<State> = fc
  .record({
    sigma: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
    size: fc.integer({ min: 1, max: 1e9 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    epochs: positive(1e9),
    delta: fc.double({ min: 1e-300, max: 0.5, noNaN: true }),
    loader: fc.constantFrom(...LOADERS),
    neighbours: fc.constantFrom(...NEIGHBOURS),
    records: fc.integer({ min: 1, max: 1000 }),
    alpha: fc.double({ min: 1e-6, max: 0.999, noNaN: true }),
  })
  .map(({ share, ...rest }) =>
    agreeing({ ...EXAMPLE, ...rest, batch: Math.max(1, Math.floor(share * rest.size)) }),
  );

describe('links', () => {
  it('open to the state they were made of', () => {
    fc.assert(
      fc.property(settings, fc.array(settings, { maxLength: 3 }), (state, kept) => {
        const whole: State = { ...state, kept: kept.map(settingOf) };
        const read = readFragment(fragmentOf(whole));
        expect(read.refused).toBeUndefined();
        expect(settingOf(read.state)).toEqual(settingOf(whole));
        expect(read.state.kept.map(settingOf)).toEqual(whole.kept);
        expect(fragmentOf(read.state)).toBe(fragmentOf(whole));
      }),
      { numRuns: 200 },
    );
    expect(fragmentOf(EXAMPLE)).toBe('');
  });

  it('of the short words that loaders and neighbours had are read', () => {
    for (const [link, loader, neighbours] of [
      ['#v=1&l=bins&a=addremove', 'balls-and-bins', 'add-remove'],
      ['#v=1&l=capped&a=zeroout', 'capped-poisson', 'zero-out'],
      ['#v=1&a=replace', 'poisson', 'replace-one'],
    ] as const)
      expect(readFragment(link).state).toMatchObject({ loader, neighbours });
  });

  it('that ask for what cannot be say so and show the example', () => {
    for (const [link, said] of [
      ['#v=1&s=-1', 'σ = -1'],
      ['#v=1&l=magic', 'loader magic'],
      ['#v=1&l=constructor', 'loader constructor'],
      ['#v=1&x=bins', 'scale bins'],
      ['#v=1&l=shuffled&a=addremove', 'shuffled batches of these settings under add-remove'],
      ['#v=1&l=bins&r=0.1&m=9', 'bins batches of these settings'],
      ['#v=1&b=60000&n=50000', 'batches of 60000 from 50000 records'],
      ['#v=1&p=1,0.1', 'the phase 1,0.1'],
      ['#v=1&k=0', '0 records'],
      ['#v=1&d=1', 'δ = 1'],
      ['#v=2&s=3', 'another version'],
      ['#s=3', 'another version'],
    ] as const) {
      const { state, refused } = readFragment(link);
      expect(state).toEqual(EXAMPLE);
      expect(refused, link).toContain(said);
    }
  });

  it('damaged anywhere never throw', () => {
    const link = fragmentOf({ ...EXAMPLE, sigma: 3, phases: [phaseOf(EXAMPLE)], kept: [settingOf(EXAMPLE)] });
    fc.assert(
      fc.property(fc.nat(link.length), fc.string({ maxLength: 3 }), (at, text) => {
        expect(readFragment(link.slice(0, at) + text + link.slice(at + 1)).state.sigma).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});

describe('numbers as people read them', () => {
  it('are never below the upper end', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-300, max: 1e8, noNaN: true }), (x) => {
        const text = upperText(x);
        expect(Number(text)).toBeGreaterThanOrEqual(x);
        expect(Number(text)).toBeLessThan(x * 1.011);
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1, noNaN: true }), (p) => {
        expect(Number(percentUp(p))).toBeGreaterThanOrEqual(p * 100 * (1 - 1e-15));
        expect(Number(percentUp(p))).toBeLessThanOrEqual(100);
      }),
    );
  });

  it('say what was typed', () => {
    expect([settingText(50000), settingText(0.32768), settingText(1e-5)]).toEqual([
      '50,000',
      '0.32768',
      '1e-5',
    ]);
    expect([grouped('1234567.25'), oneIn(1e-3), oneIn(0.3)]).toEqual([
      '1,234,567.25',
      '1 in 1,000',
      '30 in 100',
    ]);
    expect([powerOfTen('2.10e-06'), powerOfTen('1e-5'), powerOfTen('7.43')]).toEqual([
      { factor: '2.10 × ', exponent: '−6' },
      { factor: '', exponent: '−5' },
      undefined,
    ]);
  });
});

describe('fields', () => {
  const taken = (name: FieldName, text: string) => {
    const value = typedIn(name, text);
    return fieldFault(name, value, EXAMPLE, text) ?? value;
  };

  it('never guess what a comma means', () => {
    for (const text of ['1,1', '1,100', '0,5', '1,1e3'])
      expect(taken('sigma', text)).toMatch(/decimal point/);
    expect(taken('delta', '1,5e-6')).toMatch(/decimal point/);
    expect(taken('batch', '1,1')).toMatch(/groups of three/);
    expect([taken('batch', '16,000'), taken('size', '60_000'), taken('sigma', '1.1')]).toEqual([
      16000, 60000, 1.1,
    ]);
    expect(taken('epochs', 'ten')).toBe('Epochs must be a number.');
  });

  it('read back what they show', () => {
    fc.assert(
      fc.property(settings, (state) => {
        for (const name of ['sigma', 'batch', 'size', 'epochs', 'delta'] as const) {
          const value = fieldValue(name, state);
          expect(typedIn(name, fieldText(name, value))).toBe(Number(value.toPrecision(10)));
        }
      }),
    );
  });

  it('read powers, and 256/60000 as a batch of a data set', () => {
    expect([taken('delta', '10^-6'), taken('delta', '10⁻⁶'), taken('rate', '256/60000')]).toEqual([
      1e-6,
      1e-6,
      256 / 60000,
    ]);
    expect(batchOfSize('256/60000')).toEqual({ batch: 256, size: 60000 });
    expect(['256', '60000/256', '1/2/3', '1.5/3'].map(batchOfSize)).toEqual(Array(4).fill(undefined));
  });

  it('refuse a batch larger than the data, whichever is typed', () => {
    expect(fieldFault('batch', 60_000, EXAMPLE)).toMatch(/no larger/);
    expect(fieldFault('size', 10_000, EXAMPLE)).toBe(
      'The data set is no smaller than a batch, which has 16,384 records.',
    );
    expect(sliderStop('size', EXAMPLE)).toBe(EXAMPLE.batch);
    expect(fieldFault('size', 10_000, { ...EXAMPLE, rate: 0.1, steps: 10 })).toBeUndefined();
  });

  it('say which batches and epochs the numbers are of, where the fields say others', () => {
    const bins: State = { ...EXAMPLE, loader: 'balls-and-bins' };
    expect(takenFor(bins)).toBe(
      'The numbers are for 16,670 records a batch on average, not 16,384 and 656 epochs, not 655.36.',
    );
    expect(batchesText(bins)).toBe(', balls-and-bins batches (3 an epoch)');
    expect(takenFor({ ...bins, batch: 12500, epochs: 600 })).toBeUndefined();
    expect(takenFor({ ...bins, loader: 'shuffled' })).toBe('The numbers are for 656 epochs, not 655.36.');
  });

  it('say why epsilon is 0', () => {
    const [part] = answerTo(wasm, {
      id: 1,
      since: 0,
      task: 'coarse',
      setting: settingOf({ ...EXAMPLE, delta: 0.5 }),
    });
    if (part?.kind !== 'answer') throw new Error('no answer');
    const noted = {
      answer: part.answer as PageAnswer,
      failure: undefined,
      unreached: undefined,
      notice: undefined,
    };
    const notes = notesOf({ ...noted, state: { ...EXAMPLE, delta: 0.5 } }).join(' ');
    expect(part.answer.epsilon?.upper).toBeGreaterThan(0);
    expect(notes).not.toMatch(/nothing was run/);
    const setting = { ...EXAMPLE, sigma: 1000, delta: 0.5 };
    const [quiet] = answerTo(wasm, { id: 2, since: 0, task: 'coarse', setting: settingOf(setting) });
    if (quiet?.kind !== 'answer') throw new Error('no answer');
    const said = notesOf({ ...noted, answer: quiet.answer as PageAnswer, state: setting }).join(' ');
    expect(quiet.answer.epsilon?.upper).toBe(0);
    expect(said).toMatch(/δ is not below the membership advantage, 0\.00/);
    expect(said).not.toMatch(/file/);
  });
});

describe('charts', () => {
  it('have scales that invert and ticks within their axes', () => {
    for (const axis of [
      { type: 'linear', domain: [0, 12], label: '' },
      { type: 'log', domain: [1e-12, 1], label: '' },
    ] as const) {
      const scale = scaleOf(axis, [40, 400]);
      for (const place of [40, 111, 260, 400]) expect(scale.at(scale.invert(place))).toBeCloseTo(place, 9);
      const ticks = ticksOf(axis);
      expect(ticks.length).toBeGreaterThan(2);
      for (const tick of ticks) expect(tick >= axis.domain[0] && tick <= axis.domain[1]).toBe(true);
    }
    expect([0.93, 7.43 * 1.45, 1, 20].map(axisEnd)).toEqual([1, 15, 1, 20]);
  });

  it('are XML whose words are escaped', () => {
    const svg = chartSvg({
      id: 'x',
      title: '<b>&"',
      description: '',
      width: 100,
      height: 100,
      x: { type: 'linear', domain: [0, 1], label: 'a<b' },
      y: { type: 'log', domain: [1e-3, 1], label: 'δ' },
      marks: [{ type: 'text', at: [0, 1], text: 'at 1e-5 <' }],
    });
    expect(svg).toContain('&lt;b&gt;&amp;&quot;');
    expect(svg).toContain('at 10<tspan class="sup" dy="-.38em">−5</tspan>');
    expect(svg).not.toMatch(/<b>|NaN|undefined/);
  });
});

describe('answers', () => {
  const ask = (question: object): AnswerPart[] => {
    const parts = [...answerTo(wasm, { id: 1, ...question } as Question)];
    return parts.filter((part) => part !== undefined);
  };
  const answerOf = (state: State, task = 'fine'): PageAnswer =>
    Object.assign(
      {},
      ...ask({ task, setting: settingOf(state), alpha: state.alpha }).map((part) =>
        part.kind === 'answer' ? part.answer : {},
      ),
    );

  it('are those of the library', () => {
    const answer = answerOf(EXAMPLE);
    const run = account(wasm, dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 }), {
      adjacency: 'add-remove',
    });
    expect(answer.epsilon).toEqual(run.epsilon(1e-5));
    expect(answer.advantage).toEqual(run.advantage());
    const exact = run.truePositiveRate(1e-3);
    const power = answer.found!.find(({ rate }) => rate === 1e-3)!.power;
    expect(power.lower <= exact.upper && exact.lower <= power.upper).toBe(true);
    expect(power.upper / exact.upper).toBeCloseTo(1, 9);
    expect(answer.changes).toHaveLength(4);
    expect(answer.others?.length).toBeGreaterThan(5);
    const coarse = answerOf(EXAMPLE, 'coarse');
    expect(coarse.epsilon.upper).toBeGreaterThanOrEqual(run.epsilon(1e-5).lower);
    expect(coarse.epsilon.upper).toBeLessThan(run.epsilon(1e-5).upper * 1.001);
  });

  it('of groups bound what the group of a Gaussian is: k mu', () => {
    const plain: State = { ...EXAMPLE, sigma: 4, rate: 1, steps: 1, neighbours: 'replace-one', records: 3 };
    const answer = answerOf(plain);
    const exact = account(wasm, gaussian({ noiseMultiplier: 4 / 3 }), { adjacency: 'replace-one' });
    expect(answer.bound).toBe(true);
    expect(answer.epsilon.upper).toBeGreaterThan(exact.epsilon(1e-5).lower);
    expect(answer.epsilon.upper).toBeLessThan(exact.epsilon(1e-5).upper * 1.02);
    expect(answer.measured?.mu.upper).toBeGreaterThanOrEqual(1.5);
    expect(answer.measured?.mu.upper).toBeLessThan(1.5001);
    const together = answerOf({ ...plain, loader: 'all', neighbours: 'zero-out' });
    const all = account(wasm, gaussian({ noiseMultiplier: 4 / 3 }), { adjacency: 'zero-out' });
    expect(together.epsilon.upper / all.epsilon(1e-5).upper).toBeCloseTo(1, 9);
  });

  it('of every loader and neighbours are those of the command line that leaves the page', async () => {
    const answers: string[] = [];
    for (const loader of LOADERS) {
      for (const neighbours of NEIGHBOURS) {
        for (const records of [1, 3]) {
          const asked: State = {
            ...EXAMPLE,
            sigma: 20,
            batch: 1000,
            epochs: 2,
            loader,
            neighbours,
            records,
          };
          const state = agreeing(asked);
          if (state.neighbours !== neighbours) continue;
          const answer = answerOf(state, 'coarse');
          const name = `${loader} ${neighbours} ${records}`;
          expect(answer.epsilon.upper, name).toBeGreaterThan(answer.epsilon.lower);
          if (!answer.stated) continue;
          answers.push(name);
          const words = commandLine(settingOf(state)).split(' ');
          const { stdout } = await gdp(['epsilon', ...words.slice(2), '--json']);
          const { epsilon, mechanism } = JSON.parse(stdout);
          expect(answer.epsilon.upper, name).toBeGreaterThanOrEqual(epsilon.upper * (1 - 1e-6));
          expect(answer.epsilon.upper / epsilon.upper, name).toBeLessThan(1.003);
          const [, json] = /^mechanism = (\{[\s\S]*?\n\})$/m.exec(python(settingOf(state))) ?? [];
          expect(recognise(json!).mechanism).toEqual(mechanism);
        }
      }
    }
    expect(answers).toHaveLength(16);
  }, 240_000);

  it('of all tries count each of them', () => {
    const answer = answerOf({ ...EXAMPLE, tries: 3 });
    const run = account(
      wasm,
      repeat(dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 }), 3),
      { adjacency: 'add-remove' },
    );
    expect(answer.epsilon).toEqual(run.epsilon(1e-5));
  });

  it.each([
    ['sigma', 'epsilon', 3],
    ['batch', 'epsilon', 3],
    ['epochs', 'epsilon', 3],
    ['sigma', 'advantage', 0.3],
    ['sigma', 'found', 0.02],
    ['sigma', 'mu', 1],
  ] as const)('solve %s for %s <= %d, and meet it when retyped', (unknown, aim, target) => {
    const asked = { task: 'solve', setting: settingOf(EXAMPLE), unknown, aim, target, alpha: 1e-3 };
    const [part] = ask(asked);
    if (part?.kind !== 'solved') throw new Error(JSON.stringify(part));
    const { value } = part.solved;
    const answer = answerOf({ ...EXAMPLE, [unknown]: value });
    const losses = {
      epsilon: answer.epsilon.upper,
      mu: answer.measured!.mu.upper,
      advantage: answer.advantage!.upper,
      found: answer.found!.find(({ rate }) => rate === 1e-3)!.power.upper,
    };
    expect(losses[aim]).toBeLessThanOrEqual(target);
    expect(losses[aim]).toBeGreaterThan(target * (unknown === 'batch' ? 0.99 : 0.997));
  });

  it('say what is out of reach', () => {
    const setting = { ...settingOf(EXAMPLE), delta: 1e-300 };
    const [part] = ask({
      task: 'solve',
      setting,
      unknown: 'epochs',
      aim: 'epsilon',
      target: 1e-9,
      alpha: 1e-3,
    });
    expect(part).toEqual({ kind: 'unreached', reason: expect.stringMatching(/^No value of this field/) });
  });

  it('draw a curve that is above the exact one and close to it', () => {
    const answer = answerOf(EXAMPLE, 'coarse');
    const spec = tradeoffChart({ answer, kept: [], width: 430 }, 'linear', 1e-3);
    const line = spec.marks.find((mark) => mark.type === 'line' && mark.className === undefined);
    const run = account(wasm, dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 }), {
      adjacency: 'add-remove',
    });
    if (line?.type !== 'line') throw new Error('no line');
    const inside = line.points.filter(([alpha]) => alpha > 1e-4 && alpha < 1).filter((_, i) => i % 9 === 0);
    expect(inside.length).toBeGreaterThan(5);
    for (const [alpha, power] of inside) {
      const exact = run.truePositiveRate(alpha);
      expect(power).toBeGreaterThanOrEqual(exact.lower);
      expect(power).toBeLessThan(exact.upper + 2e-3);
    }
  });
});
