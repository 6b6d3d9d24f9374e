/** Numbers that Python printed, and numbers below all doubles. */

import { describe, expect, it } from 'vitest';
import { account } from '../../src/index.js';
import { recognise } from '../../src/read/index.js';
import { wasm } from '../helpers/runs.js';

describe('numbers as NumPy and JAX print them', () => {
  const single = Math.fround(1.1);

  it.each([
    ['GaussianDpEvent(noise_multiplier=np.float64(1.1))', 'GaussianDpEvent(noise_multiplier=1.1)'],
    ['GaussianDpEvent(noise_multiplier=np.float32(1.1))', `GaussianDpEvent(${single})`],
    ['GaussianDpEvent(noise_multiplier=array(1.1))', 'GaussianDpEvent(1.1)'],
    ['GaussianDpEvent(noise_multiplier=Array(1.1, dtype=float32))', `GaussianDpEvent(${single})`],
    ['GaussianDpEvent(Array(1.1, dtype=float32, weak_type=True))', `GaussianDpEvent(${single})`],
    [
      'MixtureOfGaussiansDpEvent(2.0, array([0., 1., 2.]), array([0.5 , 0.25, 0.25]))',
      'MixtureOfGaussiansDpEvent(2.0, [0, 1, 2], [.5, .25, .25])',
    ],
    [
      'SelfComposedDpEvent(GaussianDpEvent(2.0), np.int64(30))',
      'SelfComposedDpEvent(GaussianDpEvent(2.0), 30)',
    ],
    ["{'history': array([[1.1, 0.25, 3.]])}", '{"history": [[1.1, 0.25, 3]]}'],
  ])('%s', (printed, plain) => {
    expect(recognise(printed)).toEqual(recognise(plain));
  });

  it.each([
    'GaussianDpEvent(noise_multiplier=np.float16(1.1))',
    'GaussianDpEvent(noise_multiplier=array([1.1]))',
    'GaussianDpEvent(noise_multiplier=Array(1.1, dtype=bfloat16))',
    'GaussianDpEvent(noise_multiplier=np.eval(1.1))',
    'GaussianDpEvent(noise_multiplier=array(1.1, order=2))',
    'GaussianDpEvent(noise_multiplier=array(1.1, 2))',
  ])('%s is refused', (text) => {
    expect(() => recognise(text)).toThrow('"event.noiseMultiplier" must be 0 or a number');
  });

  it('says where an array printed fewer digits than it has', () => {
    const last = (text: string) => recognise(text).notes.at(-1);
    expect(last('GaussianDpEvent(noise_multiplier=array(1.33333333))')).toContain(
      'an array prints eight decimals',
    );
    expect(last("{'history': [(tensor(1.3333), 0.25, 3)]}")).toContain('a tensor prints four decimals');
    expect(recognise("{'history': [(tensor(1.5000), 0.25, 3)]}").mechanism).toEqual(
      recognise("{'history': [(1.5, 0.25, 3)]}").mechanism,
    );
  });
});

describe('masses below the smallest double', () => {
  /** C(n, k) 2^-n as a decimal. */
  const masses = (n: number): string[] => {
    const found: string[] = [];
    let ways = 1n;
    for (let k = 0; k <= n; k++) {
      const digits = (ways * 10n ** 700n) / 2n ** BigInt(n);
      found.push(`${digits}e-700`);
      ways = (ways * BigInt(n - k)) / BigInt(k + 1);
    }
    return found;
  };

  it('are 0: Bin(2000, ½) on a count, ε(1e-6) as mpmath has it', () => {
    const one = masses(2000);
    const rows = [...one, '0'].map((x, i) => `${x},${i === 0 ? 0 : one[i - 1]}`);
    const { mechanism, notes } = recognise(`x,y\n${rows.join('\n')}\n`);
    expect(notes.at(-1)).toContain('probabilities below the smallest double are taken as 0');
    const { upper } = account(wasm, mechanism, { adjacency: 'add-remove' }).epsilon(1e-6);
    // the curve is moved by the rounding of its vertices, to the side that is safe
    expect(upper / 0.16825335867933 - 1).toBeLessThan(1e-9);
    expect(upper).toBeGreaterThanOrEqual(0.16825335867932);
  });

  it('never in a table of another kind', () => {
    expect(() => recognise('epsilon,delta\n1,1e-400\n')).toThrow('line 2 must be two numbers');
  });
});
