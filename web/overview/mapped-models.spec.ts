import { describe, expect, it } from '@jest/globals';
import { aModel, aNode } from '../support/answers.js';
import { mappedModels } from './mapped-models.js';

describe('the models of the layer map', () => {
  it('have an axis when nodes share their layers, or nobody has them', () => {
    const models = [
      aModel({ model: 'shared', num_layers: 40 }),
      aModel({ model: 'whole', num_layers: 28 }),
      aModel({ model: 'plain', num_layers: 1 }),
      aModel({ model: 'left', num_layers: 40 }),
      aModel({ model: 'left plain', num_layers: 1 }),
    ];
    const all = { shard_start: null, shard_end: null };
    const nodes = [
      aNode({ model: 'shared', node_id: 'a:0-9' }),
      aNode({ model: 'shared', node_id: 'b:all', ...all }),
      aNode({ model: 'whole', ...all }),
      aNode({ model: 'plain', ...all }),
    ];
    const { sharded, whole } = mappedModels(models, nodes);
    expect(sharded.map(({ routing }) => routing.model)).toEqual(['shared', 'left']);
    expect(whole.map(({ routing }) => routing.model)).toEqual(['whole', 'plain', 'left plain']);
    expect(sharded[0]?.nodes.length).toBe(2);
  });

  it('have no layers to speak of when whole servers answer them', () => {
    const gaps = [{ start_layer: 0, end_layer: 0 }];
    const draining = aNode({ node_id: 'x:all', shard_start: null, shard_end: null, status: 'draining' });
    const [mapped] = mappedModels([aModel({ num_layers: 1, gaps })], [draining]).whole;
    expect(mapped?.verdict.text).toBe('No server of this model takes chats: x is draining.');
  });
});
