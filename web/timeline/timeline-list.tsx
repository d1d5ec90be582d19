import type { TimelineFact } from '../api/types.js';
import { memo } from '../parts/memo.js';
import { Empty } from '../parts/notice.js';
import { Tag } from '../parts/tag.js';
import { factKey, told } from './facts.js';
import { momentText } from './moment.js';
import { lit, rowsShown, showMore, shown } from './timeline-view.js';

/** The facts in words, newest first. */
export function TimelineList({ now }: { now: number }) {
  const all = shown.value;
  if (all.length === 0) return <Empty>Nothing like that has happened.</Empty>;
  const rest = all.length - rowsShown.value;
  return (
    <>
      <div class="scroll">
        <table role="table" class="timeline-list" data-testid="timeline-list">
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col">
                Time
              </th>
              <th role="columnheader" scope="col">
                What happened
              </th>
              <th role="columnheader" scope="col">
                Model
              </th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {all.slice(0, rowsShown.value).map((fact) => {
              const id = factKey(fact);
              return (
                <FactRow
                  key={id}
                  id={id}
                  fact={fact}
                  time={momentText(fact.at, now)}
                  isLit={lit.value.has(id)}
                />
              );
            })}
          </tbody>
        </table>
      </div>
      {rest > 0 && (
        <p class="card-body">
          <button type="button" onClick={showMore}>
            Show more
          </button>{' '}
          <span class="soft">{rest} older ones</span>
        </p>
      )}
    </>
  );
}

interface RowProps {
  readonly id: string;
  readonly fact: TimelineFact;
  readonly time: string;
  readonly isLit: boolean;
}

const KINDS: Readonly<Record<TimelineFact['type'], string>> = {
  'epoch.bumped': 'epoch',
  'breaker.changed': 'breaker',
  'node.resting': 'rest',
  'nodes_file.read': 'nodes file',
  'nodes_file.refused': 'nodes file',
};

const FactRow = memo(
  ({ fact, time, isLit }: RowProps) => {
    const { mark, tone, text } = told(fact);
    return (
      <tr role="row" data-lit={isLit} data-type={fact.type}>
        <td role="cell" class="t-time">
          {time}
        </td>
        <td role="cell" class="t-what">
          <Tag mark={mark} tone={tone}>
            {KINDS[fact.type]}
          </Tag>{' '}
          {text}
        </td>
        <td role="cell" class="t-model">
          {'model' in fact && (
            <span class="clip" title={fact.model}>
              {fact.model}
            </span>
          )}
        </td>
      </tr>
    );
  },
  (before, after) => before.id === after.id && before.time === after.time && before.isLit === after.isLit,
);
