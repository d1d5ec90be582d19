import type { ComponentChildren } from 'preact';
import { folds } from './overview-state.js';

/** A part that can be folded to its headline. What is folded is not rendered. */
export function Fold({
  name,
  opensByItself,
  head,
  children,
  ...rest
}: {
  /** What its state is kept under. */
  name: string;
  opensByItself: boolean;
  head: ComponentChildren;
  children: () => ComponentChildren;
  'data-model'?: string;
}) {
  const isOpen = folds.value.get(name) ?? opensByItself;
  return (
    <details
      class="fold"
      {...rest}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) folds.value = new Map(folds.peek()).set(name, currentTarget.open);
      }}
    >
      <summary class="fold-head">{head}</summary>
      {isOpen && children()}
    </details>
  );
}
