import type { ModelRouting, RoutingConfig, RoutingTable } from '../api/types.js';
import { Empty, Shown } from '../parts/notice.js';
import { routing } from '../state/mesh.js';
import { linkTo, place } from '../state/place.js';
import { Meanings } from './meanings.js';
import { ModelRoutes } from './model-routes.js';
import { isWanted } from './models-shown.js';
import { opened, typed } from './overview-state.js';
import { RouteDetail } from './route-detail.js';

/** Overview → Routing (learned): what the router goes by, live. */
export function RoutingCard() {
  const polled = routing.polled.value;
  return (
    <section class="card" data-testid="routing-learned" aria-labelledby="routing-title">
      <header>
        <h2 id="routing-title">Routing (learned)</h2>
        {polled.value !== null && <ConfigLine config={polled.value.config} />}
      </header>
      <Meanings />
      <Shown polled={polled} quietWhenGone>
        {(table) => <Models table={table} />}
      </Shown>
    </section>
  );
}

function Models({ table: { models } }: { table: RoutingTable }) {
  const wanted = models.filter(({ model }) => isWanted(model, typed.value));
  return (
    <>
      <OpenedButGone models={models} />
      {wanted.length === 0 && <Empty>No model’s name fits the filter.</Empty>}
      {wanted.map((model, at) => (
        <ModelRoutes key={model.model} routing={model} place={at} />
      ))}
    </>
  );
}

/** An address may name a route that is no candidate any more; what was measured is still worth a look. */
function OpenedButGone({ models }: { models: readonly ModelRouting[] }) {
  const { detail } = place.value;
  const open = opened.value;
  if (detail === null || models.length === 0 || (open !== null && open.candidate !== null)) return null;
  return (
    <div class="card-body route-gone">
      <p class="notice" role="status">
        <span>
          <span class="long">{detail}</span> is not among the candidates now: its nodes left or changed their
          layers, or faster heads took its place. <a href={linkTo('overview')}>Close</a>
        </span>
      </p>
      {open !== null && <RouteDetail />}
    </div>
  );
}

const CONFIG_NAMES: readonly (readonly [keyof RoutingConfig, string, string?])[] = [
  ['policy', 'policy'],
  ['explore_share', 'explore share'],
  ['weight_alpha', 'alpha'],
  ['stats_half_life_seconds', 'half-life', ' s'],
  ['enumeration', 'enumeration'],
  ['min_sample_tokens', 'min tokens'],
  ['max_candidates', 'max candidates'],
];

function ConfigLine({ config }: { config: RoutingConfig }) {
  return (
    <dl class="config">
      {CONFIG_NAMES.map(([key, name, unit = '']) => (
        <div key={key}>
          <dt>{name}</dt>
          <dd data-config={key}>{`${String(config[key])}${unit}`}</dd>
        </div>
      ))}
    </dl>
  );
}
