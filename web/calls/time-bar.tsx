import type { CallRecord } from '../api/types.js';
import { duration } from '../parts/format.js';
import { timeParts, type TimePart } from './story-words.js';

const NAMES: Readonly<Record<TimePart['kind'], string>> = {
  queued: 'waiting for room',
  tried: 'attempts that failed',
  waiting: 'until the first token',
  answering: 'answering',
};

/** Where a call's time went, as a bar and in figures. */
export function TimeBar({ call }: { call: CallRecord }) {
  const parts = timeParts(call);
  const isOpen = call.outcome === null;
  return (
    <div class="time">
      <div class="time-bar" aria-hidden="true">
        {parts.map(({ kind, share }) => (
          <span key={kind} data-kind={kind} style={{ width: `${String(share * 100)}%` }} />
        ))}
      </div>
      <dl class="facts">
        {parts.map(({ kind, ms }) => (
          <div key={kind}>
            <dt class="soft">
              <span class="swatch" data-kind={kind} aria-hidden="true" /> {NAMES[kind]}
            </dt>
            <dd>{duration(ms)}</dd>
          </div>
        ))}
        <div>
          <dt class="soft">{isOpen ? 'so far' : 'in total'}</dt>
          <dd>{duration(call.total_ms ?? call.age_ms ?? null)}</dd>
        </div>
      </dl>
    </div>
  );
}
