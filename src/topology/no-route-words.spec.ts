import { describe, expect, it } from '@jest/globals';
import { aNode, span } from '../../test/support/builders.js';
import { whyNoRoute } from './no-route-words.js';

const HEAD = { ...span(0, 21), lastServedBy: 'gpu:0-21' };
const tails = (count: number): ReturnType<typeof aNode>[] =>
  Array.from({ length: count }, (_, at) => aNode({ wallet: `w${String(at)}`, shard: span(22, 39) }));

describe('why there is no route', () => {
  it('names the layers, one or many, and who served them last', () => {
    expect(whyNoRoute(40, [HEAD, { ...span(30, 30), lastServedBy: null }], [])).toBe(
      'nobody serves layers 0-21 (served last by gpu:0-21) and layer 30 (served by nobody so far)',
    );
  });

  it('names those that are here and would serve them, were they not draining', () => {
    const cpu = aNode({ wallet: 'cpu' });
    const gap = { ...span(22, 39), lastServedBy: 'cpu:all' };
    expect(whyNoRoute(40, [gap], [cpu])).toBe('nobody serves layers 22-39 (cpu:all would, but is draining)');
    expect(whyNoRoute(40, [gap], [...tails(1), cpu])).toBe(
      'nobody serves layers 22-39 (w0:22-39 and cpu:all would, but are draining)',
    );
  });

  it('lays a gap to no draining node that has other layers', () => {
    expect(whyNoRoute(40, [HEAD], tails(1))).toBe('nobody serves layers 0-21 (served last by gpu:0-21)');
  });

  it('speaks of no layers where none were declared', () => {
    const all = { ...span(0, 0), lastServedBy: 'w:all' };
    expect(whyNoRoute(null, [all], [])).toBe('no server of it takes chats (served last by w:all)');
    expect(whyNoRoute(null, [all], [aNode({ wallet: 'x' })])).toBe(
      'no server of it takes chats (x:all would, but is draining)',
    );
  });

  it('stays short on a mesh of any size', () => {
    const gaps = Array.from({ length: 50 }, (_, at) => ({ ...span(2 * at, 2 * at), lastServedBy: null }));
    expect(whyNoRoute(100, gaps, [])).toBe(
      'nobody serves layer 0 (served by nobody so far), layer 2 (served by nobody so far), ' +
        'layer 4 (served by nobody so far) and 47 more gaps',
    );
    expect(whyNoRoute(40, [{ ...span(22, 39), lastServedBy: null }], tails(20))).toBe(
      'nobody serves layers 22-39 (w0:22-39, w1:22-39, w2:22-39 and 17 more would, but are draining)',
    );
  });

  it('has an answer while routes are rebuilt and no layer is missing', () => {
    expect(whyNoRoute(40, [], [])).toBe('its nodes changed just now, and its routes are being found anew');
  });
});
