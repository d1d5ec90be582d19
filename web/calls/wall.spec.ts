import { describe, expect, it } from '@jest/globals';
import type { CallRecord } from '../api/types.js';
import { aCall, anOpenCall } from './example-calls.js';
import {
  callKey,
  lacksAny,
  MOST_CALLS,
  vanished,
  withFinished,
  withList,
  withOpen,
  type Wall,
} from './wall.js';

const at = (second: number): string => new Date(second * 1000).toISOString();
const ids = (wall: Wall): string[] => wall.map(({ request_id }) => request_id);

function finished(request_id: string, second: number): CallRecord {
  return aCall({ request_id, started_at: at(second) });
}
function open(request_id: string, second: number): CallRecord {
  return anOpenCall({ request_id, started_at: at(second) });
}

describe('the call wall', () => {
  it('is newest first, by when calls began, not by when they ended', () => {
    const wall = withList([open('new', 3), finished('old', 1)], [finished('between', 2)]);
    expect(ids(wall)).toEqual(['new', 'between', 'old']);
  });

  it('takes a finished call for the open one that it was', () => {
    const wall = withFinished([open('a', 1)], [finished('a', 1)]);
    expect(wall).toEqual([finished('a', 1)]);
  });

  it('does not let a snapshot open again what was heard to have finished', () => {
    expect(withOpen([finished('a', 1)], [open('a', 1)])).toEqual([finished('a', 1)]);
    expect(withList([open('a', 1)], [finished('a', 1)])).toEqual([finished('a', 1)]);
  });

  it('tells apart two calls under one id', () => {
    const wall = withFinished([open('same', 2)], [finished('same', 1)]);
    expect(wall.map(({ outcome }) => outcome)).toEqual([null, 'completed']);
  });

  it('shows open calls as the newest snapshot has them', () => {
    const older = { ...open('a', 1), age_ms: 100 };
    const newer = { ...open('a', 1), age_ms: 1100, phase: 'streaming' as const };
    expect(withOpen([older], [newer])).toEqual([newer]);
  });

  it('drops an open call that a snapshot no longer has', () => {
    const wall = [open('gone', 2), finished('done', 1)];
    expect(ids(withOpen(wall, []))).toEqual(['done']);
    expect(vanished(wall, [])).toEqual([callKey(open('gone', 2))]);
    expect(vanished(wall, [open('gone', 2)])).toEqual([]);
  });

  it('knows when it never heard how a call ended', () => {
    const keys = [callKey(open('gone', 2))];
    expect(lacksAny([finished('done', 1)], keys)).toBe(true);
    expect(lacksAny([finished('gone', 2)], keys)).toBe(false);
    expect(lacksAny([], [])).toBe(false);
  });

  it('keeps a thousand', () => {
    const many = Array.from({ length: MOST_CALLS + 5 }, (_, n) => finished(`c${String(n)}`, n));
    const wall = withFinished([], many);
    expect(wall).toHaveLength(MOST_CALLS);
    expect(wall.at(-1)?.request_id).toBe('c5');
  });

  it('keeps an open call, however many newer ones have finished', () => {
    const many = Array.from({ length: MOST_CALLS }, (_, n) => finished(`c${String(n)}`, n + 1));
    const wall = withFinished([open('long', 0)], many);
    expect(wall).toHaveLength(MOST_CALLS);
    expect(wall.at(-1)?.request_id).toBe('long');
  });

  it('forgets what a restarted tracker does not know', () => {
    expect(withList([], [])).toEqual([]);
  });
});
