import { describe, expect, it } from '@jest/globals';
import { isPlain, layersText, nodeName, routeText, spanText } from './hop-names.js';

describe('the name of a hop', () => {
  it('is its node id without the shard', () => {
    expect(nodeName('alice.gpu:0-21')).toBe('alice.gpu');
    expect(nodeName('local:all')).toBe('local');
  });

  it('is whatever the tracker calls it, if that has no shard', () => {
    expect(nodeName('odd')).toBe('odd');
    expect(nodeName(':all')).toBe(':all');
  });

  it('stands in its route with the layers it runs there', () => {
    const hops = [
      { node_id: 'alice.gpu:0-21', start_layer: 0, end_layer: 21 },
      { node_id: 'bob.cpu:0-39', start_layer: 22, end_layer: 39 },
    ];
    expect(routeText(hops)).toBe('alice.gpu 0–21 → bob.cpu 22–39');
    expect(isPlain(hops)).toBe(false);
    expect([spanText(3, 3), layersText(3, 3), layersText(0, 1)]).toEqual(['3', 'layer 3', 'layers 0–1']);
  });

  it('names no layers where a server answers alone and declares none', () => {
    const plain = [{ node_id: 'local.x:all', start_layer: 0, end_layer: 0 }];
    expect([isPlain(plain), routeText(plain)]).toEqual([true, 'local.x']);
    const declared = [{ node_id: 'bob.cpu:0-39', start_layer: 0, end_layer: 39 }];
    expect([isPlain(declared), routeText(declared)]).toEqual([false, 'bob.cpu 0–39']);
  });
});
