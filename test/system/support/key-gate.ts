import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const REFUSED = {
  error: {
    ...{ message: 'Give an API key.', type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
  },
};

/** Stands before a tracker and lets nobody at its API without the key; the page itself is everybody's. */
export class KeyGate {
  /** Of each request let through to the API: its path. */
  readonly passed: string[] = [];
  readonly refused: string[] = [];
  private readonly server = createServer((asked, answer) => this.take(asked, answer));

  constructor(
    private readonly trackerUrl: string,
    public key: string,
  ) {}

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async end(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private take(asked: IncomingMessage, answer: ServerResponse): void {
    const path = asked.url ?? '/';
    const isOpen = !path.startsWith('/v1/') || asked.headers.authorization === `Bearer ${this.key}`;
    (isOpen ? this.passed : this.refused).push(path);
    if (isOpen) this.pass(asked, answer);
    else answer.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(REFUSED));
  }

  private pass(asked: IncomingMessage, answer: ServerResponse): void {
    const { method, headers, url = '/' } = asked;
    const onward = request(this.trackerUrl + url, { method, headers, agent: false }, (came) => {
      answer.writeHead(came.statusCode ?? 502, came.headers);
      came.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  }
}
