import { describe, expect, it } from '@jest/globals';
import { ModelNotFoundError, NoRouteError, OverloadedError } from '../kernel/index.js';
import { bodyFaults, faults, pathFault } from './faults.js';

describe('the answers to faults', () => {
  const noRoute = new NoRouteError('Nobody serves layers 3-5.', [], 5);

  it('have the status, code, header and words that a client gets', () => {
    const answers = faults(new ModelNotFoundError('m'), noRoute, new OverloadedError('Too many.'));
    expect(Object.keys(answers)).toEqual(['404', '503']);
    expect(answers['404']?.headers).toBeUndefined();
    expect(answers['503']?.headers).toHaveProperty('retry-after');
    expect(answers['503']?.description).toContain('`no_route`, `overloaded`');
    expect(answers['503']?.content?.['application/json']?.examples).toEqual({
      no_route: {
        summary: 'Nobody serves layers 3-5.',
        value: {
          error: {
            message: 'Nobody serves layers 3-5.',
            type: 'server_error',
            param: null,
            code: 'no_route',
          },
        },
      },
      overloaded: { summary: 'Too many.', value: { error: expect.objectContaining({ code: 'overloaded' }) } },
    });
  });

  it('show two examples of one code', () => {
    const [answer] = Object.values(faults(pathFault(), ...bodyFaults()));
    expect(Object.keys(answer?.content?.['application/json']?.examples ?? {})).toEqual([
      'invalid_request',
      'invalid_request_2',
    ]);
  });
});
