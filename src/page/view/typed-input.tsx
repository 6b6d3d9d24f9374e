import { useState } from 'preact/hooks';

/** A number that is typed: Enter or leaving it commits, Escape restores. */
export function TypedInput({
  id,
  label,
  text,
  fault,
  onCommit,
  onLeave,
}: {
  id: string;
  label?: string;
  text: string;
  fault: boolean;
  onCommit: (text: string) => void;
  onLeave?: () => void;
}) {
  const [draft, setDraft] = useState<string>();
  const finish = (typed: string | undefined): void => {
    if (typed !== undefined && typed !== text) onCommit(typed);
    setDraft(undefined);
  };
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
