import type { ModelRouting } from '../api/types.js';
import { tps } from '../parts/format.js';
import { Fold } from './fold.js';
import { allRoutesOf, opened, routeOrder } from './overview-state.js';
import { opensByItself } from './models-shown.js';
import { columnsOf } from './route-columns.js';
import { ordered } from './route-order.js';
import { RouteRow } from './route-row.js';
import { RoutesHead } from './routes-head.js';
import { SHOWN_ROUTES, shownRoutes } from './routes-shown.js';

/** One model: its epoch and layers, and the table of its candidates. */
export function ModelRoutes({ routing, place }: { routing: ModelRouting; place: number }) {
  const { model, candidates } = routing;
  const isOpened = opened.value?.model === model;
  return (
    <Fold
      name={`routes ${model}`}
      opensByItself={opensByItself(place, isOpened)}
      data-model={model}
      head={<ModelHead routing={routing} />}
    >
      {() => (candidates.length === 0 ? <NoRoutes routing={routing} /> : <RoutesTable routing={routing} />)}
    </Fold>
  );
}

function ModelHead({ routing }: { routing: ModelRouting }) {
  const { model, epoch, num_layers, candidates, candidates_left_out: leftOut } = routing;
  const best = Math.max(...candidates.map((candidate) => candidate.tps ?? 0));
  return (
    <>
      <h3 class="model-name" title={model}>
        {model}
      </h3>
      <span class="soft">
        epoch <span data-fact="epoch">{epoch}</span>
        {num_layers > 1 && ` · ${String(num_layers)} layers`}
      </span>
      <span class="fold-facts soft">
        {candidates.length === 0 ? (
          <span class="tag" data-tone="bad">
            ✕ no route
          </span>
        ) : (
          <>
            {candidates.length === 1 ? '1 route' : `${String(candidates.length)} routes`}
            {leftOut > 0 && ` (${String(leftOut)} more left out)`}
            {best > 0 && `, best ${tps(best)} tps`}
          </>
        )}
      </span>
    </>
  );
}

function NoRoutes({ routing: { num_layers } }: { routing: ModelRouting }) {
  return (
    <p class="empty">
      {num_layers === 1
        ? 'No server of this model takes chats: they are refused. The list of servers below says why.'
        : 'No route: chats for this model are refused. The layer map below says what is missing.'}
    </p>
  );
}

function RoutesTable({ routing: { model, candidates } }: { routing: ModelRouting }) {
  const open = opened.value;
  const columns = columnsOf(candidates);
  const inOrder = ordered(candidates, routeOrder.value);
  const isWhole = allRoutesOf.value === model;
  const rows = isWhole ? inOrder : shownRoutes(inOrder, open?.model === model ? open.signature : undefined);
  return (
    <div class="scroll">
      <table role="table" class="routes">
        <caption class="sr-only">Candidate routes of {model}</caption>
        <colgroup>
          {columns.map(({ key }) => (
            <col key={key} class={`col-${key}`} />
          ))}
        </colgroup>
        <RoutesHead columns={columns} />
        <tbody role="rowgroup">
          {rows.map((candidate) => (
            <RouteRow
              key={candidate.signature}
              model={model}
              columns={columns}
              candidate={candidate}
              isOpen={open?.signature === candidate.signature && open.model === model}
            />
          ))}
        </tbody>
      </table>
      {inOrder.length > rows.length && (
        <p class="routes-rest soft">
          {String(inOrder.length - rows.length)} more in this order.{' '}
          <button type="button" onClick={() => (allRoutesOf.value = model)}>
            Show all
          </button>
        </p>
      )}
      {isWhole && inOrder.length > SHOWN_ROUTES && (
        <p class="routes-rest soft">
          <button type="button" onClick={() => (allRoutesOf.value = null)}>
            Show the first {SHOWN_ROUTES}
          </button>
        </p>
      )}
    </div>
  );
}
