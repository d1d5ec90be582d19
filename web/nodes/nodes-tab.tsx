import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NodeRow } from '../api/types.js';
import { counted } from '../parts/format.js';
import { Empty, Fault, Shown } from '../parts/notice.js';
import { nodes } from '../state/mesh.js';
import { DeleteDialog } from './delete-dialog.js';
import { busy, report } from './node-actions.js';
import { inOrder, matching, nextOrder, nodeKey, type Column, type Order } from './node-order.js';
import { NodeTableRow } from './node-table-row.js';

/** Kept while the page is open, also when another tab is shown in between. */
const order = signal<Order | null>(null);
const text = signal('');

const NONE: readonly NodeRow[] = [];
const all = computed(() => nodes.polled.value.value?.data ?? NONE);
const shown = computed(() => inOrder(matching(all.value, text.value), order.value));

/** What was done is news for so long. */
const NOTE_MS = 8000;

/** Among so many one finds a node by eye. */
const FEW = 8;

export function NodesTab() {
  const polled = nodes.polled.value;
  const isGone = polled.fault?.gone === true;
  return (
    <section class="card nodes" aria-labelledby="nodes-name">
      <header>
        <h2 id="nodes-name">Nodes</h2>
        <Count />
        {(all.value.length > FEW || text.value !== '') && <Filter />}
      </header>
      <Report />
      <Shown polled={polled}>
        {({ data }) => (data.length === 0 ? <NoNodes /> : <Table isGone={isGone} />)}
      </Shown>
      <DeleteDialog />
    </section>
  );
}

function Count() {
  const [count, of] = [shown.value.length, all.value.length];
  if (of === 0) return null;
  const draining = all.value.filter(({ status }) => status === 'draining').length;
  const open = all.value.filter(({ breaker }) => breaker === 'open').length;
  const resting = all.value.filter(({ resting_seconds }) => resting_seconds !== null).length;
  return (
    <span class="soft" data-testid="nodes-count">
      {count === of ? String(of) : `${String(count)} of ${String(of)}`}
      {draining > 0 && ` · ${String(draining)} draining`}
      {open > 0 && ` · ${String(open)} with an open breaker`}
      {resting > 0 && ` · ${String(resting)} resting`}
    </span>
  );
}

function Filter() {
  return (
    <form class="controls" role="search" aria-label="Nodes" onSubmit={(event) => event.preventDefault()}>
      <label class="field">
        <span class="sr-only">Search nodes</span>
        <input
          type="search"
          placeholder="node, model, endpoint, state"
          value={text.value}
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        />
      </label>
    </form>
  );
}

/** How the newest action came out; a failure interrupts, a success doesn't. */
function Report() {
  const said = report.value;
  useEffect(() => {
    if (said === null || said.isFault) return;
    const timer = setTimeout(() => (report.value = null), NOTE_MS);
    return () => clearTimeout(timer);
  }, [said]);
  useEffect(() => () => void (report.value = null), []);
  return (
    <>
      <p role="status" class="nodes-note" hidden={said === null || said.isFault}>
        {said !== null && !said.isFault && said.text}
      </p>
      {said?.isFault === true && <Fault>{said.text}</Fault>}
    </>
  );
}

function NoNodes() {
  return (
    <Empty>
      No nodes yet. Name a server that speaks OpenAI's API with <code>npm start -- --node http://…:8000</code>
      , list several in a nodes file, or let nodes register themselves with <code>POST /v1/nodes</code>.
    </Empty>
  );
}

const HEADINGS: readonly (readonly [by: Column, text: string, isNumber: boolean])[] = [
  ['node', 'Node', false],
  ['model', 'Model', false],
  ['shard', 'Layers', false],
  ['status', 'Status', false],
  ['breaker', 'Breaker', false],
  ['reputation', 'Reputation', true],
  ['speed', 'tok/s', true],
  ['factor', 'Factor', true],
  ['queue', 'Queue', true],
  ['in_flight', 'In flight', true],
  ['last_seen', 'Last seen', true],
  ['source', 'Source', false],
];

function Table({ isGone }: { isGone: boolean }) {
  if (shown.value.length === 0)
    return <Empty>None of {counted(all.value.length, 'node')} is like that.</Empty>;
  return (
    <>
      {isGone && (
        <p id="nodes-gone" class="soft nodes-note">
          Nodes can be changed again once the tracker answers.
        </p>
      )}
      <div class="scroll" role="region" aria-label="Table of nodes" tabIndex={0}>
        <table role="table" data-testid="nodes-table" class="nodes-table">
          <thead role="rowgroup">
            <tr role="row">
              {HEADINGS.map(([by, name, isNumber]) => (
                <Heading key={by} by={by} isNumber={isNumber}>
                  {name}
                </Heading>
              ))}
              <th role="columnheader" scope="col">
                <span class="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {shown.value.map((node) => (
              <NodeTableRow
                key={nodeKey(node)}
                node={node}
                isBusy={busy.value.has(nodeKey(node))}
                isGone={isGone}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Heading({ by, isNumber, children }: { by: Column; isNumber: boolean; children: string }) {
  const isBy = order.value?.by === by;
  const direction = isBy && order.value?.isDescending === true ? 'descending' : 'ascending';
  return (
    <th
      role="columnheader"
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isBy ? direction : undefined}
    >
      <button type="button" class="sort" onClick={() => (order.value = nextOrder(order.value, by))}>
        {children}
        <span class="sort-mark" aria-hidden="true">
          {isBy ? (direction === 'ascending' ? '↑' : '↓') : ''}
        </span>
      </button>
    </th>
  );
}
