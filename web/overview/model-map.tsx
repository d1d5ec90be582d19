import { Fold } from './fold.js';
import { LayerMap } from './layer-map.js';
import type { MappedModel } from './mapped-models.js';
import { MapRoutes } from './map-routes.js';
import { opensByItself } from './models-shown.js';
import { GapTags, VerdictTag } from './verdict-sign.js';

/** One model whose layers are spread: its verdict, its map, its routes. */
export function ModelMap({ mapped, place }: { mapped: MappedModel; place: number }) {
  const { routing, nodes, verdict } = mapped;
  const { model, num_layers, gaps } = routing;
  return (
    <Fold
      name={`map ${model}`}
      opensByItself={opensByItself(place, verdict.tone === 'bad')}
      data-model={model}
      head={
        <>
          <h3 class="model-name" title={model}>
            {model}
          </h3>
          <span class="soft">
            {`${String(num_layers)} layers, ${nodes.length === 1 ? '1 node' : `${String(nodes.length)} nodes`}`}
          </span>
          <span class="fold-facts map-verdict">
            <GapTags gaps={gaps} />
            <VerdictTag verdict={verdict} />
          </span>
        </>
      }
    >
      {() => (
        <div class="map-body">
          {verdict.text !== null && (
            <p class="notice map-why" data-kind={verdict.tone === 'bad' ? 'fault' : undefined}>
              {verdict.text}
            </p>
          )}
          <LayerMap mapped={mapped} />
          <MapRoutes routing={routing} />
        </div>
      )}
    </Fold>
  );
}
