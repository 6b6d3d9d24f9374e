import { shardSize } from './shard.js';

/** Missing rows, parts and pairs of tables that a message lists. */
const LISTED = 8;

interface Named {
  readonly name: string;
}

/** What is known of one table's rows: i, i + stride, i + 2·stride, … if they are a shard's. */
interface Part {
  first: number;
  last: number;
  stride: number;
  even: boolean;
  count: number;
}

/** Which rows of a grid a merge of tables has found, and which it found more than once. Bounded memory. */
export class Coverage {
  /** Rows of the grid that no table has. */
  missing = 0;
  /** Rows found in a table after they had been found in another. */
  repeated = 0;
  private next = 0;
  private readonly firstMissing: number[] = [];
  private readonly pairs = new Map<string, number>();
  private readonly parts = new Map<Named, Part>();

  /** @param size Rows of the whole grid. */
  constructor(readonly size: number) {}

  /** Counts a row of a table; `before` is the table that has given it already, if one has. Rows come in order. */
  take(index: number, table: Named, before: Named | undefined): void {
    this.count(index, table);
    if (before === undefined) {
      this.skipTo(index);
      this.next = index + 1;
      return;
    }
    this.repeated++;
    const itself = before.name === table.name;
    const pair = itself ? `"${table.name}", given twice` : `"${before.name}" and "${table.name}"`;
    this.pairs.set(pair, (this.pairs.get(pair) ?? 0) + 1);
  }

  /** Counts what is missing after the last row. */
  end(): void {
    this.skipTo(this.size);
  }

  /** What is wrong, a sentence each; none if every row was found once. */
  complaints(): string[] {
    const some = (list: readonly (string | number)[]) =>
      `${list.slice(0, LISTED).join(', ')}${list.length > LISTED ? ', …' : ''}`;
    const rows = (count: number) => `${count} row${count === 1 ? '' : 's'}`;
    const twice = [...this.pairs].map(([pair, count]) => `${rows(count)} in ${pair}`);
    const shards = this.missingShards();
    const more = this.missing > LISTED ? ', …' : '';
    const which = shards === undefined ? `${some(this.firstMissing)}${more}` : `shard ${some(shards)}`;
    return [
      ...(this.missing > 0 ? [`${rows(this.missing)} of ${this.size} missing: ${which}`] : []),
      ...(twice.length > 0 ? [`found twice: ${some(twice)}`] : []),
    ];
  }

  private skipTo(index: number): void {
    for (let i = this.next; i < index && this.firstMissing.length < LISTED; i++) this.firstMissing.push(i);
    this.missing += Math.max(0, index - this.next);
  }

  private count(index: number, table: Named): void {
    const part = this.parts.get(table);
    if (part === undefined) {
      this.parts.set(table, { first: index, last: index, stride: 0, even: true, count: 1 });
      return;
    }
    const step = index - part.last;
    if (part.count === 1) part.stride = step;
    else if (step !== part.stride) part.even = false;
    part.last = index;
    part.count++;
  }

  /** The shards I/N that are missing or not whole, if the tables are shards of one N and that is all that is missing. */
  private missingShards(): string[] | undefined {
    const parts = [...this.parts.values()];
    const stride = parts.find(({ count }) => count > 1)?.stride ?? 0;
    const shards = parts.every(
      (part) => part.even && part.first < stride && (part.count === 1 || part.stride === stride),
    );
    if (stride < 2 || stride > 1e6 || !shards) return undefined;
    const found = new Map<number, number>();
    for (const { first, count } of parts) found.set(first, Math.max(count, found.get(first) ?? 0));
    const absent: string[] = [];
    let explained = 0;
    for (let index = 0; index < stride; index++) {
      const have = found.get(index) ?? 0;
      const wanted = shardSize(this.size, { index, count: stride });
      if (have === wanted) continue;
      explained += wanted - have;
      if (absent.length <= LISTED) {
        absent.push(`${index}/${stride}${have > 0 ? ` (${wanted - have} of its ${wanted})` : ''}`);
      }
    }
    return explained === this.missing ? absent : undefined;
  }
}
