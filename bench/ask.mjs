import { once } from 'node:events';
import { request } from 'node:http';

/** Sends a chat on a connection of its own and reads what comes, to the end or until it breaks. */
export async function chat(url, body) {
  const text = JSON.stringify(body);
  const sent = request(`${url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
  });
  sent.end(text);
  const [answer] = await once(sent, 'response');
  const parts = [];
  answer.on('data', (part) => parts.push(part));
  answer.on('error', () => undefined);
  await new Promise((resolve) => answer.once('close', resolve));
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: Buffer.concat(parts).toString(),
    isWhole: answer.complete,
  };
}

/** Waits until `holds()`, looking every few milliseconds. @returns whether it came to that within `limitMs` */
export async function cameTrue(holds, limitMs) {
  const until = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return true;
}
