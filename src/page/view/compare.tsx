import type { Bracket } from '../../numeric/bracket.js';
import { muText, nearText, percentUp, settingText, upperText } from '../../text/rounded.js';
import { foundAt } from '../figures.js';
import type { PageAnswer } from '../messages.js';
import { nameOf } from '../setting-name.js';
import { MOST_KEPT } from '../state.js';
import type { Store } from '../store.js';
import { Button, Close, Num, Rich, Section } from './parts.js';

const CHANGES: Readonly<Record<string, string>> = {
  'shuffled-batches': 'Shuffled epochs',
  'no-sampling': 'Every record, every step',
  'other-adjacency': 'The other neighbours',
  'twice-the-steps': 'Twice the steps',
  'one-try': 'Without the search',
};
/** How the dots of each kind of row are drawn. */
const FACES = { set: 'c0', change: 'quiet', guarantee: 'hollow', approximation: 'hollow' } as const;
/** If the ratio of the largest to the least value is above this, positions are by logarithm. */
const WIDE = 12;

interface Dot {
  readonly name: string;
  readonly value: number;
  readonly kind: keyof typeof FACES;
  readonly text: string;
  readonly of?: Bracket;
}

export function Changes({ answer }: { answer: PageAnswer }) {
  const { changes, epsilon, bound, setting } = answer;
  const { upper } = epsilon;
  const set: Dot = { name: 'As set', value: upper, kind: 'set', text: upperText(upper), of: epsilon };
  const rows = [set, ...(changes ?? []).map((each) => changeDot(each, setting.neighbours))];
  const wide = placing(rows).wide && !bound;
  return (
    <Section name="changes" title={<>What would change ε {wide && <span class="near">by ratio</span>}</>}>
      {bound ? (
        <p class="empty">This setting has only an upper bound on ε, so changes are not compared.</p>
      ) : (
        <Dots rows={rows} zero={upper} />
      )}
    </Section>
  );
}

export function Others({ answer: { others, epsilon } }: { answer: PageAnswer }) {
  if (others === undefined || others.length === 0) return null;
  const own = { name: 'this page', epsilon: epsilon.upper, kind: 'set' as const };
  const said = [own, ...others].filter((each) => Number.isFinite(each.epsilon));
  said.sort((a, b) => a.epsilon - b.epsilon);
  const rowsOf = (digits: number): Dot[] =>
    said.map(({ name, kind, epsilon: value }) => {
      const text = kind === 'approximation' ? nearText(value, digits) : upperText(value, digits);
      return { name, kind, value, text };
    });
  // our own number is rounded up, and estimates to the nearest; there are enough digits for printed rows to be in order
  const inOrder = (rows: readonly Dot[]) =>
    rows.every(({ text }, i) => i === 0 || Number(text) >= Number(rows[i - 1].text));
  const rows = [3, 4, 5].map(rowsOf).find(inOrder) ?? rowsOf(6);
  return (
    <Section
      name="others"
      title={
        <>What other accountants say of this run {placing(rows).wide && <span class="near">by ratio</span>}</>
      }
    >
      <Dots rows={rows} zero={epsilon.upper} />
    </Section>
  );
}

function changeDot({ change, epsilon }: { change: string; epsilon: Bracket }, neighbours: string): Dot {
  const other = neighbours === 'replace-one' ? 'One record added or removed' : 'One record replaced';
  const isBound = epsilon.lower === 0 && epsilon.upper > 0;
  const text = epsilon.upper === Infinity ? 'none' : `${isBound ? '≤ ' : ''}${upperText(epsilon.upper)}`;
  const name = change === 'other-adjacency' ? other : (CHANGES[change] ?? change);
  return { name, value: epsilon.upper, kind: 'change', text, of: epsilon };
}

/** Positions on a line, in per cent: by value, or by logarithm if the values are far apart (`wide`). */
function placing(rows: readonly Dot[]): { wide: boolean; at: (value: number) => string } {
  const values = rows.map(({ value }) => value).filter((v) => Number.isFinite(v) && v > 0);
  const [least, most] = [Math.min(...values), Math.max(...values) * 1.02];
  const wide = values.length > 1 && most / least > WIDE;
  const at = (value: number): string => {
    const v = Math.min(Math.max(value, least), most);
    const part = wide ? 0.03 + (0.96 * Math.log(v / least)) / Math.log(most / least) : v / most;
    return `${100 * (Number.isFinite(part) ? part : 0)}%`;
  };
  return { wide, at };
}

function Dots({ rows, zero }: { rows: readonly Dot[]; zero: number }) {
  const { at } = placing(rows);
  return (
    <ul class="dots">
      {[...rows]
        .sort((a, b) => a.value - b.value)
        .map(({ name, value, kind, text, of }) => (
          <li key={name} class={kind}>
            <span class="name">
              {name}
              {kind === 'approximation' && <small> estimate</small>}
            </span>
            <svg class="chart way" aria-hidden="true">
              <line class="rule" x1={at(zero)} x2={at(zero)} y2="100%" opacity="0.5" />
              <line class="rule quiet" x1={at(zero)} x2={at(value)} y1="50%" y2="50%" />
              <circle class={`dot ${FACES[kind]}`} cx={at(value)} cy="50%" r="4.5" />
            </svg>
            <span class="value">
              <Num text={text} of={of} />
            </span>
          </li>
        ))}
    </ul>
  );
}

export function Compare({ store, answer }: { store: Store; answer: PageAnswer }) {
  const { kept, state } = store;
  const among = [state, ...state.kept];
  if (kept.length === 0)
    return (
      <Section name="compare" title="Compare">
        <p class="empty">Keep this setting, change something, and see both on every curve.</p>
        <KeepButton store={store} text="Keep this setting" />
      </Section>
    );
  return (
    <Section name="compare" title="Compare">
      <table>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">
              <Rich text={`ε at ${settingText(answer.setting.delta)}`} />
            </th>
            <th scope="col">μ</th>
            <th scope="col" class="wide">
              found at 1 in 1,000
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">
              <Key of={0} />
              {nameOf(state, among)} <span class="near">now</span>
            </th>
            <Numbers answer={answer} />
            <td />
          </tr>
          {kept.map(({ setting, answer: its }, i) => {
            const name = nameOf(setting, among);
            return (
              <tr key={i}>
                <th scope="row">
                  <Key of={i + 1} />
                  <Button class="plain" title="Go back to this setting" onClick={() => store.swap(i)}>
                    {name}
                  </Button>
                </th>
                <Numbers answer={its} />
                <td>
                  <Close label={`Remove ${name}`} onClick={() => store.unkeep(i)} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {kept.length < MOST_KEPT && <KeepButton store={store} text="Keep this too" />}
    </Section>
  );
}

/** A sample of the line that stands for a setting in the charts. */
function Key({ of }: { of: number }) {
  return (
    <svg class="chart" width="31" height="10" aria-hidden="true">
      <path class={`line c${of}`} d="M0 5h22" />
    </svg>
  );
}

function Numbers({ answer }: { answer: PageAnswer | undefined }) {
  const { epsilon, measured, setting } = answer?.lines === undefined ? ({} as Partial<PageAnswer>) : answer;
  return (
    <>
      <td title={setting && `at δ ${settingText(setting.delta)}`}>
        {epsilon === undefined ? '…' : <Num text={upperText(epsilon.upper)} of={epsilon} />}
      </td>
      <td>{measured === undefined ? '…' : <Num text={muText(measured.mu.upper)} of={measured.mu} />}</td>
      <td class="wide">{setting === undefined ? '…' : `${percentUp(foundAt(answer!, 1e-3))} %`}</td>
    </>
  );
}

function KeepButton({ store, text }: { store: Store; text: string }) {
  return (
    <Button class="button" onClick={() => store.keep()}>
      {text} <kbd>K</kbd>
    </Button>
  );
}
