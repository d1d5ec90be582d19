import { describe, expect, it } from '@jest/globals';
import { Timeline, type TimelineEntry } from './timeline.js';

function bump(model: string, epoch: number): TimelineEntry {
  return { type: 'epoch.bumped', model, epoch, node_id: 'w:all', cause: 'registered', at: epoch };
}

const READ: TimelineEntry = { type: 'nodes_file.read', entries: 3, at: 0 };

describe('the timeline', () => {
  it('tells the newest first, as many as are asked for', () => {
    const timeline = new Timeline();
    for (const entry of [bump('a', 1), READ, bump('b', 2)]) timeline.add(entry);
    expect(timeline.newest(null, 10)).toEqual([bump('b', 2), READ, bump('a', 1)]);
    expect(timeline.newest(null, 2)).toEqual([bump('b', 2), READ]);
  });

  it('tells for one model what concerns it, the nodes file included', () => {
    const timeline = new Timeline();
    for (const entry of [bump('a', 1), READ, bump('b', 2)]) timeline.add(entry);
    expect(timeline.newest('a', 10)).toEqual([READ, bump('a', 1)]);
    expect(timeline.newest('nobody', 10)).toEqual([READ]);
    expect(timeline.newest('a', 1)).toEqual([READ]);
  });

  it('keeps the newest thousand', () => {
    const timeline = new Timeline();
    for (let epoch = 1; epoch <= 1200; epoch += 1) timeline.add(bump('a', epoch));
    const kept = timeline.newest(null, 2000);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([1000, bump('a', 1200), bump('a', 201)]);
  });
});
