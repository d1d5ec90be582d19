import { afterEach, describe, expect, it } from '@jest/globals';
import { errorOf } from '../../support/http-client.js';
import { Stage } from '../../support/stage.js';

const MODEL = 'm';
const stage = new Stage();
afterEach(() => stage.end());

/** @returns status and code for this share of scouts; 422 is a replay of too few calls, so the number was taken */
async function replayed(...shares: string[]): Promise<unknown[]> {
  const { api } = await stage.tracker();
  await api.register({ wallet: 'a', endpoint: (await stage.head()).url, model: MODEL });
  const replies: unknown[] = [];
  for (const share of shares) {
    const query = new URLSearchParams({ model: MODEL, explore_share: share });
    const reply = await api.get(`/v1/routing/replay?${query.toString()}`);
    replies.push([share, reply.status, errorOf(reply).code]);
  }
  return replies;
}

describe('C28: a number in the query of a replay', () => {
  it('is taken as JavaScript, Python and people spell it', async () => {
    const shares = ['0.6942558138517759', '.5', '1e-1', '1.', '+0.5', '5E-324', `0.${'3'.repeat(400)}`];
    expect(await replayed(...shares)).toEqual(shares.map((share) => [share, 422, 'too_few_calls']));
  });

  it('is refused when it is out of range or no plain decimal number', async () => {
    const shares = ['1.0000000000000002', '-.5', '1e1', '0x1', '0 .5', ' .5', 'NaN', 'Infinity', '', '1,0'];
    expect(await replayed(...shares)).toEqual(shares.map((share) => [share, 400, 'invalid_request']));
  });
});
