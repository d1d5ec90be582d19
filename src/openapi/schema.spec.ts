import { describe, expect, it } from '@jest/globals';
import { COMPONENT, listOf, named, objectOf, oneOf, optional, orNull, text, whole } from './schema.js';

interface Row {
  readonly id: string;
  readonly state: 'open' | 'closed';
  readonly count: number | null;
  readonly phase?: string;
}

const id = text('An id.');
const state = oneOf<Row['state']>('Where it stands.', { open: 'still', closed: 'no more' });
const count = orNull(whole('How many.'), 'nobody counted');
const phase = optional(text('What it does.'));

describe('a schema', () => {
  it('has all properties of its interface and no other, and requires those that are always there', () => {
    expect(objectOf<Row>('A row.', { id, state, count, phase })).toEqual({
      type: 'object',
      description: 'A row.',
      required: ['id', 'state', 'count'],
      properties: {
        id: { type: 'string', description: 'An id.' },
        state: {
          type: 'string',
          description: 'Where it stands.\n\n- `open`: still\n- `closed`: no more',
          enum: ['open', 'closed'],
        },
        count: { type: ['integer', 'null'], description: 'How many. null: nobody counted.', minimum: 0 },
        phase: { type: 'string', description: 'What it does.' },
      },
      additionalProperties: false,
    });
  });

  it('is not compiled when it differs from its interface', () => {
    // @ts-expect-error a key is missing
    objectOf<Row>('', { id, state, count });
    // @ts-expect-error a key too many
    objectOf<Row>('', { id, state, count, phase, more: id });
    // @ts-expect-error a null that isn't told
    objectOf<Row>('', { id, state, count: whole(''), phase });
    // @ts-expect-error a null that never comes
    objectOf<Row>('', { id: orNull(id, 'never'), state, count, phase });
    // @ts-expect-error a property that may be left out
    objectOf<Row>('', { id, state, count, phase: text('') });
    // @ts-expect-error a name that isn't told
    objectOf<Row>('', { id, state: oneOf('', { open: '' }), count, phase });
    // @ts-expect-error a name that never comes
    objectOf<Row>('', { id, state: oneOf('', { open: '', closed: '', ajar: '' }), count, phase });
    // @ts-expect-error any text at all
    objectOf<Row>('', { id, state: text(''), count, phase });
    expect(true).toBe(true);
  });

  it('takes null beside its names', () => {
    expect(orNull(state, 'unknown')).toMatchObject({
      type: ['string', 'null'],
      enum: ['open', 'closed', null],
    });
  });

  it('keeps its name to itself when it may be null', () => {
    const row = named('Row', listOf('Rows.', id));
    expect(row[COMPONENT]).toBe('Row');
    const either = orNull(row, 'none');
    expect(either[COMPONENT]).toBeUndefined();
    expect(either.anyOf).toEqual([row, { type: 'null' }]);
  });
});
