import { describe, expect, it } from '@jest/globals';
import type { TimelineFact } from '../api/types.js';
import { listed, modelsIn, told } from './facts.js';

const bump = (cause: string, model = 'm'): TimelineFact => ({
  ...{ type: 'epoch.bumped', at: 1, model, epoch: 7, node_id: 'w:all', cause },
});
const resting = (seconds: number): TimelineFact => ({
  ...{ type: 'node.resting', at: 1, model: 'm', node_id: 'w:all', seconds },
});
const breaker = (from: string, to: string): TimelineFact => ({
  ...{ type: 'breaker.changed', at: 1, model: 'm', node_id: 'w:all', from, to },
});
const READ: TimelineFact = { type: 'nodes_file.read', at: 1, entries: 1 };
const REFUSED: TimelineFact = { type: 'nodes_file.refused', at: 1, faults: 2 };

describe('a fact of the timeline', () => {
  it('says in words what became of the node', () => {
    expect(told(bump('registered')).text).toBe('w:all joined: epoch 7');
    expect(told(bump('lease_expired')).text).toMatch(/no sign of life/);
    expect(told(bump('unheard_of')).text).toBe('w:all unheard_of: epoch 7');
    expect(told(resting(59.5)).text).toBe('w:all asked to get no chats for 60 s');
    expect(told(resting(0)).text).toMatch(/rest is over/);
    expect(told(breaker('closed', 'open')).text).toMatch(/kept failing/);
    expect(told(breaker('half_open', 'open')).text).toMatch(/failed again/);
    expect(told(breaker('open', 'half_open')).text).toMatch(/tried again/);
    expect(told(breaker('half_open', 'closed')).text).toMatch(/works again/);
    expect(told(READ).text).toBe('Nodes file read: 1 entry');
    expect(told(REFUSED).text).toMatch(/2 faults/);
  });

  it('has a shape and a mark that tell it from others of its lane', () => {
    const facts = [
      ...['registered', 'drained', 'resharded'].map((cause) => bump(cause)),
      ...['open', 'half_open', 'closed'].map((to) => breaker('x', to)),
      ...[READ, REFUSED],
    ].map(told);
    for (const property of ['shape', 'mark'] as const) {
      const looks = facts.map((fact) => `${fact.lane} ${fact[property]}`);
      expect(new Set(looks).size).toBe(facts.length);
    }
  });

  it('is listed by lane and model; the nodes file concerns every model', () => {
    const facts = [bump('drained', 'a'), bump('drained', 'b'), breaker('closed', 'open'), READ];
    expect(listed(facts, { lane: '', model: '' })).toBe(facts);
    expect(listed(facts, { lane: 'breakers', model: '' })).toEqual([facts[2]]);
    expect(listed(facts, { lane: '', model: 'a' })).toEqual([facts[0], READ]);
    expect(listed(facts, { lane: 'epochs', model: 'm' })).toEqual([]);
    expect(modelsIn(facts)).toEqual(['a', 'b', 'm']);
  });
});
