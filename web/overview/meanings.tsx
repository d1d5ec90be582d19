import { ROUTE_COLUMNS } from './route-columns.js';
import { meaningId, STATUS_WORDS } from './status-words.js';

/** What statuses and columns mean, once for the page, for aria-describedby; eyes get the same as tips. */
export function Meanings() {
  return (
    <div hidden>
      {Object.entries(STATUS_WORDS).map(([status, { meaning }]) => (
        <p key={status} id={meaningId(status as keyof typeof STATUS_WORDS)}>
          {meaning}
        </p>
      ))}
      {ROUTE_COLUMNS.map(({ key, meaning }) => (
        <p key={key} id={`column-${key}`}>
          {meaning}
        </p>
      ))}
    </div>
  );
}
