import { newPlace, type Priced, priced, touch } from './meter.js';
import type { Place } from './prices-paid.js';

const EMPTY: ReadonlyMap<never, never> = new Map<never, never>();

/**
 * A cache of at most `most` values, computed by `make` if missing; values not used for long are forgotten. New and used values are in `younger`. When it
 * is full it becomes `older`, and the previous `older` is dropped. A value is a function of its key alone, so no answer depends on the cache's contents.
 * A question is charged for a cached value as if it were computed (`meter.ts`).
 */
export class LruCache<K, V> {
  /** Allocated on first use: most caches of a run are never used. */
  private younger: Map<K, Priced<V>> | undefined;
  private older: ReadonlyMap<K, Priced<V>> = EMPTY;
  private readonly half: number;
  private readonly place: Place = newPlace();

  /** @param most At least 2; ∞ for all. */
  constructor(most: number) {
    this.half = Math.floor(most / 2);
  }

  /** The value of a key, from the cache or by `make`. */
  of(key: K, make: (key: K) => V): V {
    let known = this.younger?.get(key);
    if (known !== undefined) {
      touch(known);
      return known.value;
    }
    known = this.older.get(key);
    if (known !== undefined) touch(known);
    else known = priced(this.place, key, make);
    if (this.younger === undefined || this.younger.size >= this.half) {
      this.older = this.younger ?? EMPTY;
      this.younger = new Map();
    }
    this.younger.set(key, known);
    return known.value;
  }
}

/** A value computed on first use, and then kept. */
export class Lazy<V> {
  private known: Priced<V> | undefined;
  private readonly place: Place = newPlace();

  constructor(private readonly make: () => V) {}

  get value(): V {
    if (this.known === undefined) this.known = priced(this.place, 0, this.make);
    else touch(this.known);
    return this.known.value;
  }
}

/** A cache like `LruCache` for large values, which together have at most `most` bytes by `weigh`. */
export class Heavy<K, V> {
  private readonly held = new Map<K, Priced<V>>();
  private readonly place: Place = newPlace();
  private bytes = 0;

  constructor(
    private readonly most: number,
    private readonly weigh: (value: V, key: K) => number,
  ) {}

  /** The value of a key, from the cache or by `make`. */
  of(key: K, make: () => V): V {
    let known = this.held.get(key);
    if (known !== undefined) {
      touch(known);
      this.held.delete(key);
    } else {
      known = priced(this.place, key, make);
      this.bytes += this.weigh(known.value, key);
    }
    this.held.set(key, known);
    for (const [oldest, { value }] of this.held) {
      if (this.bytes <= this.most || oldest === key) break;
      this.held.delete(oldest);
      this.bytes -= this.weigh(value, oldest);
    }
    return known.value;
  }
}
