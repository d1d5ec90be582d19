import type { Candidate } from '../api/types.js';
import { memo } from '../parts/memo.js';
import { Tip } from '../parts/tip.js';
import { linkTo } from '../state/place.js';
import { Hops } from './hops.js';
import { pointAt, pointAway } from './overview-state.js';
import type { RouteColumn } from './route-columns.js';
import { RouteDetail } from './route-detail.js';
import { StatusMark } from './status-mark.js';
import { meaningId, STATUS_WORDS } from './status-words.js';

interface RouteRowProps {
  readonly model: string;
  readonly columns: readonly RouteColumn[];
  readonly candidate: Candidate;
  readonly isOpen: boolean;
}

/** One candidate; opened, also its last hour and its last calls. */
export const RouteRow = memo(function RouteRow({ model, columns, candidate, isOpen }: RouteRowProps) {
  const { signature } = candidate;
  const point = () => pointAt({ model, signature });
  return (
    <>
      <tr
        role="row"
        class="route-row"
        data-signature={signature}
        data-model={model}
        data-open={isOpen ? '' : undefined}
        onPointerEnter={point}
        onPointerLeave={pointAway}
        onFocusIn={point}
        onFocusOut={pointAway}
      >
        {columns.map((column) =>
          column.key === 'route' ? (
            <RouteCell key="route" candidate={candidate} isOpen={isOpen} />
          ) : (
            <Figure key={column.key} column={column} candidate={candidate} />
          ),
        )}
      </tr>
      {isOpen && (
        <tr role="row" class="route-more">
          <td role="cell" colSpan={columns.length}>
            <RouteDetail />
          </td>
        </tr>
      )}
    </>
  );
}, sameRow);

/** By what is shown: predictions and times are never the same twice. */
function sameRow(before: RouteRowProps, after: RouteRowProps): boolean {
  return (
    before.model === after.model &&
    before.isOpen === after.isOpen &&
    before.columns === after.columns &&
    before.candidate.signature === after.candidate.signature &&
    after.columns.every(({ text }) => text(before.candidate) === text(after.candidate))
  );
}

const RouteCell = memo(function RouteCell({ candidate: { signature, hops }, isOpen }: RouteCellProps) {
  return (
    <th role="rowheader" scope="row" class="route-name" data-col="route">
      <button
        type="button"
        class="route-open"
        aria-expanded={isOpen}
        onClick={() => {
          location.hash = linkTo('overview', isOpen ? null : signature);
        }}
      >
        <span class="fold-mark" aria-hidden="true" />
        <Hops hops={hops} />
      </button>
    </th>
  );
}, sameCell);

interface RouteCellProps {
  readonly candidate: Candidate;
  readonly isOpen: boolean;
}

function sameCell(before: RouteCellProps, after: RouteCellProps): boolean {
  return before.isOpen === after.isOpen && before.candidate.signature === after.candidate.signature;
}

interface FigureProps {
  readonly column: RouteColumn;
  readonly candidate: Candidate;
}

/** Of a row's figures most answers change two or three. */
const Figure = memo(function Figure({ column, candidate }: FigureProps) {
  const { key, title, isNumber } = column;
  const text = column.text(candidate);
  return (
    <td role="cell" class={isNumber ? 'number' : ''} data-col={key} data-label={title}>
      {key === 'share' ? (
        <ShareBar share={candidate.traffic_share} text={text} />
      ) : key === 'status' ? (
        <StatusTag status={candidate.status} />
      ) : (
        text
      )}
    </td>
  );
}, sameFigure);

function sameFigure(before: FigureProps, after: FigureProps): boolean {
  return (
    before.column === after.column &&
    before.column.text(before.candidate) === after.column.text(after.candidate)
  );
}

function ShareBar({ share, text }: { share: number; text: string }) {
  return (
    <span class="share">
      <span class="share-bar" aria-hidden="true">
        <span style={{ width: `${String(share * 100)}%` }} />
      </span>
      <span class="share-text">{text}</span>
    </span>
  );
}

function StatusTag({ status }: { status: Candidate['status'] }) {
  const { tone, meaning } = STATUS_WORDS[status];
  return (
    <Tip text={meaning} describedBy={meaningId(status)} class="tag" data-tone={tone}>
      <StatusMark status={status} />
      {status}
    </Tip>
  );
}
