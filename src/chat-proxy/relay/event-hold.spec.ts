import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventHold } from './event-hold.js';

let hold: EventHold;
beforeEach(() => {
  hold = new EventHold();
});

function add(...parts: string[]): void {
  for (const part of parts) hold.add(Buffer.from(part));
}

/** Adds a whole event in these parts. */
function event(...parts: string[]): void {
  add(...parts);
  hold.eventEnded();
}

const text = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString();
const last = (): string => hold.lastEvent().toString();

describe('held bytes', () => {
  it('are none at first', () => {
    expect([hold.isEmpty, hold.length, last(), text(hold.release()), text(hold.releaseWhole())]).toEqual([
      ...[true, 0, '', '', ''],
    ]);
  });

  it('are counted, empty parts not', () => {
    add('', 'abc', '', 'de');
    expect([hold.isEmpty, hold.length]).toEqual([false, 5]);
    expect(hold.release()).toHaveLength(2);
    add('');
    expect(hold.isEmpty).toBe(true);
  });

  it('come back in order, and are held no more', () => {
    event('a', 'b');
    add('c');
    expect(text(hold.release())).toBe('abc');
    expect([hold.isEmpty, hold.length, last(), text(hold.release())]).toEqual([true, 0, '', '']);
  });

  it('begin anew after a release', () => {
    event('a');
    add('b');
    hold.release();
    event('c');
    expect([text(hold.releaseWhole()), hold.isEmpty]).toEqual(['c', true]);
  });
});

describe('the last event', () => {
  it('is the one that is being completed', () => {
    event('a');
    add('b', 'c');
    expect(last()).toBe('bc');
  });

  it('is the last whole one between two', () => {
    event('a');
    event('b', 'c');
    expect(last()).toBe('bc');
    event('d');
    expect(last()).toBe('d');
  });

  it('is the one that has begun after whole ones were released', () => {
    event('a');
    add('b');
    hold.releaseWhole();
    expect(last()).toBe('b');
    event('c');
    expect(last()).toBe('bc');
  });

  it('stays held', () => {
    event('a');
    hold.lastEvent();
    expect(hold.length).toBe(1);
  });
});

describe('whole events', () => {
  it('are released without the one that is still coming', () => {
    event('a');
    event('b');
    add('c', 'd');
    expect([text(hold.releaseWhole()), hold.length]).toEqual(['ab', 2]);
    expect(text(hold.releaseWhole())).toBe('');
    event('e');
    expect([text(hold.releaseWhole()), hold.isEmpty]).toEqual(['cde', true]);
  });

  it('stay when the one that is still coming is dropped', () => {
    event('a');
    add('b', 'c');
    hold.dropUnfinished();
    expect([hold.length, last(), text(hold.release())]).toEqual([1, 'a', 'a']);
  });

  it('are not dropped where none is coming', () => {
    event('a');
    hold.dropUnfinished();
    expect(text(hold.release())).toBe('a');
  });
});

describe('a comment', () => {
  it('is kept within the limit of held bytes', () => {
    event('a');
    add('bc');
    hold.eventEnded(3);
    expect([last(), text(hold.release())]).toEqual(['bc', 'abc']);
  });

  it('is dropped beyond, and no event with it', () => {
    event('a');
    add('b', 'cd');
    hold.eventEnded(3);
    expect(hold.length).toBe(1);
    event('e');
    expect([last(), text(hold.release())]).toEqual(['e', 'ae']);
  });

  it('is dropped where it is the first thing held', () => {
    add('abcd');
    hold.eventEnded(3);
    expect([hold.isEmpty, hold.length, last()]).toEqual([true, 0, '']);
  });
});

describe('any order of acts', () => {
  const act = fc.oneof(
    fc.string({ maxLength: 3 }).map((part) => ({ kind: 'add' as const, part })),
    fc
      .constantFrom('end', 'comment', 'drop', 'release', 'whole')
      .map((kind) => ({ kind: kind as 'end', part: '' })),
  );

  it('holds what was added and neither released nor dropped', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const held = new EventHold();
        const whole: string[] = [];
        let coming = '';
        for (const { kind, part } of acts as { kind: string; part: string }[]) {
          if (kind === 'add') {
            held.add(Buffer.from(part));
            coming += part;
          }
          if (kind === 'end' || kind === 'comment') {
            const size = Buffer.byteLength(whole.join('') + coming);
            held.eventEnded(kind === 'end' ? undefined : 4);
            if (kind === 'end' || size <= 4) whole.push(coming);
            coming = '';
          }
          if (kind === 'drop') {
            held.dropUnfinished();
            coming = '';
          }
          if (kind === 'release') {
            expect(text(held.release())).toBe(whole.splice(0).join('') + coming);
            coming = '';
          }
          if (kind === 'whole') expect(text(held.releaseWhole())).toBe(whole.splice(0).join(''));
          if (coming !== '') expect(held.lastEvent().toString()).toBe(coming);
          expect(held.length).toBe(Buffer.byteLength(whole.join('') + coming));
          expect(held.isEmpty).toBe(held.length === 0);
        }
      }),
    );
  });
});
