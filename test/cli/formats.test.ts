import { describe, expect, it } from 'vitest';
import { gdp } from './harness.js';

describe('every format answers the same question', () => {
  const answer = async (argv: string[], stdin?: string) => {
    const { code, stdout, stderr } = await gdp(['epsilon', ...argv, '--json'], stdin);
    expect(code).toBe(0);
    return { epsilon: JSON.parse(stdout).epsilon, adjacency: JSON.parse(stdout).adjacency, stderr };
  };

  it('checkpoint, event, flags and mechanism', async () => {
    const history = await answer(['-'], '{"history": [[1.3, 0.004, 5000], [0.9, 0.004, 500]]}');
    expect(history.stderr).toBe('');
    expect(await answer(['test/read/fixtures/checkpoint.pt'])).toEqual(history);
    const event =
      'ComposedDpEvent([SelfComposedDpEvent(PoissonSampledDpEvent(0.004, GaussianDpEvent(1.3)), 5000), SelfComposedDpEvent(PoissonSampledDpEvent(0.004, GaussianDpEvent(0.9)), 500)])';
    const fromEvent = await answer(['-'], event);
    expect(fromEvent.epsilon).toEqual(history.epsilon);
    expect(fromEvent.stderr).toBe(
      'gdp: standard input: a DpEvent does not say its adjacency: add-remove is assumed unless --adjacency says otherwise\n',
    );
    const phase = (noiseMultiplier: number, steps: number) =>
      `{"kind": "dp-sgd", "noiseMultiplier": ${noiseMultiplier}, "samplingRate": 0.004, "steps": ${steps}}`;
    const mechanism = await answer(
      ['-'],
      `{"kind": "compose", "parts": [${phase(1.3, 5000)}, ${phase(0.9, 500)}]}`,
    );
    expect(mechanism).toEqual(history);
  });

  it('sampling without replacement is answered under replace-one', async () => {
    const event = 'SampledWithoutReplacementDpEvent(1000, 10, GaussianDpEvent(1.0))';
    expect((await answer(['-'], event)).adjacency).toBe('replace-one');
    const { code, stderr } = await gdp(['epsilon', '-', '--adjacency', 'add-remove'], event);
    expect(code).toBe(2);
    expect(stderr).toContain('"adjacency" must be replace-one for steps sampled without replacement');
  });

  it('says what it recognised', async () => {
    const cases = [
      ['{"weights": []}', 'standard input: it is JSON with the key "weights". A run has "history" (Opacus)'],
      [
        '{"kind": "gausian"}',
        'standard input: "mechanism.kind" must be one of the 44 kinds of docs/mechanisms.md, such as "gaussian"',
      ],
      [
        'UnsupportedDpEvent()',
        'standard input: it is a DpEvent, but UnsupportedDpEvent cannot be accounted for',
      ],
      ['[1, 2]', 'standard input: it is JSON with a list at its top'],
      ['7', 'standard input: it is JSON, but "7" is neither'],
    ];
    for (const [stdin, sentence] of cases) {
      const { code, stdout, stderr } = await gdp(['report', '-'], stdin);
      expect(stderr).toContain(`gdp: ${sentence}`);
      expect(stderr).toMatch(/^[^\n]+\n$/);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    }
    expect((await gdp(['report', 'test/read/fixtures/weights-only.pt'])).stderr).toContain(
      'weights-only.pt: it is a checkpoint without "privacy_accountant_state_dict"',
    );
  });
});
