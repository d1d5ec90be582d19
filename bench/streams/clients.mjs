/**
 * Opens so many streams, at most so many more each second, and follows each to its end; one that has not ended long after it
 * should have is lost. Prints `open` once all are, `ending` when the first ends, then one line of JSON.
 *
 *     node clients.mjs URL STREAMS A_SECOND TOKENS
 */
import { connect } from 'node:net';
import { Delays } from './delays.mjs';
import { eachToken, nowMicros } from './tokens.mjs';

const [url, ...numbers] = process.argv.slice(2);
const [count, perSecond, tokens] = numbers.map(Number);
const { hostname, port } = new URL(url);
const BODY = JSON.stringify({
  model: 'bench',
  stream: true,
  max_tokens: tokens,
  messages: [{ role: 'user', content: 'hi' }],
});
const REQUEST =
  `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\n` +
  `content-length: ${BODY.length}\r\n\r\n${BODY}`;
/** What comes after the last token. */
const ENDING = /data: \[DONE\]\n\n\r\n0\r\n\r\n$/;
const ENDING_BYTES = 64;
const NOTHING = Buffer.alloc(0);
const GRACE_SECONDS = 60;
/** More at once would wait longer in the kernel's queue than it keeps them. */
const MOST_UNANSWERED = 200;

/** Opening and ending take much of whoever is measured, and the other streams feel it. */
const delays = { opening: new Delays(), open: new Delays(), ending: new Delays() };
let phase = 'opening';
let opened = 0;
let answered = 0;
let whole = 0;
let ended = 0;
const faults = new Map();
const startedAt = performance.now();
const opening = setInterval(() => {
  const due = Math.min(count, ((performance.now() - startedAt) / 1000) * perSecond);
  for (; opened < due && opened - answered < MOST_UNANSWERED; opened += 1) follow();
  if (opened === count) clearInterval(opening);
}, 1);

function follow() {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let seen = 0;
  let ending = '';
  let rest = NOTHING;
  socket.write(REQUEST);
  socket.on('data', (arrived) => {
    const bytes = rest.length === 0 ? arrived : Buffer.concat([rest, arrived]);
    const now = nowMicros();
    const unfinished = eachToken(bytes, (sentAt, number) => {
      if (number !== seen) note('a token out of order');
      delays[phase].add((now - sentAt) / 1000);
      seen += 1;
      if (seen === 1) begun();
    });
    rest = unfinished === 0 ? NOTHING : bytes.subarray(bytes.length - unfinished);
    if (seen === 0 && !bytes.includes('HTTP/1.1 200')) note(bytes.latin1Slice().split('\r\n', 1)[0]);
    if (seen < tokens) return;
    ending = (ending + bytes.subarray(-ENDING_BYTES).latin1Slice()).slice(-ENDING_BYTES);
    if (!ENDING.test(ending)) return;
    if (seen === tokens) whole += 1;
    else note('too many tokens');
    socket.end();
  });
  socket.on('error', ({ message }) => note(`${message} ${seen === 0 ? 'before' : 'after'} the first token`));
  socket.on('close', () => {
    if (seen === 0) begun();
    ended += 1;
    if (ended === 1) enter('ending');
    if (ended === count) finish();
  });
}

function begun() {
  answered += 1;
  if (answered === count && phase === 'opening') enter('open');
}

function enter(next) {
  phase = next;
  console.log(phase);
}

setTimeout(
  () => {
    note('did not end', count - ended);
    finish();
  },
  (count / perSecond + tokens + GRACE_SECONDS) * 1000,
);

function note(fault, times = 1) {
  faults.set(fault, (faults.get(fault) ?? 0) + times);
}

function finish() {
  const told = [...faults].map(([fault, times]) => `${times} × ${fault}`);
  const summaries = Object.entries(delays).map(([name, seen]) => [name, seen.summary()]);
  console.log(JSON.stringify({ lost: count - whole, faults: told, ...Object.fromEntries(summaries) }));
  process.exit(0);
}
