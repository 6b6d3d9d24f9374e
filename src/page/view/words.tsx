import type { Bracket } from '../../numeric/bracket.js';
import { bracket } from '../../numeric/bracket.js';
import {
  FORMATS,
  muText,
  percentUp,
  roughText,
  type Safe,
  settingText,
  upperText,
} from '../../text/rounded.js';
import { advantageOf, foundAt } from '../figures.js';
import type { Answer } from '../messages.js';
import type { Store } from '../store.js';
import { Num, Power } from './parts.js';

interface Row {
  readonly text: preact.ComponentChildren;
  readonly value: number;
  readonly format: Safe;
  readonly bracket: Bracket | undefined;
  readonly chance: number;
  readonly chanceName: string;
  readonly full: string;
}

/** What an attacker can do: three sentences with one number each. */
export function Words({ store, answer }: { store: Store; answer: Answer }) {
  const { alpha } = store.state;
  const advantage = answer.advantage ?? bracket(0, advantageOf(answer));
  const half: Bracket = {
    lower: 0.5 + advantage.lower / 2,
    upper: Math.min(1, (0.5 + advantage.upper / 2) * (1 + 2 ** -52)),
  };
  const exact = (rate: number) => answer.found?.find((each) => each.rate === rate)?.power;
  const rows: Row[] = [
    {
      text: (
        <>
          Guesses from the release whether one given record was used, and is <b>right at most</b>
        </>
      ),
      value: half.upper,
      format: FORMATS.right,
      bracket: answer.advantage && half,
      chance: 0.5,
      chanceName: 'a coin',
      full: 'always',
    },
    {
      text: (
        <>
          With one false alarm in <b>{roughText(1 / alpha, 3)}</b>, finds <b>at most</b> this share of the
          records used
        </>
      ),
      value: foundAt(answer, alpha),
      format: FORMATS.rate,
      bracket: exact(alpha),
      chance: alpha,
      chanceName: 'guessing',
      full: 'all',
    },
    {
      text: (
        <>
          Had a 1 % chance of guessing a secret in one record, and after the release has <b>at most</b>
        </>
      ),
      value: foundAt(answer, 0.01),
      format: FORMATS.rate,
      bracket: exact(0.01),
      chance: 0.01,
      chanceName: 'before',
      full: 'always',
    },
  ];
  return (
    <section class="words" aria-labelledby="words-h">
      <h2 id="words-h">What an attacker can do</h2>
      {rows.map((row) => (
        <Word key={row.chanceName} {...row} />
      ))}
      <p class="fine">
        These bounds hold for every record. The attacker may know all others and compute without limit.
      </p>
    </section>
  );
}

function Word({ text, value, format, bracket: of, chance, chanceName, full }: Row) {
  const percent = percentUp(value, format);
  const place = { left: `${chance * 100}%`, ...(chance > 0.3 ? { transform: 'translateX(-50%)' } : {}) };
  return (
    <div class="word">
      <p>{text}</p>
      <div class="big">
        {percent === '100' ? full : <Num text={percent} of={of} shift={2} />}
        {percent !== '100' && <small>%</small>}
      </div>
      <div class="measure" aria-hidden="true">
        <i class="got" style={{ width: `${value * 100}%` }} />
        <i class="chance" style={{ left: `${chance * 100}%` }} />
        <span style={place}>{chanceName}</span>
      </div>
    </div>
  );
}

const TIERS = {
  I: 'μ describes the curve to 0.01 in rates',
  II: 'publish the curve, since μ hides too much',
  undecided: 'the distance is not certified to be below 0.01',
} as const;

export function Specialist({ answer }: { answer: Answer }) {
  const { measured, smaller, advantage, bound } = answer;
  const rows: (readonly [preact.ComponentChildren, preact.ComponentChildren, preact.ComponentChildren])[] = [
    [
      <>
        Gaussian-DP parameter <i>μ</i>
      </>,
      <>
        error rates from <Power text="1e-10" />
      </>,
      measured === undefined ? undefined : <Num text={muText(measured.mu.upper)} of={measured.mu} />,
    ],
    ...(bound
      ? []
      : ([
          [
            'Regret',
            'distance between the curves of μ and the run, along the diagonal',
            measured?.regret && <Num text={upperText(measured.regret.upper)} of={measured.regret} />,
          ],
          [
            'Tier',
            measured?.tier === undefined ? 'whether μ alone is enough' : TIERS[measured.tier],
            measured?.tier,
          ],
        ] as const)),
    [
      <>
        <i>ε</i> at smaller δ
      </>,
      smaller === undefined || smaller.length > 0 ? (
        <>
          δ{' '}
          {(smaller ?? [{ delta: 1e-6 }, { delta: 1e-9 }]).map(({ delta }, i) => (
            <>
              {i > 0 && ' and '}
              <Power text={settingText(delta)} />
            </>
          ))}
        </>
      ) : (
        'δ is small already'
      ),
      smaller?.map(({ delta, epsilon }) => (
        <span key={delta} class="gap">
          <Num text={upperText(epsilon.upper)} of={epsilon} />
        </span>
      )),
    ],
    [
      'Membership advantage',
      'true minus false positive rate',
      <Num key="a" text={upperText(advantageOf(answer))} of={advantage} />,
    ],
    ...(bound
      ? []
      : ([
          [
            <>
              <i>μ</i> over all rates
            </>,
            'holds without a window',
            measured?.muAllRates && <Num text={muText(measured.muAllRates.upper)} of={measured.muAllRates} />,
          ],
        ] as const)),
  ];
  return (
    <section class="specialist" aria-labelledby="specialist-h">
      <h2 id="specialist-h">For the specialist</h2>
      <dl>
        {rows.map(([name, help, value], i) => (
          <div key={i}>
            <dt>
              {name}
              <small>{help}</small>
            </dt>
            <dd>{value ?? <span class="near">…</span>}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
