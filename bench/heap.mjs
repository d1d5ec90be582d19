/**
 * What the tracker holds in memory: its heap after 1,000 calls and after 10,000 completed and 10,000 aborted ones, what
 * 50,000 chats with names of models that nobody knows add to it and to /metrics, and how much it grows while a client
 * doesn't read a stream of 200 MB. Prints figures; it is no test.
 *
 *     npm run bench:heap
 *
 * The tracker has a process of its own (heap-tracker.mjs), so that nothing of heads and clients is counted.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { answerWell, chunk, deltaEvent, SSE_START } from './answers.mjs';
import { cameTrue } from './ask.mjs';
import { RawHead } from './raw-head.mjs';

const FIRST = 1_000;
const COMPLETED = 10_000;
const ABORTED = 10_000;
const RANDOM_NAMES = 50_000;
const AT_ONCE = 50;
const STREAM_BYTES = 200_000_000;
const MEBIBYTE = 1024 * 1024;
const STALLED_MS = 500;

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const tracker = fork(new URL('heap-tracker.mjs', import.meta.url), { execArgv: ['--expose-gc'] });
const { url } = await told();
let waitingChat = null;
const good = await new RawHead(answerWell).start();
const silent = await new RawHead(() => waitingChat?.()).start();
let taken = 0;
const fast = await new RawHead(pourOut).start();
for (const [model, head] of Object.entries({ good, silent, fast })) {
  await post('/v1/nodes', { wallet: model, endpoint: head.url, model });
}

await complete(FIRST);
const start = await memory();
console.log(`after ${FIRST} calls: heap ${mebibytes(start.heapUsed)}, RSS ${mebibytes(start.rss)}`);
await complete(COMPLETED);
await abort(ABORTED);
const end = await memory();
const growth = ((end.heapUsed / start.heapUsed - 1) * 100).toFixed(1);
console.log(`after ${COMPLETED} completed and ${ABORTED} aborted more: heap ${mebibytes(end.heapUsed)}`);
console.log(`  grown by ${growth} % (limit 10 %), RSS ${mebibytes(end.rss)}`);

// One first, so that what counts them is there.
await askForNobody(1);
const seriesBefore = await series();
const beforeNames = await memory();
await askForNobody(RANDOM_NAMES);
const afterNames = await memory();
const grownByNames = ((afterNames.heapUsed / beforeNames.heapUsed - 1) * 100).toFixed(1);
console.log(`after ${RANDOM_NAMES} chats with random model names: heap ${mebibytes(afterNames.heapUsed)}`);
console.log(
  `  grown by ${grownByNames} % (limit 5 %), series ${seriesBefore} before, ${await series()} after`,
);

const before = await memory();
const unread = send({ model: 'fast', stream: true });
const [answer] = await once(unread, 'response');
await stalls();
const paused = await memory();
console.log(
  `a client that reads nothing of ${STREAM_BYTES / 1e6} MB: ${mebibytes(taken)} taken from the head,`,
);
console.log(`  RSS grown by ${((paused.rss - before.rss) / 1e6).toFixed(1)} MB (limit 20 MB)`);
answer.destroy();

agent.destroy();
tracker.send('stop');
await once(tracker, 'exit');
await Promise.all([good, silent, fast].map((head) => head.end()));

async function told() {
  const [message] = await once(tracker, 'message');
  return message;
}

/** Of the tracker, after its garbage was collected. */
async function memory() {
  tracker.send('memory');
  return told();
}

function mebibytes(bytes) {
  return `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

function send(body, path = '/v1/chat/completions', from = false) {
  const text = JSON.stringify(body);
  const sent = request(url + path, {
    method: 'POST',
    agent: from,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
  });
  sent.on('error', () => undefined);
  sent.end(text);
  return sent;
}

async function post(path, body, from = false) {
  const [reply] = await once(send(body, path, from), 'response');
  reply.resume();
  await once(reply, 'end');
  if (reply.statusCode > 299) throw new Error(`${path} answered ${reply.statusCode}`);
}

/** Series of /metrics but for the event loop's quantiles, which are not there for a moment after each scrape. */
async function series() {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text.split('\n').filter((line) => /^[a-z]/.test(line) && !line.includes('quantile=')).length;
}

async function askForNobody(count) {
  let left = count;
  const client = async () => {
    while (left-- > 0) {
      const model = `nobody-${Math.random().toString(36)}`;
      const [reply] = await once(send({ model }, undefined, agent), 'response');
      reply.resume();
      await once(reply, 'end');
      if (reply.statusCode !== 404) throw new Error(`a name that nobody knows got ${reply.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

async function complete(count) {
  let left = count;
  const client = async () => {
    while (left-- > 0) {
      await post('/v1/chat/completions', { model: 'good', stream: left % 2 === 0 }, agent);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

/** Hangs up as soon as the head has the chats. */
async function abort(count) {
  for (let done = 0; done < count; done += AT_ONCE) {
    let arrived = 0;
    const all = new Promise((resolve) => {
      waitingChat = () => (++arrived === AT_ONCE ? resolve() : undefined);
    });
    const sent = Array.from({ length: AT_ONCE }, () => send({ model: 'silent', stream: done % 2 === 0 }));
    await all;
    for (const each of sent) each.destroy();
    if (!(await cameTrue(() => silent.openAnswers === 0, 5000))) throw new Error('heads are kept at work');
  }
}

/** Writes as fast as it is read. */
function pourOut({ socket }) {
  const part = chunk(deltaEvent('x'.repeat(64 * 1024)));
  const next = () => {
    if (socket.destroyed || taken >= STREAM_BYTES) return;
    socket.write(part, () => {
      taken += part.length;
      next();
    });
  };
  socket.write(SSE_START);
  next();
}

/** Waits until nothing more is taken from the head. */
async function stalls() {
  let seen = -1;
  let since = performance.now();
  await cameTrue(() => {
    if (taken !== seen) [seen, since] = [taken, performance.now()];
    return taken > 0 && performance.now() - since > STALLED_MS;
  }, 20_000);
}
