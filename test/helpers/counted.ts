import type { Engine } from '../../src/index.js';

/** An engine that counts the calls of its kernel, and the numbers that they are given. */
export interface CountedEngine {
  readonly engine: Engine;
  readonly calls: () => number;
  readonly numbers: () => number;
}

export function counted({ kernel }: Engine): CountedEngine {
  let [calls, numbers] = [0, 0];
  const watched = new Proxy(kernel, {
    get: (target, name) => {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        calls++;
        for (const arg of args) if (arg instanceof Float64Array) numbers += arg.length;
        return value.apply(target, args);
      };
    },
  });
  return { engine: { kernel: watched } as Engine, calls: () => calls, numbers: () => numbers };
}
