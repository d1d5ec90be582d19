import { once } from 'node:events';
import { createServer } from 'node:net';

const NEIGHBOURS = 20;

/** `wanted` if it is free on this machine's loopback, else one of the next ports, else 0, which takes any. */
export async function freePort(wanted: number): Promise<number> {
  for (let port = wanted; port <= Math.min(wanted + NEIGHBOURS, 65_535); port += 1) {
    if (await isFree(port)) return port;
  }
  return 0;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
