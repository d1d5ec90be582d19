import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { EngineRecording } from '../../support/engine-recording.js';
import type { RecordedCase } from './cases.js';

type Answer = Omit<EngineRecording, 'engine'>;

/** Asks an engine, and returns what it answered; `onText` is called with all of the body so far. */
export async function ask(
  url: string,
  { path, body }: RecordedCase,
  onText: (text: string) => void = () => undefined,
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const asked = { method: 'POST', path, body: text };
  const sent = request(url + path, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
  });
  sent.end(text);
  const response = await responseOf(sent);
  if (response === null) return { request: asked, status: null, headers: [], chunks: [], isWhole: false };
  const chunks = await chunksOf(response, onText);
  return {
    request: asked,
    status: response.statusCode ?? 0,
    headers: response.rawHeaders,
    chunks,
    isWhole: response.complete,
  };
}

async function responseOf(sent: ReturnType<typeof request>): Promise<IncomingMessage | null> {
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  } catch {
    return null;
  }
}

/** A chunk that ends within a character goes on to the next. */
async function chunksOf(response: IncomingMessage, onText: (text: string) => void): Promise<string[]> {
  const chunks: string[] = [];
  const decoder = new TextDecoder('utf-8', { fatal: true });
  response.on('data', (part: Buffer) => {
    const text = decoder.decode(part, { stream: true });
    if (text !== '') chunks.push(text);
    onText(chunks.join(''));
  });
  response.on('error', () => undefined);
  await new Promise((resolve) => response.once('close', resolve));
  return chunks;
}
