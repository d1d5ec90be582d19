import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { freePort } from './free-port.js';

describe('a free port', () => {
  it('is the wanted one, unless that is busy', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    expect(await freePort(port)).not.toBe(port);
    holder.close();
    await once(holder, 'close');
    expect(await freePort(port)).toBe(port);
  });
});
