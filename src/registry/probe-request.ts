import {
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as requestHttps } from 'node:https';

/** Transport of one probe: ends the request after a time limit, and tells a slow server from one that is not there. */
export class ProbeRequest {
  /** The server's port accepted the connection. */
  isAccepted = false;
  /** The answer was not whole within the limit; connecting counts. */
  isLate = false;

  constructor(private readonly timeoutMs: number) {}

  /** Sends the request; axios calls this in place of its own transports. */
  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
    const send = options.protocol === 'https:' ? requestHttps : requestHttp;
    const sent = send(options, onResponse);
    sent.once('socket', (socket) => socket.once('connect', () => (this.isAccepted = true)));
    const timer = setTimeout(() => {
      this.isLate = true;
      sent.destroy(new Error('late'));
    }, this.timeoutMs);
    sent.once('close', () => clearTimeout(timer));
    return sent;
  }
}
