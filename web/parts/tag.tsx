import type { ComponentChildren } from 'preact';

/** A state: its mark and its word, in its colour. */
export function Tag({
  mark,
  tone,
  title,
  children,
}: {
  mark: string;
  tone: string;
  title?: string;
  children: ComponentChildren;
}) {
  return (
    <span class="tag" data-tone={tone} title={title}>
      <span class="tag-glyph" aria-hidden="true">
        {mark}
      </span>
      {children}
    </span>
  );
}
