import { tipHandlers } from '../parts/tip-layer.js';
import { routeOrder } from './overview-state.js';
import type { RouteColumn } from './route-columns.js';
import { pressed } from './route-order.js';

/** The table's head; each name sorts by its column. */
export function RoutesHead({ columns }: { columns: readonly RouteColumn[] }) {
  return (
    <thead role="rowgroup">
      <tr role="row">
        {columns.map((column) => (
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
        {...tipHandlers(meaning)}
        onClick={() => {
          routeOrder.value = pressed(routeOrder.peek(), key);
        }}
      >
        {title}
        <span class="sort-mark" aria-hidden="true">
          {isBy ? (direction === 'ascending' ? '▲' : '▼') : ''}
        </span>
      </button>
    </th>
  );
}
