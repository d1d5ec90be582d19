import type { ModelRouting } from '../api/types.js';
import { Shown } from '../parts/notice.js';
import { nodes, routing } from '../state/mesh.js';
import { ModelMap } from './model-map.js';
import { isWanted } from './models-shown.js';
import { mappedModels } from './mapped-models.js';
import { typed } from './overview-state.js';
import { WholeServers } from './whole-servers.js';

/** Who serves which layers: one look answers why there is no route. Where layers don't matter, who serves what. */
export function LayerMapCard() {
  const models = routing.polled.value.value?.models ?? [];
  const polled = nodes.polled.value;
  const mapped = mappedModels(wanted(models), polled.value?.data ?? []);
  const isServersOnly = mapped.sharded.length === 0 && mapped.whole.length > 0;
  return (
    <section class="card" data-testid="layer-map" aria-labelledby="map-title">
      <header>
        <h2 id="map-title">{isServersOnly ? 'Servers' : 'Layer map'}</h2>
        <p class="soft small">
          {isServersOnly
            ? 'Each of them answers its model by itself.'
            : 'Each bar is a node with the layers it serves. Point at a route, here or above, to light its hops.'}
        </p>
      </header>
      <Shown polled={polled} quietWhenGone>
        {() => <Maps {...mapped} />}
      </Shown>
    </section>
  );
}

function wanted(models: readonly ModelRouting[]): ModelRouting[] {
  return models.filter(({ model }) => isWanted(model, typed.value));
}

function Maps({ sharded, whole }: ReturnType<typeof mappedModels>) {
  return (
    <>
      {sharded.map((mapped, at) => (
        <ModelMap key={mapped.routing.model} mapped={mapped} place={at} />
      ))}
      {whole.length > 0 && <WholeServers models={whole} isAlone={sharded.length === 0} />}
    </>
  );
}
