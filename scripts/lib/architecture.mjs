// The list of floors as docs/architecture.md prints it.
import { FLOORS } from './layers.mjs';

const START = '<!-- floors -->';
const END = '<!-- /floors -->';

/** The page with the list between its markers as it is now. */
export function withFloors(page) {
  const [before, rest] = page.split(START);
  const after = rest.split(END)[1];
  const rows = FLOORS.flatMap((rooms, floor) =>
    rooms.map(([room, what], i) => `| ${i === 0 ? floor : ''} | \`${room}\` | ${what} |`),
  );
  const table = ['| floor | room | what it holds |', '|---|---|---|', ...rows].join('\n');
  return `${before}${START}\n${table}\n${END}${after}`;
}
