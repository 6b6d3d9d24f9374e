import { useEffect, useState } from 'preact/hooks';

/**
 * A number that is typed: Enter or leaving it commits, Escape restores. What is refused stays as it was typed until it is mended or the value
 * changes elsewhere.
 */
export function TypedInput(props: {
  id: string;
  label?: string;
  text: string;
  fault: boolean;
  /** Whether the text was taken. */
  onCommit: (text: string) => boolean;
  /** The value stands as it was. */
  onLeave?: () => void;
}) {
  const { id, label, text, fault, onCommit, onLeave } = props;
  const [draft, setDraft] = useState<string>();
  const finish = (typed: string | undefined): void => {
    // the value that stands is taken as Escape takes it: what was refused before it is gone
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
