import { useEffect, useState } from 'preact/hooks';

/**
 * An input for a number: Enter or leaving it commits the text, Escape restores the value. A refused text stays until it is corrected or the value
 * changes elsewhere.
 */
export function TypedInput(props: {
  id: string;
  label?: string;
  text: string;
  fault: boolean;
  /** Called with the text; returns whether the text was accepted. */
  onCommit: (text: string) => boolean;
  /** Called if the value stays unchanged. */
  onLeave?: () => void;
}) {
  const { id, label, text, fault, onCommit, onLeave } = props;
  const [draft, setDraft] = useState<string>();
  const finish = (typed: string | undefined): void => {
    // typing the unchanged value is the same as Escape: a text refused before is forgotten
    if (typed === text) onLeave?.();
    if (typed === undefined || typed === text || onCommit(typed)) setDraft(undefined);
  };
  useEffect(() => setDraft(undefined), [text]);
  return (
    <input
      id={id}
      class="typed"
      inputMode="decimal"
      autoComplete="off"
      spellcheck={false}
      aria-label={label}
      aria-invalid={fault}
      value={draft ?? text}
      onInput={({ currentTarget }) => setDraft(currentTarget.value)}
      onBlur={() => finish(draft)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') finish(event.currentTarget.value);
        if (event.key === 'Escape') {
          event.stopPropagation();
          setDraft(undefined);
          onLeave?.();
        }
      }}
    />
  );
}
