// The list of floors and the table of methods as docs/architecture.md prints them.
import { FLOORS } from './layers.mjs';

/** The page with the list of floors between its markers as it is now. */
export function withFloors(page) {
  const rows = FLOORS.flatMap((rooms, floor) =>
    rooms.map(([room, what], i) => `| ${i === 0 ? floor : ''} | \`${room}\` | ${what} |`),
  );
  return between(page, 'floors', ['| floor | room | what it holds |', '|---|---|---|', ...rows]);
}

/** A rule of src/account/policy.ts, with what its comments say. */
const RULE =
  /name: '(.+)',\n\s*under: \[(.+)\],\n\s*\/\/ where: (.+?)\.?\n\s*\/\/ cost: (.+?)\.?\n\s*\/\/ width: (.+?)\.?\n/g;

/** The names of the rules that `source`, the text of src/account/policy.ts, states. */
export function rulesOf(source) {
  return [...source.matchAll(RULE)].map(([, name]) => name);
}

/** The page with the policy of `account` between its markers, from the text of src/account/policy.ts. */
export function withPolicy(page, source) {
  const rows = [...source.matchAll(RULE)].map(([, name, under, where, cost, width]) => {
    const asked = under.replaceAll("'", '`');
    return `| ${name} | ${asked} | ${where} | ${cost} | ${width} |`;
  });
  const head = [
    '| way | `method` | where it applies | what it costs | how wide its brackets are |',
    '|---|---|---|---|---|',
  ];
  return between(page, 'policy', [...head, ...rows]);
}

export function between(page, name, lines) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before, rest] = page.split(start);
  return `${before}${start}\n${lines.join('\n')}\n${end}${rest.split(end)[1]}`;
}
