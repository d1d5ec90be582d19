import { tipHandlers } from '../parts/tip-layer.js';
import { routeOrder } from './overview-state.js';
import { ROUTE_COLUMNS, type RouteColumn } from './route-columns.js';
import { pressed } from './route-order.js';

/** The table's head; each name sorts by its column. */
export function RoutesHead() {
  return (
    <thead role="rowgroup">
      <tr role="row">
        {ROUTE_COLUMNS.map((column) => (
          <HeadCell key={column.key} column={column} />
        ))}
      </tr>
    </thead>
  );
}

function HeadCell({ column }: { column: RouteColumn }) {
  const { key, title, meaning, isNumber } = column;
  const { direction } = routeOrder.value;
  const isBy = routeOrder.value.key === key;
  const { onClick: _tapped, ...tip } = tipHandlers(meaning);
  return (
    <th
      role="columnheader"
      scope="col"
      class={isNumber ? 'number' : ''}
      aria-sort={isBy ? direction : undefined}
    >
      <button
        type="button"
        class="sort"
        title={undefined}
        aria-describedby={`column-${key}`}
        onClick={() => {
          routeOrder.value = pressed(routeOrder.peek(), key);
        }}
        {...tip}
      >
        {title}
        <span class="sort-mark" aria-hidden="true">
          {isBy ? (direction === 'ascending' ? '▲' : '▼') : ''}
        </span>
      </button>
    </th>
  );
}
