import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Candidate } from '../api/types.js';
import { aCandidate } from '../support/answers.js';
import { columnsOf, ROUTE_COLUMNS } from './route-columns.js';
import { ordered, pressed, readOrder, USUAL_ORDER, writeOrder } from './route-order.js';

function signatures(candidates: readonly Candidate[]): string {
  return candidates.map(({ signature }) => signature).join('');
}

describe('the order of routes', () => {
  const a = aCandidate({ signature: 'a', tps: 5, traffic_share: 0.2, status: 'stale' });
  const b = aCandidate({ signature: 'b', tps: null, traffic_share: 0.5, status: 'unsampled' });
  const c = aCandidate({ signature: 'c', tps: 30, traffic_share: 0.3, status: 'proven' });

  it('is by traffic at first', () => {
    expect(signatures(ordered([a, b, c], USUAL_ORDER))).toBe('bca');
  });

  it('puts what is unknown last, whichever way', () => {
    expect(signatures(ordered([a, b, c], { key: 'tps', direction: 'descending' }))).toBe('cab');
    expect(signatures(ordered([a, b, c], { key: 'tps', direction: 'ascending' }))).toBe('acb');
  });

  it('ranks statuses by how much is known, not by letter', () => {
    expect(signatures(ordered([a, b, c], { key: 'status', direction: 'ascending' }))).toBe('cab');
  });

  it('does not depend on the order in which the tracker names them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(null, 1, 2), { maxLength: 8 }),
        fc.constantFrom(...ROUTE_COLUMNS.map(({ key }) => key)),
        fc.constantFrom('ascending' as const, 'descending' as const),
        (values, key, direction) => {
          const some = values.map((tps, at) => aCandidate({ signature: String(at), tps, coefficient: tps }));
          const turned = [...some].reverse();
          expect(ordered(turned, { key, direction })).toEqual(ordered(some, { key, direction }));
        },
      ),
    );
  });

  it('turns round when the same head is pressed again, else goes the way that column is wanted', () => {
    expect(pressed(USUAL_ORDER, 'share').direction).toBe('ascending');
    expect(pressed(pressed(USUAL_ORDER, 'share'), 'share')).toEqual(USUAL_ORDER);
    expect(pressed(USUAL_ORDER, 'route')).toEqual({ key: 'route', direction: 'ascending' });
    expect(pressed(USUAL_ORDER, 'tps')).toEqual({ key: 'tps', direction: 'descending' });
  });

  it('is kept as text, and the usual one where that text says nothing', () => {
    const order = { key: 'weight', direction: 'ascending' } as const;
    expect(readOrder(writeOrder(order))).toEqual(order);
    for (const text of [null, '', 'weight', 'height ascending', 'weight up']) {
      expect(readOrder(text)).toEqual(USUAL_ORDER);
    }
  });
});

describe('the columns', () => {
  it('write tokens/s with one decimal and no grouping, and what is unknown as such', () => {
    const written = (candidate: Candidate) =>
      Object.fromEntries(ROUTE_COLUMNS.map(({ key, text }) => [key, text(candidate)]));
    expect(
      written(
        aCandidate({
          tps: 12345.67,
          coefficient: 0.4,
          traffic_share: 0.2886,
          weight: 0.9995,
          prior_tps: 15,
          last_sample_seconds_ago: 0.37,
        }),
      ),
    ).toMatchObject({
      tps: '12345.7',
      coefficient: '0.40',
      share: '28.9 %',
      weight: '1.00',
      prior: '15.0',
      last_sample: '0 s ago',
    });
    expect(
      written(aCandidate({ tps: null, coefficient: null, last_sample_seconds_ago: null })),
    ).toMatchObject({ tps: '–', coefficient: '–', last_sample: '–' });
  });
});

describe('the columns of a table', () => {
  const names = (more: Partial<Candidate>) => columnsOf([aCandidate(more)]).map(({ key }) => key);

  it('tell recent shares and predictions only where the policy makes any', () => {
    expect(names({})).not.toContain('predicted');
    expect(names({ recent_share: null, predicted_seconds_200: null })).toEqual(
      expect.arrayContaining(['recent', 'predicted']),
    );
  });

  it('write them', () => {
    const candidate = aCandidate({ recent_share: 0.125, predicted_seconds_200: 6.25 });
    const text = Object.fromEntries(
      columnsOf([candidate]).map((column) => [column.key, column.text(candidate)]),
    );
    expect(text).toMatchObject({ recent: '12.5 %', predicted: '6.3 s' });
  });
});
