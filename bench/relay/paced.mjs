/** One thread of the paced sender: its share of the requests, and how long each took. */
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { url, headers, body, perSecond, seconds } = workerData;
const { hostname, port, pathname } = new URL(url);
const bytes = requestBytes();
const idle = [];
const open = new Set();
const tookMs = [];
let errors = 0;

for (let n = 0; n < 4; n += 1) idle.push(line());
const startedAt = performance.now();
/** Threads that begin together must not go on together. */
const phase = Math.random();
let sent = 0;
turn();

function turn() {
  const now = performance.now() - startedAt;
  if (now > seconds * 1000) {
    setTimeout(finish, 300);
    return;
  }
  for (; sent + phase < (now / 1000) * perSecond; sent += 1) (idle.pop() ?? line())();
  // Not in every turn of the loop: the sender must not take the CPU of those it measures.
  setTimeout(turn, 1);
}

function finish() {
  for (const socket of open) socket.destroy();
  parentPort.postMessage({ tookMs, errors });
}

/** A connection that asks again each time it is called. */
function line() {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  open.add(socket);
  socket.on('error', () => (errors += 1));
  return function ask() {
    const sentAt = performance.now();
    let answer = '';
    socket.on('data', function more(part) {
      answer += part.latin1Slice();
      if (!isWhole(answer)) return;
      socket.off('data', more);
      if (answer.startsWith('HTTP/1.1 200')) tookMs.push(performance.now() - sentAt);
      else errors += 1;
      idle.push(ask);
    });
    socket.write(bytes);
  };
}

function requestBytes() {
  const lines = Object.entries({
    host: `${hostname}:${port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

function isWhole(answer) {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /content-length: *(\d+)/i.exec(answer.slice(0, headEnd))?.[1];
  if (length === undefined) return answer.endsWith('\r\n0\r\n\r\n');
  return answer.length >= headEnd + 4 + Number(length);
}
