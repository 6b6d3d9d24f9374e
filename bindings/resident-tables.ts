import type { KernelTable } from '../src/kernel/kernel-table.js';
import type { Arena } from './arena.js';

/** Memory for tables, in numbers of 8 bytes: 1 MiB. The oldest tables are overwritten first. Only speed and memory depend on it. */
const ROOM = 2 ** 17;
/** Longer tables would overwrite too many others, so they are copied at each call. Only speed depends on it. */
const LONGEST = ROOM / 4;

interface Place {
  readonly in: ResidentTables;
  readonly from: number;
  readonly to: number;
  live: boolean;
}

/** Copies of tables in one instance's memory, used as a ring buffer. */
export class ResidentTables {
  /** The copies, oldest first. */
  private readonly ring: Place[] = [];
  private base: number | undefined;
  private next = 0;

  constructor(private readonly arena: Arena) {}

  /** The address of a copy of a table. It is valid until the arena is reset. Call before allocating anything else. */
  pointerTo(table: KernelTable): number {
    const { arena } = this;
    const { values } = table;
    this.base ??= arena.keep(ROOM);
    if (values.length > LONGEST) return arena.copyIn(values);
    const known = table.resident as Place | undefined;
    if (known?.live && known.in === this) return this.base + 8 * known.from;
    const place = this.roomFor(values.length + (values.length & 1));
    table.resident = place;
    const pointer = this.base + 8 * place.from;
    arena.write(pointer, values);
    return pointer;
  }

  /** The next part of the ring buffer, `length` numbers long; tables that it overlaps are dropped. */
  private roomFor(length: number): Place {
    const { ring } = this;
    if (this.next + length > ROOM) {
      while (ring.length > 0 && ring[0].from >= this.next) this.drop();
      this.next = 0;
    }
    const place = { in: this, from: this.next, to: this.next + length, live: true };
    while (ring.length > 0 && ring[0].from < place.to && ring[0].to > place.from) this.drop();
    ring.push(place);
    this.next = place.to;
    return place;
  }

  private drop(): void {
    const oldest = this.ring.shift();
    if (oldest !== undefined) oldest.live = false;
  }
}
