import { describe, expect, it } from '@jest/globals';
import { listOf, named, text } from '../openapi/index.js';
import { Components } from './components.js';

describe('components', () => {
  const id = named('Id', text('An id.'));

  it('are told once and referred to wherever they stand', () => {
    const components = new Components();
    const ids = named('Ids', listOf('Ids.', id));
    expect(components.refer({ first: id, all: [ids], at: 1, none: null })).toEqual({
      first: { $ref: '#/components/schemas/Id' },
      all: [{ $ref: '#/components/schemas/Ids' }],
      at: 1,
      none: null,
    });
    expect(components.schemas).toEqual({
      Id: { type: 'string', description: 'An id.' },
      Ids: { type: 'array', description: 'Ids.', items: { $ref: '#/components/schemas/Id' } },
    });
  });

  it('refuse two schemas of one name', () => {
    const components = new Components();
    components.refer(id);
    components.refer(named('Id', text('An id.')));
    expect(() => components.refer(named('Id', text('Something else.')))).toThrow('two schemas are named Id');
  });
});
