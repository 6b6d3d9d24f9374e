// The table of doors in docs/hosts.md, as `npm run test:doors -- --renew` measures them.

const [BEGIN, END] = ['<!-- doors: begin -->', '<!-- doors: end -->'];

/** @param {{ name: string, size: string, open: number, first: number, times: number[], memory: number }[]} rows */
export function tableOf(rows) {
  const head = ['door', 'MB (gzipped)', 'open', 'first', 'p50', 'p90', 'memory, MB'];
  const lines = rows.map(({ name, size, open, first, times, memory }) => {
    const sorted = times.toSorted((a, b) => a - b);
    const part = (share) => shown(sorted[Math.floor(share * (sorted.length - 1))]);
    return [name, size, shown(open), shown(first), part(0.5), part(0.9), memory.toFixed(0)];
  });
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

const shown = (ms) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0));

/** A page with the table between its marks. @throws Error for a page without them. */
export function withTable(page, table) {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`the page has no place between ${BEGIN} and ${END}`);
  return `${page.slice(0, from)}${BEGIN}\n\n${table}\n${page.slice(to)}`;
}
