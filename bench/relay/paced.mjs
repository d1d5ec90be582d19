/**
 * The paced sender, a process that is started once: an order in, figures out. This thread reads the answers, that of
 * clock.mjs sends. Bare sockets, one buffer to read into and no text made of answers: what it uses of the CPU is taken
 * from those it measures.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { clockOffset, GIVEN_BACK, LINES, sharedLines } from './lines.mjs';

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_CHUNKS = END_OF_HEAD.readInt32BE(0);
const STATUS_200 = Buffer.from(' 200').readInt32BE(0);
const STATUS_AT = 'HTTP/1.1'.length;

const lines = sharedLines();
const { counters, givenBack, closed, dueAt, sentAt } = lines;
const clock = new Worker(new URL('clock.mjs', import.meta.url), { workerData: lines });
const offset = clockOffset();
/** All sockets read into it: what came is looked at before the next one reads. */
const inbox = Buffer.allocUnsafeSlow(64 * 1024);

/** Of the order at work. */
let cell;

process.on('message', async (order) => process.send(await run(order)));
process.on('disconnect', () => process.exit(0));

async function run({ url, headers, body, perSecond, seconds, warmUpSeconds }) {
  const bytes = requestBytes(new URL(url), headers, body);
  cell = newCell(Math.ceil(perSecond * seconds) + LINES);
  closed.fill(0);
  const sockets = await Promise.all(Array.from({ length: LINES }, (_, line) => open(line, new URL(url))));
  await firstOfEach(sockets, bytes);
  const startAt = performance.now() + offset + 5;
  cell.countFrom = startAt + warmUpSeconds * 1000;
  const until = cell.countFrom + seconds * 1000;
  const descriptors = sockets.map((socket) => socket._handle?.fd ?? -1);
  const counted = once(clock, 'message');
  clock.postMessage({ descriptors, bytes, perSecond, startAt, countFrom: cell.countFrom, until });
  const cpu = await cpuBetween(cell.countFrom, until);
  const [counts] = await counted;
  const sent = counts.due - counts.late - counts.noLine - counts.failed;
  for (let look = 0; look < 50 && cell.answered + cell.errors < sent; look += 1) await sleep(10);
  const { errors, answered, answers } = cell;
  await Promise.all(sockets.map(close));
  const took = cell.took.subarray(0, answered).sort();
  const sinceDue = cell.sinceDue.subarray(0, answered).sort();
  return {
    ...counts,
    answers,
    errors: errors + counts.failed,
    unanswered: sent - answered - errors,
    ofRate: answered / (perSecond * seconds),
    p50Ms: quantile(took, 0.5),
    p99Ms: quantile(took, 0.99),
    sinceDueP50Ms: quantile(sinceDue, 0.5),
    sinceDueP99Ms: quantile(sinceDue, 0.99),
    senderMicros: cpu / answered,
  };
}

function newCell(room) {
  return {
    /** Those due before it are warm-up. */
    countFrom: Infinity,
    /** Of all, warm-up too. */
    answers: 0,
    answered: 0,
    errors: 0,
    bodyLength: undefined,
    took: new Float64Array(room),
    sinceDue: new Float64Array(room),
  };
}

/** All at once, before anything is timed: who stands in between opens as many connections onward as it may need. */
async function firstOfEach(sockets, bytes) {
  for (const socket of sockets) socket.write(bytes);
  for (let look = 0; look < 1000 && cell.answers < LINES; look += 1) await sleep(10);
  if (cell.answers < LINES)
    throw new Error(`${cell.answers} of ${LINES} first requests were answered in 10 s`);
}

async function cpuBetween(from, until) {
  await sleep(from - offset - performance.now());
  const before = process.cpuUsage();
  await sleep(until - offset - performance.now());
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function open(line, { hostname, port }) {
  const reading = { line, inAnswer: false, good: false, missing: 0, last: 0 };
  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: { buffer: inbox, callback: (length) => read(reading, length) },
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    closed[line] = 1;
    // One that breaks off; those without any answer are the ones that are missing in the end.
    if (reading.inAnswer) cell.errors += 1;
  });
  await once(socket, 'connect');
  return socket;
}

async function close(socket) {
  if (socket.closed) return;
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
}

/** An answer has a length, which is the same for all, or comes in chunks; its head may be of any length. */
function read(reading, length) {
  let from = 0;
  if (!reading.inAnswer) {
    from = inbox.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
    if (from < END_OF_HEAD.length || from > length)
      throw new Error('a head that comes in parts: not foreseen');
    reading.inAnswer = true;
    reading.good = inbox.readInt32BE(STATUS_AT) === STATUS_200;
    reading.missing = bodyLength(reading.good, from);
    reading.last = 0;
  }
  if (isWhole(reading, from, length)) done(reading);
  return true;
}

/** Learned from the first good answer: a head need not be looked through. */
function bodyLength(good, headLength) {
  if (!good) return declaredLength(inbox.latin1Slice(0, headLength));
  if (cell.bodyLength === undefined) cell.bodyLength = declaredLength(inbox.latin1Slice(0, headLength));
  return cell.bodyLength;
}

function isWhole(reading, from, length) {
  if (reading.missing !== null) return (reading.missing -= length - from) <= 0;
  // Each chunk ends with one line's end, the last with two. They may come in two parts.
  let { last } = reading;
  for (let at = Math.max(from, length - 4); at < length; at += 1) last = (last << 8) | inbox[at];
  reading.last = last;
  return last === END_OF_CHUNKS;
}

function done(reading) {
  const { line } = reading;
  const now = performance.now() + offset;
  reading.inAnswer = false;
  cell.answers += 1;
  if (dueAt[line] >= cell.countFrom) {
    if (reading.good) {
      cell.took[cell.answered] = now - sentAt[line];
      cell.sinceDue[cell.answered] = now - dueAt[line];
      cell.answered += 1;
    } else cell.errors += 1;
  }
  if (cell.countFrom === Infinity) return;
  const end = counters[GIVEN_BACK];
  givenBack[end % LINES] = line;
  Atomics.store(counters, GIVEN_BACK, end + 1);
}

/** null: it comes in chunks. */
function declaredLength(head) {
  const length = /content-length: *(\d+)/i.exec(head)?.[1];
  return length === undefined ? null : Number(length);
}

function requestBytes({ hostname, port, pathname }, headers, body) {
  const fields = Object.entries({
    host: `${hostname}:${port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${fields.join('')}\r\n${body}`);
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
