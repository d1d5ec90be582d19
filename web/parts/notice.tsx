import type { ComponentChildren } from 'preact';
import type { Polled } from '../state/poll.js';
import { clockTime } from './format.js';

/** Nothing is here, and what to do about it. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Something didn't work; read aloud when it comes up. */
export function Fault({ children, gone = false }: { children: ComponentChildren; gone?: boolean }) {
  return (
    <p class="notice" data-kind={gone ? 'gone' : 'fault'} role="alert">
      {children}
    </p>
  );
}

/**
 * What is shown of something that is asked for: a line while nothing came yet, a warning above what was known when
 * the newest try failed, and the view itself for as long as there is anything to show.
 */
export function Shown<T>({
  polled,
  quietWhenGone = false,
  children,
}: {
  polled: Polled<T>;
  /** Where several are shown together, one says for all that the tracker is gone. */
  quietWhenGone?: boolean;
  children: (value: T) => ComponentChildren;
}) {
  const { value, at } = polled;
  const fault = quietWhenGone && polled.fault?.gone === true ? null : polled.fault;
  return (
    <>
      {fault !== null && (
        <Fault gone={fault.gone}>
          {fault.gone
            ? 'The tracker does not answer'
            : `The tracker refused: ${fault.message.replace(/\.$/, '')}`}
          {at !== null && ` – shown is what it said at ${clockTime(at)}`}. Trying again.
        </Fault>
      )}
      {value === null ? fault === null && <Empty>Asking the tracker …</Empty> : children(value)}
    </>
  );
}
