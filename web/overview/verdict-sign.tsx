import type { LayerGap } from '../api/types.js';
import { layersText } from './hop-names.js';
import type { Verdict } from './verdict.js';

const MARKS: Record<Verdict['tone'], string> = { good: '✓', warn: '!', bad: '✕' };

/** Whether there are routes, as a tag. */
export function VerdictTag({ verdict: { tone, short } }: { verdict: Verdict }) {
  return (
    <span class="tag" data-tone={tone}>
      <span aria-hidden="true">{MARKS[tone]}</span> {short}
    </span>
  );
}

const NAMED = 6;

/** The layers that nobody serves, in words. */
export function GapTags({ gaps }: { gaps: readonly LayerGap[] }) {
  return (
    <>
      {gaps.slice(0, NAMED).map(({ start_layer, end_layer }) => (
        <span key={start_layer} class="tag gap-tag" data-tone="bad" data-testid="gap">
          {`${layersText(start_layer, end_layer)}: nobody`}
        </span>
      ))}
      {gaps.length > NAMED && (
        <span class="tag" data-tone="bad">{`and ${String(gaps.length - NAMED)} more gaps`}</span>
      )}
    </>
  );
}
