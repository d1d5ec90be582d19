import type { ComponentChildren } from 'preact';
import { tipHandlers } from './tip-layer.js';

/**
 * Something with an explanation that comes up under the pointer, on focus and on a tap. Who hears the page is told the
 * same through `describedBy`, the id of an element that says it (it may be hidden).
 */
export function Tip({
  text,
  describedBy,
  children,
  ...rest
}: {
  text: string;
  describedBy?: string | undefined;
  class?: string;
  'data-tone'?: string;
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      {...rest}
      class={`tip-mark ${rest.class ?? ''}`}
      aria-describedby={describedBy}
      {...tipHandlers(text)}
    >
      {children}
    </button>
  );
}
