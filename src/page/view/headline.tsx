import { RATES_SAID } from '../../measure/measurement.js';
import { bracketText } from '../../text/decimal.js';
import { muText, settingText, upperText } from '../../text/rounded.js';
import { batchesText, protectedText } from '../loaders.js';
import type { PageAnswer } from '../messages.js';
import { notesOf } from '../notes.js';
import { EXAMPLE, settingKey } from '../state.js';
import type { Store } from '../store.js';
import { Button, Num, Power } from './parts.js';

export function Headline({ store }: { store: Store }) {
  const { answer, brackets } = store;
  const notes = notesOf(store);
  return (
    <section class="headline" id="answer" tabIndex={-1} aria-labelledby="claim">
      <p class="over">
        <span>{subjectOf(store)}</span>
        <Status store={store} />
      </p>
      <h1 id="claim" aria-live="polite" aria-busy={store.dragging || answer?.measured === undefined}>
        {answer === undefined ? <span class="near">Computing…</span> : <Claim answer={answer} />}
      </h1>
      {answer !== undefined && <Under answer={answer} />}
      <p class="fine">Holds for exact noise: floating-point noise is not covered.</p>
      {answer !== undefined && brackets && (
        <p class="ends">
          ε in {bracketText(answer.epsilon)}
          {answer.measured !== undefined && <>, μ in {bracketText(answer.measured.mu)}</>}
        </p>
      )}
      {notes.length > 0 && <p class="note">{notes.join(' ')}</p>}
    </section>
  );
}

function subjectOf({ state }: Store): string {
  if (settingKey(state) === settingKey(EXAMPLE)) return 'An example: CIFAR-10, WRN-40 (De et al., 2022)';
  if (state.file === undefined) return 'Your settings';
  return state.file;
}

function Status({ store }: { store: Store }) {
  const { answer, stale, failure } = store;
  const [state, words] =
    failure !== undefined
      ? ['bad', 'No answer']
      : stale !== undefined
        ? ['busy', stale < 2 ? 'Computing' : `Still working: ${Math.round(stale)} s`]
        : answer === undefined
          ? ['busy', 'Computing']
          : !answer.fine
            ? ['busy', 'Proven, sharpening']
            : answer.measured === undefined
              ? ['busy', 'Proven, measuring μ']
              : ['good', answer.made ? 'Proven when this page was made' : 'Proven'];
  return (
    <span class={`status ${state}`} role="status">
      {words}
      {stale !== undefined && stale >= 2 && (
        <>
          &ensp;
          <Button class="plain" onClick={() => store.stop()}>
            Stop
          </Button>
        </>
      )}
    </span>
  );
}

function Claim({ answer: { epsilon, setting } }: { answer: PageAnswer }) {
  if (epsilon.upper === Infinity) return <>No guarantee at this noise</>;
  return (
    <>
      (<Num text={upperText(epsilon.upper)} of={epsilon} />, <Power text={settingText(setting.delta)} />
      )-differentially private
    </>
  );
}

function Under({ answer }: { answer: PageAnswer }) {
  const { setting, measured, near } = answer;
  const tries = setting.tries === 1 ? '' : `, ${setting.tries} tries counted`;
  const least = Math.max(...near.filter(Number.isFinite));
  return (
    <p class="under">
      for {protectedText(setting)}
      {batchesText(setting)}
      {tries};{' '}
      {measured === undefined ? (
        <span class="near">
          <i>μ</i> ≈ {least > 0 ? least.toPrecision(3) : '0'}
        </span>
      ) : measured.mu.upper === Infinity ? (
        'no finite μ is certified.'
      ) : (
        <>
          <b>
            <i>μ</i> ≤ <Num text={muText(measured.mu.upper)} of={measured.mu} />
          </b>{' '}
          for error rates down to{' '}
          <span class="nb">
            <Power text={settingText(measured.alphaMin)} />
          </span>
          {RATES_SAID[measured.rates ?? 'some']}.
        </>
      )}
      {measured?.tier === 'II' && measured.regret !== undefined && (
        <> Publish the curve: μ alone hides {upperText(measured.regret.upper, 2)}.</>
      )}
    </p>
  );
}
