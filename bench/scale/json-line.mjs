/** One kept connection for JSON, a call after the other, without an HTTP library: the sender must not be what is slow. */
import { connect } from 'node:net';

export class JsonLine {
  unread = '';
  waiting = [];

  constructor(url) {
    const { hostname, port } = new URL(url);
    this.host = `${hostname}:${port}`;
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.socket.setEncoding('latin1').on('data', (text) => this.take(text));
    const fail = (fault) => {
      for (const { reject } of this.waiting.splice(0)) reject(fault ?? new Error('hung up'));
    };
    this.socket.on('error', fail).on('close', () => fail());
  }

  /** @returns what the answer's body says, null where it has none; calls may be made before others are answered */
  call(method, path, body) {
    const text = body === undefined ? '' : JSON.stringify(body);
    const head = `${method} ${path} HTTP/1.1\r\nhost: ${this.host}\r\n`;
    const told =
      text === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.socket.write(`${head}${told}\r\n${text}`);
    });
  }

  close() {
    this.socket.destroy();
  }

  take(text) {
    this.unread += text;
    for (;;) {
      const headEnd = this.unread.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(this.unread.slice(0, headEnd))?.[1] ?? 0);
      const bodyEnd = headEnd + 4 + length;
      if (this.unread.length < bodyEnd) return;
      const status = Number(this.unread.slice(9, 12));
      const body = this.unread.slice(headEnd + 4, bodyEnd);
      this.unread = this.unread.slice(bodyEnd);
      this.answered(status, body);
    }
  }

  answered(status, body) {
    const { resolve, reject } = this.waiting.shift();
    if (status > 299) reject(new Error(`answered ${status}: ${body}`));
    else resolve(body === '' ? null : JSON.parse(body));
  }
}
