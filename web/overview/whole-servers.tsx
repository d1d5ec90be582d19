import type { NodeRow } from '../api/types.js';
import { UNKNOWN, tps } from '../parts/format.js';
import { nodeName } from './hop-names.js';
import type { MappedModel } from './mapped-models.js';
import { loadText, troubleOf } from './node-words.js';
import { VerdictTag } from './verdict-sign.js';

interface WholeServersProps {
  readonly models: readonly MappedModel[];
  /** Nothing else is in the card, whose title names them already. */
  readonly isAlone: boolean;
}

/** Models that each server answers by itself: a list instead of a map. */
export function WholeServers({ models, isAlone }: WholeServersProps) {
  return (
    <div class="whole" data-testid="whole-servers">
      {!isAlone && <h3>Servers of whole models</h3>}
      <div class="scroll whole-scroll" role="region" aria-label="Servers of whole models" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Server</th>
              <th scope="col" class="number">
                Says tps
              </th>
              <th scope="col" class="number">
                In flight
              </th>
              <th scope="col" class="number">
                Queue
              </th>
              <th scope="col">State</th>
            </tr>
          </thead>
          {models.map((mapped) => (
            <WholeModel key={mapped.routing.model} mapped={mapped} />
          ))}
        </table>
      </div>
    </div>
  );
}

function WholeModel({ mapped: { routing, nodes, verdict } }: { mapped: MappedModel }) {
  const { model } = routing;
  return (
    <tbody data-model={model}>
      {verdict.tone === 'good' ? null : (
        <tr>
          <th scope="rowgroup" class="whole-model long">
            {model}
          </th>
          <td colSpan={5}>
            <span class="map-verdict">
              <VerdictTag verdict={verdict} />
              <span class="soft">{verdict.text}</span>
            </span>
          </td>
        </tr>
      )}
      {nodes.map((node, at) => (
        <tr key={node.node_id}>
          {at === 0 && verdict.tone === 'good' ? (
            <th scope="rowgroup" rowSpan={nodes.length} class="whole-model long">
              {model}
            </th>
          ) : null}
          {verdict.tone !== 'good' && <td />}
          <Server node={node} />
        </tr>
      ))}
    </tbody>
  );
}

function Server({ node }: { node: NodeRow }) {
  const trouble = troubleOf(node);
  return (
    <>
      <td class="long" title={node.node_id}>
        {nodeName(node.node_id)}
      </td>
      <td class="number">{node.throughput_tps === null ? UNKNOWN : tps(node.throughput_tps)}</td>
      <td class="number">{loadText(node)}</td>
      <td class="number">{node.queue_depth}</td>
      <td>
        {trouble === null ? (
          <span class="tag" data-tone="good">
            <span aria-hidden="true">✓</span> ready
          </span>
        ) : (
          <span class="tag" data-tone={trouble.tone}>
            <span aria-hidden="true">{trouble.mark}</span> {trouble.text}
          </span>
        )}
      </td>
    </>
  );
}
