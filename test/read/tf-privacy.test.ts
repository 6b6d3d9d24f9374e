import { describe, expect, it } from 'vitest';
import { dpSgd } from '../../src/index.js';
import { recognise } from '../../src/read/index.js';

const MNIST = dpSgd({ noiseMultiplier: 1.1, samplingRate: 256 / 60000, steps: 14063 });

describe('TF-privacy flags', () => {
  it('epochs make steps, rounded up', () => {
    // 60 · 60000 / 256 = 14062.5
    const flags = {
      N: 60000,
      batch_size: 256,
      noise_multiplier: 1.1,
      epochs: 60,
      delta: 1e-5,
      used_microbatching: false,
    };
    const { format, mechanism, facts } = recognise(JSON.stringify(flags));
    expect({ format, mechanism }).toEqual({ format: 'tf-privacy-flags', mechanism: MNIST });
    expect(facts).toMatchObject({
      sampling: 'poisson',
      batchSize: 256,
      datasetSize: 60000,
      epochs: 60,
      delta: 1e-5,
    });
  });

  it.each([
    ['--N=60000 --batch_size=256 --noise_multiplier=1.1 --epochs=60 --sigma=1', '"sigma" is unknown'],
    ['python compute_dp_sgd_privacy.py --N 60000 --sigma', '--sigma has no value'],
    ['--N=60000 --N=1', '--N is given twice'],
    ['--N=60000 7', '"7" is none'],
    ['--N=60000 --batch_size=many --noise_multiplier=1 --epochs=1', '"batch_size" must be a whole number'],
  ])('refuses %s', (text, sentence) => {
    expect(() => recognise(text)).toThrow(sentence);
  });

  it.each([
    '--N=60000 --batch_size=256 --noise_multiplier=1.1 --epochs=60 --delta=1e-5 --noused_microbatching',
    'compute_dp_sgd_privacy --N=60000 --batch_size 256 \\\n --noise_multiplier 1.1 --epochs=60 --used_microbatching=False',
    '{"number_of_examples": 60000, "batch_size": 256, "num_epochs": 60.0, "noise_multiplier": 1.1, "used_microbatching": false, "max_examples_per_user": null}',
  ])('reads %s', (text) => {
    expect(recognise(text).mechanism).toEqual(MNIST);
  });

  it('microbatching halves the noise multiplier, also where it is only the default', () => {
    const halved = dpSgd({ noiseMultiplier: 0.55, samplingRate: 256 / 60000, steps: 14063 });
    const base = '--N=60000 --batch_size=256 --noise_multiplier=1.1 --epochs=60';
    const stated = recognise(`${base} --used_microbatching`);
    const assumed = recognise(base);
    expect([stated.mechanism, assumed.mechanism]).toEqual([halved, halved]);
    expect(stated.notes.join()).not.toContain('not given');
    expect(assumed.notes.join()).toContain('used_microbatching is not given: taken as true');
  });

  it.each([
    ['{"batch_size": 256, "noise_multiplier": 1.1, "epochs": 60}', '"N" is missing'],
    [
      '{"N": 100, "batch_size": 256, "noise_multiplier": 1.1, "epochs": 60}',
      '"batch_size" must be at most the 100 examples',
    ],
    [
      '{"N": 1e3, "batch_size": 0, "noise_multiplier": 1.1, "epochs": 60}',
      '"batch_size" must be a whole number',
    ],
    ['{"N": 1e3, "batch_size": 10, "noise_multiplier": -1, "epochs": 60}', '"noise_multiplier" must be'],
    [
      '{"N": 1e3, "batch_size": 10, "noise_multiplier": 1, "epochs": 0}',
      '"epochs" must be a positive number',
    ],
    [
      '{"N": 1e3, "batch_size": 10, "noise_multiplier": 1, "epochs": 1e300}',
      '"epochs" must be such that steps are below',
    ],
    [
      '{"N": 1e3, "batch_size": 10, "noise_multiplier": 1, "epochs": 1, "delta": 1}',
      '"delta" must be a number in (0, 1)',
    ],
    [
      '{"N": 1e3, "batch_size": 10, "noise_multiplier": 1, "epochs": 1, "used_microbatching": 1}',
      'must be true or false',
    ],
    ['{"N": 1e3, "batch_size": 10, "noise_multiplier": 1, "epochs": 1, "sigma": 1}', '"sigma" is unknown'],
  ])('refuses %s', (text, sentence) => {
    expect(() => recognise(text)).toThrow(sentence);
  });
});

const STATEMENT = `DP-SGD performed over 10000 examples with 64 examples per iteration, noise
multiplier 2.0 for 5.0 epochs with microbatching, and no bound on number of
examples per user.

This privacy guarantee protects the release of all model checkpoints in addition
to the final model.

Example-level DP with add-or-remove-one adjacency at delta = 1e-06 computed with
RDP accounting:
    Epsilon with each example occurring once per epoch:        13.376
    Epsilon assuming Poisson sampling (*):                      1.616

No user-level privacy guarantee is possible without a bound on the number of
examples per user.
`;

describe('TF-privacy statement', () => {
  it('reads what it says', () => {
    const { format, mechanism, facts } = recognise(STATEMENT);
    expect(format).toBe('tf-privacy-statement');
    // 5 · 10000 / 64 = 781.25
    expect(mechanism).toEqual(dpSgd({ noiseMultiplier: 1, samplingRate: 64 / 10000, steps: 782 }));
    expect(facts).toEqual({
      sampling: 'poisson',
      adjacency: 'add-remove',
      batchSize: 64,
      datasetSize: 10000,
      epochs: 5,
      delta: 1e-6,
      accountant: 'rdp',
      statedEpsilon: 1.616,
    });
  });

  it('without microbatching, with a bound per user, and inside other text', () => {
    const text = `# Model card\n\n${STATEMENT.replace('with microbatching', 'without microbatching').replace(
      'no bound on number of\nexamples per user',
      'at most 3 examples\nper user',
    )}`;
    const { mechanism, facts, notes } = recognise(text);
    expect(mechanism).toEqual(dpSgd({ noiseMultiplier: 2, samplingRate: 64 / 10000, steps: 782 }));
    expect(facts.maxExamplesPerUser).toBe(3);
    expect(notes.join()).toContain('not for a user with up to 3');
  });

  it('its predecessor', () => {
    const text =
      'DP-SGD with sampling rate = 0.427% and noise_multiplier = 1.1 iterated over 14063 steps satisfies differential privacy with eps = 2.92 and delta = 1e-05.\nThe optimal RDP order is 9.0.\n';
    const { mechanism, facts, notes } = recognise(text);
    expect(mechanism).toEqual(dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.427 / 100, steps: 14063 }));
    expect(facts).toMatchObject({ statedEpsilon: 2.92, delta: 1e-5 });
    expect(notes.join()).toContain('rounds its sampling rate');
  });

  it('refuses one that is cut', () => {
    expect(() => recognise(STATEMENT.slice(0, 90))).toThrow('a statement of TF-privacy, but not whole');
    expect(() => recognise(STATEMENT.replace('64 examples', '64000 examples'))).toThrow(
      'at most the 10000 examples',
    );
  });
});
