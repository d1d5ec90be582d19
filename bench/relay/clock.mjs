/**
 * The thread of the paced sender that sends. A timer of the event loop knows whole milliseconds only, and would send
 * several at once; this one has no event loop while it works: it sleeps for fractions of a millisecond, and writes to
 * the sockets' descriptors itself.
 */
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { clockOffset, GIVEN_BACK, LINES, SLEEP } from './lines.mjs';

const { counters, givenBack, closed, dueAt, sentAt } = workerData;
const offset = clockOffset();
/**
 * What a stall of the machine makes it miss is not sent in one go afterwards, as it would measure its own burst: so many
 * milliseconds may be made up for, none closer to the last than this share of the usual gap; the rest is not sent, and
 * counted.
 */
const MOST_BEHIND_MS = 4;
const LEAST_GAP = 0.7;
/** A sleep is longer than asked for, by what was so of late; a stall of the machine says nothing of that. */
const MOST_OVERSLEPT_MS = 0.2;
let overslept = 0;
let taken = 0;

parentPort.on('message', (order) => parentPort.postMessage(run(order)));

/** One request each `1000 / perSecond` ms; counted are those that are due from `countFrom` on. */
function run({ descriptors, bytes, perSecond, startAt, countFrom, until }) {
  taken = Atomics.load(counters, GIVEN_BACK);
  const free = descriptors.map((_, line) => line);
  const every = 1000 / perSecond;
  const counts = { due: 0, late: 0, noLine: 0, failed: 0 };
  let sentLast = 0;
  for (let slot = 0; ; slot += 1) {
    let due = startAt + slot * every;
    if (due >= until) return counts;
    const now = sleepUntil(Math.max(due, sentLast + every * LEAST_GAP));
    const missed = Math.max(0, Math.ceil((now - due - MOST_BEHIND_MS) / every));
    slot += missed;
    due += missed * every;
    if (due >= until) return counts;
    sentLast = now;
    const counting = due >= countFrom;
    if (counting) {
      counts.due += 1 + missed;
      counts.late += missed;
    }
    takeBack(free);
    const line = pop(free);
    if (line === undefined) counts.noLine += counting ? 1 : 0;
    else if (!ask(line, due, descriptors[line], bytes)) counts.failed += counting ? 1 : 0;
  }
}

/** Until then, as nearly as sleeping allows: now and then a little less. */
function sleepUntil(due) {
  for (;;) {
    const now = performance.now() + offset;
    const rest = due - now - overslept;
    if (rest <= 0) return now;
    Atomics.wait(counters, SLEEP, 0, rest);
    const over = performance.now() + offset - now - rest;
    overslept += (Math.min(over, MOST_OVERSLEPT_MS) - overslept) / 16;
  }
}

function takeBack(free) {
  for (const end = Atomics.load(counters, GIVEN_BACK); taken < end; taken += 1)
    free.push(givenBack[taken % LINES]);
}

/** The one that was in use last: as many connections are busy as are needed. */
function pop(free) {
  for (;;) {
    const line = free.pop();
    if (line === undefined || closed[line] === 0) return line;
  }
}

function ask(line, due, descriptor, bytes) {
  dueAt[line] = due;
  sentAt[line] = performance.now() + offset;
  try {
    return writeSync(descriptor, bytes) === bytes.length;
  } catch {
    return false;
  }
}
