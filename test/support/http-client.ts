import { once } from 'node:events';
import {
  request,
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';

export interface Outgoing {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer | object;
  /** Whose connections are used; without one, the request has a connection of its own. */
  readonly agent?: Agent;
  /** Sent chunk by chunk, without a length. */
  readonly chunks?: readonly (string | Buffer)[];
}

/** An answer read to its end. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  /** False: the connection broke before the answer was whole. */
  readonly isWhole: boolean;
}

export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** An answer that has only begun. */
export interface OpenReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly response: IncomingMessage;
  /** Hangs up. */
  leave(): void;
  /** Resolves when the text so far holds `part`. */
  until(part: string): Promise<string>;
  /** The rest, read to its end. */
  rest(): Promise<Reply>;
}

/** Sends a request. Nothing is added to its headers but framing. */
export function start(
  url: string,
  { method = 'GET', headers = {}, body, agent, chunks }: Outgoing,
): ClientRequest {
  const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  const bytes = isJson ? JSON.stringify(body) : body;
  const sent = request(url, {
    method,
    agent: agent ?? false,
    headers: {
      ...(body === undefined && chunks === undefined ? {} : { 'content-type': 'application/json' }),
      ...(bytes === undefined ? {} : { 'content-length': String(Buffer.byteLength(bytes)) }),
      ...headers,
    },
  });
  // Whoever hangs up, or waits for the answer, hears of it there.
  sent.on('error', () => undefined);
  for (const chunk of chunks ?? []) sent.write(chunk);
  sent.end(bytes);
  return sent;
}

/** Resolves with the answer's beginning. */
export async function open(url: string, outgoing: Outgoing): Promise<OpenReply> {
  const sent = start(url, outgoing);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return new Opened(sent, response);
}

export async function send(url: string, outgoing: Outgoing = {}): Promise<Reply> {
  return (await open(url, outgoing)).rest();
}

export function jsonOf(reply: Reply): unknown {
  return JSON.parse(reply.text);
}

export function errorOf(reply: Reply): ErrorBody['error'] {
  return (jsonOf(reply) as ErrorBody).error;
}

/** Payloads of the data events of a stream, `[DONE]` included. */
export function dataOf(stream: string): string[] {
  return stream
    .split(/\r\n\r\n|\n\n|\r\r/)
    .flatMap((block) => block.split(/\r\n|\n|\r/))
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim());
}

class Opened implements OpenReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  private readonly parts: Buffer[] = [];
  private readonly closed: Promise<unknown>;
  private isListening = false;

  constructor(
    private readonly sent: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.on('error', () => undefined);
    this.closed = new Promise((resolve) => response.once('close', resolve));
  }

  leave(): void {
    this.sent.destroy();
  }

  async until(part: string): Promise<string> {
    this.listen();
    while (!this.text.includes(part)) {
      if (this.response.closed)
        throw new Error(`the answer ended in ${JSON.stringify(this.text.slice(-200))}`);
      await Promise.race([once(this.response, 'data'), this.closed]);
    }
    return this.text;
  }

  async rest(): Promise<Reply> {
    this.listen();
    await this.closed;
    const { status, headers, text } = this;
    return { status, headers, text, body: Buffer.concat(this.parts), isWhole: this.response.complete };
  }

  private get text(): string {
    return Buffer.concat(this.parts).toString();
  }

  private listen(): void {
    if (this.isListening) return;
    this.isListening = true;
    this.response.on('data', (part: Buffer) => this.parts.push(part)).resume();
  }
}
