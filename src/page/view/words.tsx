import type { ComponentChildren } from 'preact';
import { type Bracket, bracket } from '../../numeric/bracket.js';
import { U } from '../../numeric/constants.js';
import { LIMITED_BY } from '../../numeric/limited-by.js';
import { up } from '../../numeric/rounding.js';
import { FORMATS, muText, percentUp, roughText, settingText, upperText } from '../../text/rounded.js';
import { advantageOf, foundAt } from '../figures.js';
import type { PageAnswer } from '../messages.js';
import type { Store } from '../store.js';
import { Num, Rich, Section } from './parts.js';

/** The section on what an attacker can do: three sentences with one number each. */
export function Words({ store, answer }: { store: Store; answer: PageAnswer }) {
  const { alpha } = store.state;
  const advantage = answer.advantage ?? bracket(0, advantageOf(answer));
  const half: Bracket = {
    lower: 0.5 + advantage.lower / 2,
    upper: Math.min(1, up(0.5 + advantage.upper / 2, 2 * U)),
  };
  const found = (rate: number, words: string, full: string, text: string) => (
    <Word
      percent={percentUp(foundAt(answer, rate))}
      share={foundAt(answer, rate)}
      of={answer.found?.find((each) => each.rate === rate)?.power}
      {...{ chance: rate, words, full, text }}
    />
  );
  const oneIn = roughText(1 / alpha, 3);
  return (
    <Section name="words" title="What an attacker can do">
      <Word
        percent={percentUp(half.upper, FORMATS.right)}
        share={half.upper}
        of={answer.advantage && half}
        chance={0.5}
        words="a coin"
        full="always"
        text="Guesses from the release whether one given record was used, and is **right at most**"
      />
      {found(
        alpha,
        'guessing',
        'all',
        `With one false alarm in **${oneIn}**, finds **at most** this share of the records used`,
      )}
      {found(
        0.01,
        'before',
        'always',
        'Had a 1 % chance of guessing a secret in one record, and after the release has **at most**',
      )}
      <p class="fine">
        These bounds hold for every record. The attacker may know all others and compute without limit.
      </p>
    </Section>
  );
}

interface WordProps {
  readonly percent: string;
  readonly share: number;
  readonly of: Bracket | undefined;
  readonly chance: number;
  /** A name for `chance`, the value without the release. */
  readonly words: string;
  /** The word shown instead of 100 %. */
  readonly full: string;
  readonly text: string;
}

function Word({ percent, share, of, chance, words, full, text }: WordProps) {
  const at = `${chance * 100}%`;
  return (
    <div class="word">
      <p>
        <Rich text={text} />
      </p>
      <div class="big">
        {percent === '100' ? full : <Num text={percent} of={of} shift={2} />}
        {percent !== '100' && <small>%</small>}
      </div>
      <svg class="chart measure" aria-hidden="true">
        <line class="grid" x2="100%" y1="5" y2="5" stroke-width="3" />
        <line class="line" x2={`${share * 100}%`} y1="5" y2="5" />
        <line class="rule quiet" x1={at} x2={at} y2="11" />
        <text class="t" x={at} y="22" text-anchor={chance > 0.3 ? 'middle' : 'start'}>
          {words}
        </text>
      </svg>
    </div>
  );
}

const TIERS = {
  I: 'μ describes the curve to 0.01 in rates',
  II: 'publish the curve, since μ hides too much',
  undecided: 'the distance is not certified to be below 0.01',
} as const;

export function Specialist({ answer }: { answer: PageAnswer }) {
  const { measured, smaller, advantage, bound } = answer;
  const { mu, regret, tier, muAllRates, limitedBy } = measured ?? {};
  const deltas = (smaller ?? [{ delta: 1e-6 }, { delta: 1e-9 }]).map(({ delta }) => settingText(delta));
  const number = (of: Bracket | undefined, text = upperText) => of && <Num text={text(of.upper)} of={of} />;
  const exact: readonly Row[] = [
    ['Regret', 'distance between the curves of μ and the run, along the diagonal', number(regret)],
    ['Tier', tier === undefined ? 'whether μ alone is enough' : TIERS[tier], tier],
    ...(limitedBy === undefined || limitedBy === 'tolerance'
      ? []
      : ([['Width of _μ_', LIMITED_BY[limitedBy], limitedBy]] as const)),
  ];
  const rows: readonly Row[] = [
    ['Gaussian-DP parameter _μ_', 'error rates from 1e-10', number(mu, muText)],
    ...(bound ? [] : exact),
    [
      '_ε_ at smaller δ',
      deltas.length === 0 ? 'δ is small already' : `δ ${deltas.join(' and ')}`,
      smaller?.map(({ delta, epsilon }) => <span key={delta}> &ensp;{number(epsilon)}</span>),
    ],
    [
      'Membership advantage',
      'true minus false positive rate',
      <Num key="a" text={upperText(advantageOf(answer))} of={advantage} />,
    ],
    ...(bound
      ? []
      : ([['_μ_ over all rates', 'holds without a window', number(muAllRates, muText)]] as const)),
  ];
  return (
    <Section name="specialist" title="For the specialist">
      <dl>
        {rows.map(([name, help, value]) => (
          <div key={name}>
            <dt>
              <Rich text={name} />
              <small>
                <Rich text={help} />
              </small>
            </dt>
            <dd>{value ?? <span class="near">…</span>}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

type Row = readonly [name: string, help: string, value: ComponentChildren];
