import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { Heavy, Lazy, LruCache } from '../../src/numeric/lru-cache.js';
import {
  Allowance,
  attempt,
  attemptOf,
  charge,
  free,
  noted,
  noteLimited,
  runOut,
  ticked,
} from '../../src/numeric/meter.js';

/** What a question costs. */
function costOf(ask: () => unknown, units = 1e6): number {
  const allowance = new Allowance(units);
  allowance.ask(ask);
  return allowance.cost;
}

const paid = (units: number): (() => number) => {
  return () => {
    charge(units);
    return units;
  };
};

describe('the meter', () => {
  test('an end that no work was refused for costs what was done, and one that some was its share', () => {
    const ended = (end: () => unknown): number =>
      costOf(() =>
        attempt(
          0.5,
          () => {
            charge(10);
            ticked[0] += 2;
            end();
          },
          () => charge(1),
        ),
      );
    expect(ended(() => runOut())).toBe(13);
    expect(ended(() => charge(1e9))).toBe(500_001);
  });

  test('counts charges and ticks, and nothing between questions', () => {
    charge(1000);
    ticked[0] += 1000;
    const ask = (): void => {
      charge(5);
      ticked[0] += 2;
      charge(1.5);
    };
    expect(costOf(ask)).toBe(9);
  });

  test('keeps nothing of a question that is over, though a cache that was asked lives on', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const cache = new LruCache<number, number>(8);
    const known = (allowance: Allowance): WeakRef<object>[] =>
      allowance.ask(() => {
        const subject = {};
        attemptOf(subject, 0.5, () => cache.of(1, paid(100)), expect.unreachable);
        return [subject, noted({}, () => ({}))].map((held) => new WeakRef(held));
      });
    const [subject, note] = known(new Allowance(1e6));
    // what a weak reference was made of lives to the end of the task
    await setTimeout(0);
    collect();
    expect([subject.deref(), note.deref()]).toEqual([undefined, undefined]);
    expect(costOf(() => cache.of(1, paid(100)))).toBe(100);
  });

  test('a cached value costs its making, once a question, whether it is there or not', () => {
    const cache = new LruCache<number, number>(8);
    const ask = (): unknown => [cache.of(1, paid(100)), cache.of(1, paid(100)), cache.of(2, paid(10))];
    expect([costOf(ask), costOf(ask), costOf(() => cache.of(2, paid(10)))]).toEqual([110, 110, 10]);
  });

  test('what two values share is paid once', () => {
    const below = new Lazy(paid(1000));
    const above = new LruCache<string, number>(8);
    const of = (key: string): number => above.of(key, () => below.value + paid(key.length)());
    expect(costOf(() => [of('a'), of('bb')])).toBe(1003);
    expect(costOf(() => [of('bb'), below.value])).toBe(1002);
    expect(costOf(() => [below.value, of('a')])).toBe(1001);
  });

  test('values that were forgotten and made again are not paid twice, those within them neither', () => {
    const inner = (): LruCache<number, number> => new LruCache<number, number>(2);
    const outer = new LruCache<number, LruCache<number, number>>(2);
    const at = (i: number): number => outer.of(i, inner).of(7, paid(10 + i));
    const ask = (): unknown => [at(1), at(2), at(3), at(1), at(2), at(3)];
    expect([costOf(ask), costOf(ask)]).toEqual([36, 36]);
  });

  test('runs out in the same place with values made and with values ready, and keeps none that is not whole', () => {
    for (const units of [5, 15, 25, 35, 45, 100]) {
      const cache = new LruCache<number, number>(8);
      const ask = (): string => {
        let found = '';
        for (const i of [1, 2, 3])
          attempt(
            0.5,
            () => {
              cache.of(i, () => paid(10)() + cache.of(10 + i, paid(5)));
              found += i;
            },
            () => {
              found += '-';
            },
          );
        return found;
      };
      const answers = [1, 2].map(() => {
        const allowance = new Allowance(units);
        return [allowance.ask(ask), allowance.cost];
      });
      expect(answers[1]).toEqual(answers[0]);
      const rich = new Allowance(1e6);
      rich.ask(ask);
      const again = new Allowance(units);
      expect([again.ask(ask), again.cost]).toEqual(answers[0]);
    }
  });

  test('shares of the whole for each of several', () => {
    const [one, other] = [{}, {}];
    const spend = (about: object): string =>
      attemptOf(
        about,
        0.6,
        () => {
          charge(25);
          return 'done';
        },
        () => 'out',
      );
    const allowance = new Allowance(100);
    const said = allowance.ask(() => [spend(one), spend(one), spend(one), spend(other), spend(other)]);
    expect(said).toEqual(['done', 'done', 'out', 'done', 'out']);
  });

  test('constants are free, and cost those who find them in a question what they cost', () => {
    const cache = new Lazy(paid(50));
    expect(costOf(() => free(() => cache.value))).toBe(0);
    expect(costOf(() => cache.value)).toBe(50);
  });

  test('heavy values are forgotten by weight, and cost the same again', () => {
    let made = 0;
    const heavy = new Heavy<number, number>(10, () => 6);
    const of = (i: number): number =>
      heavy.of(i, () => {
        made++;
        return paid(i)();
      });
    expect(costOf(() => [of(1), of(2), of(1)])).toBe(3);
    expect(made).toBe(3);
    expect(costOf(() => of(1))).toBe(1);
    expect(made).toBe(3);
  });

  test('says what was limited, of the last question and of all', () => {
    const allowance = new Allowance(10);
    allowance.ask(noteLimited);
    expect([allowance.limitedBy, allowance.everLimitedBy]).toEqual(['effort', 'effort']);
    allowance.ask(() => 1);
    expect([allowance.limitedBy, allowance.everLimitedBy]).toEqual(['tolerance', 'effort']);
  });

  test('any error leaves the meter as it was', () => {
    const cache = new LruCache<number, number>(8);
    const broken = (): never => {
      throw new Error('broken');
    };
    expect(() => costOf(() => cache.of(1, broken))).toThrow('broken');
    expect(costOf(() => [charge(3), cache.of(1, paid(4))])).toBe(7);
  });
});
