import type { KernelTable } from '../src/kernel/kernel-table.js';
import type { WasmContext } from './abi.js';

/** Numbers of memory for tables: 1 MiB. The oldest make room for the newest. */
const ROOM = 2 ** 17;
/** Longer tables would drive out too many: they are copied in each time. */
const LONGEST = ROOM / 4;

interface Place {
  readonly in: ResidentTables;
  readonly from: number;
  readonly to: number;
  live: boolean;
}

/** Copies of tables in one instance's memory, in a ring. */
export class ResidentTables {
  /** In order of age. */
  private readonly ring: Place[] = [];
  private base: number | undefined;
  private next = 0;

  constructor(private readonly context: WasmContext) {}

  /** Address of a table's numbers, up to the next call of `pointerTo` or `reset` of the arena. Call before allocating anything else. */
  pointerTo(table: KernelTable): number {
    const { arena } = this.context;
    const { values } = table;
    if (values.length > LONGEST) return arena.copyIn(values);
    this.base ??= arena.keep(ROOM);
    const known = table.resident as Place | undefined;
    if (known?.live && known.in === this) return this.base + 8 * known.from;
    const place = this.roomFor(values.length + (values.length & 1));
    table.resident = place;
    const pointer = this.base + 8 * place.from;
    arena.write(pointer, values);
    return pointer;
  }

  /** A stretch of the ring, taken from the tables that were there. */
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
