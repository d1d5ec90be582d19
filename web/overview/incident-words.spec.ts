import { describe, expect, it } from '@jest/globals';
import type { Incident, IncidentWindow } from '../api/types.js';
import { anIncident } from '../support/answers.js';
import { byGravity, failureText, incidentWords, shownAtFirst } from './incident-words.js';

const NONE: IncidentWindow = { calls: 0, succeeded: 0, success_ratio: null, p95_ttft_ms: null, queued: 0 };

function window(more: Partial<IncidentWindow> = {}): IncidentWindow {
  return { calls: 100, succeeded: 100, success_ratio: 1, p95_ttft_ms: 300, queued: 0, ...more };
}

function said(more: Partial<Incident>, hasRoute: boolean | null = true) {
  const { gravity, short } = incidentWords(anIncident(more), hasRoute);
  return [gravity, short];
}

describe('what is the matter with a model', () => {
  it('is nothing when all calls succeed', () => {
    expect(said({ now: window() })).toEqual(['well', 'all well, 100 calls']);
    expect(said({ now: window({ calls: 1, succeeded: 1 }) })).toEqual(['well', 'all well, 1 call']);
    expect(said({ now: NONE })).toEqual(['idle', 'no calls']);
  });

  it('is grave when there is no route, or many calls fail', () => {
    expect(said({ now: NONE, hour_ago: window() }, false)).toEqual(['bad', 'no route']);
    expect(said({ now: NONE }, null)).toEqual(['idle', 'no calls']);
    expect(said({ now: window({ succeeded: 80, success_ratio: 0.8 }) })).toEqual([
      'bad',
      '20 of 100 calls failed',
    ]);
    expect(said({ now: window({ succeeded: 0, success_ratio: 0 }) })).toEqual(['bad', 'no call succeeded']);
  });

  it('does not take calls that clients left for failed ones', () => {
    const now = window({ succeeded: 90, success_ratio: 1 });
    expect(said({ now })).toEqual(['well', 'all well, 100 calls']);
    expect(said({ now: window({ succeeded: 90, success_ratio: 90 / 95 }) })).toEqual([
      'warn',
      '5 of 100 calls failed',
    ]);
  });

  it('is worth a look when routes fail, calls wait, or the first token takes markedly longer', () => {
    const failures = [{ node_id: 'a:all', cause: 'node_unreachable', count: 2 }];
    expect(said({ failures })).toEqual(['warn', 'failures, but other routes took over']);
    expect(said({ waiting: 3 })).toEqual(['warn', '3 waiting']);
    expect(said({ now: window({ p95_ttft_ms: 900 }), hour_ago: window() })).toEqual([
      'warn',
      'slower than an hour ago',
    ]);
    expect(said({ now: window({ p95_ttft_ms: 60 }), hour_ago: window({ p95_ttft_ms: 20 }) })[0]).toBe('well');
  });

  it('comes first where it is gravest', () => {
    const lines = [
      { model: 'idle', words: incidentWords(anIncident({ now: NONE }), true) },
      { model: 'well', words: incidentWords(anIncident(), true) },
      { model: 'bad', words: incidentWords(anIncident(), false) },
      { model: 'also well', words: incidentWords(anIncident(), true) },
    ];
    expect(byGravity(lines).map(({ model }) => model)).toEqual(['bad', 'well', 'also well', 'idle']);
  });
});

describe('the lines shown at first', () => {
  function lines(troubled: number, calm: number) {
    return Array.from({ length: troubled + calm }, (_, at) => ({
      words: incidentWords(anIncident({ waiting: at < troubled ? 1 : 0 }), true),
    }));
  }

  it('are all that are in trouble and some calm ones', () => {
    expect(shownAtFirst(lines(0, 5)).length).toBe(5);
    expect(shownAtFirst(lines(0, 50)).length).toBe(4);
    expect(shownAtFirst(lines(12, 50)).length).toBe(16);
  });

  it('leave room for the rest of the page when half the mesh is in trouble', () => {
    expect(shownAtFirst(lines(40, 10)).length).toBe(12);
  });
});

describe('a figure against an hour ago', () => {
  function changes(now: IncidentWindow, hour_ago: IncidentWindow) {
    return incidentWords(anIncident({ now, hour_ago }), true).figures.map(({ now: value, change }) => [
      value,
      change.way,
      change.isWorse,
      change.words,
    ]);
  }

  it('tells which way it went, and whether that is worse', () => {
    const now = window({ success_ratio: 0.975, p95_ttft_ms: 250, queued: 4 });
    expect(changes(now, window({ success_ratio: 0.996, p95_ttft_ms: 1500 }))).toEqual([
      ['97.5 %', 'down', true, 'from 99.6 %'],
      ['250 ms', 'down', false, 'from 1.5 s'],
      ['4', 'up', true, 'from 0'],
    ]);
  });

  it('is the same when it differs by less than one sees', () => {
    expect(changes(window(), window({ success_ratio: 0.9998, p95_ttft_ms: 305 }))).toEqual([
      ['100.0 %', 'same', false, 'as then'],
      ['300 ms', 'same', false, 'as then'],
      ['0', 'same', false, 'as then'],
    ]);
  });

  it('is unknown where one of them is', () => {
    expect(changes(window(), NONE).map(([, way]) => way)).toEqual(['unknown', 'unknown', 'unknown']);
    expect(changes(window(), NONE).map(([, , , words]) => words)).toEqual(['', '', '']);
    expect(changes(NONE, window())).toEqual([
      ['–', 'unknown', false, 'from 100.0 %'],
      ['–', 'unknown', false, 'from 300 ms'],
      ['0', 'unknown', false, 'from 0'],
    ]);
  });
});

describe('a failure', () => {
  it('names the node, if one was to blame, and the cause', () => {
    expect(failureText({ node_id: 'bob.cpu:0-39', cause: 'node_unreachable', count: 4 })).toBe(
      'bob.cpu:0-39 node_unreachable ×4',
    );
    expect(failureText({ node_id: null, cause: 'no_route', count: 1 })).toBe(
      '1 chat turned away: no_route (not on the call wall, unless queued before)',
    );
    expect(failureText({ node_id: null, cause: 'queue_full', count: 2 })).toBe('queue_full ×2');
  });
});
