/**
 * The faults, what a head does in each, and what must come of it. A cell is a fault, asked for JSON or a stream, with
 * the faulty head as the one route or beside a healthy one.
 *
 * - `one`, `two`: what the client sees of a chat that goes to the faulty head first
 * - `learned`: what the tracker holds of the faulty head after that chat and two more pinned to it
 *
 * The rules are those of docs/operations.md: only failures count against a node, only successes are samples, and another
 * route is tried until the client has had a data event, except for JSON that ran out of time.
 */
import {
  answerWell,
  chunk,
  DONE,
  deltaEvent,
  ABORT,
  EMPTY_JSON,
  errorJson,
  FINISH,
  ROLE,
  event,
  EVENTS,
  headLines,
  JSON_TYPE,
  LAST_CHUNK,
  SSE_START,
  SSE_TYPE,
  TOKENS,
  USAGE_EVENT,
  WHOLE_JSON,
  withLength,
} from './answers.mjs';

const WHOLE = '200 whole';
const SECOND = '200 whole, attempt 2';
const DRIP_MS = 20;

/** A node is the only one of its model, so its breaker never opens; of two, one may be shut out. */
const FAILURES = { samples: 0, reputation: 0.25, breaker: { one: 'closed', two: 'open' } };
const NEUTRAL = { samples: 0, reputation: 1, breaker: { one: 'closed', two: 'closed' } };
const SUCCESSES = { samples: 3, reputation: 1, breaker: { one: 'closed', two: 'closed' } };
/** Failed, served, failed. */
const IN_TURNS = { samples: 1, reputation: 0.5, breaker: { one: 'closed', two: 'closed' } };

/** Before the client has seen anything: the other route serves it, else it is told. */
const unseen = (one) => ({ one, two: SECOND, learned: FAILURES });
/** After the client has seen something, or not to be tried again: the same with any number of routes. */
const final = (saw) => ({ one: saw, two: saw, learned: FAILURES });
const backpressure = (one) => ({ one, two: SECOND, learned: NEUTRAL });
const emptied = (one) => ({ one, two: SECOND, learned: NEUTRAL });
const served = (saw) => ({ one: saw, two: saw, learned: SUCCESSES });

const both = (expected) => ({ json: expected, sse: expected });
const TIMED_OUT = { json: final('504 node_timeout, no retry'), sse: unseen('504 node_timeout') };

/** Half an answer of either kind, its connection still open. */
function beginAnswer({ socket, isStream }) {
  const half = WHOLE_JSON.slice(0, 100);
  socket.write(
    isStream
      ? SSE_START + TOKENS.slice(0, 3).map(deltaEvent).map(chunk).join('')
      : headLines('200 OK', JSON_TYPE, `content-length: ${WHOLE_JSON.length}`) + half,
  );
}

/** Headers alone. */
function beginHeaders({ socket, isStream }, ...more) {
  socket.write(
    isStream
      ? headLines('200 OK', SSE_TYPE, 'transfer-encoding: chunked', ...more)
      : headLines('200 OK', JSON_TYPE, `content-length: ${WHOLE_JSON.length}`, ...more),
  );
}

async function drip({ socket, isStream, done }) {
  const parts = isStream ? [...EVENTS.map(chunk), LAST_CHUNK] : (WHOLE_JSON.match(/.{1,40}/gs) ?? []);
  beginHeaders({ socket, isStream });
  for (const part of parts) {
    socket.write(part);
    await new Promise((resolve) => setTimeout(resolve, DRIP_MS));
  }
  done();
}

function answerError({ socket, done }, status, body, ...headers) {
  socket.write(withLength(status, body, JSON_TYPE, ...headers));
  done();
}

/** An answer in a 200: JSON, or events. */
function answer200({ socket, isStream, done }, json, events) {
  socket.write(
    isStream ? SSE_START + chunk(events) + LAST_CHUNK : withLength('200 OK', JSON.stringify(json), JSON_TYPE),
  );
  done();
}

/** Three tokens, and then these events in place of the rest. */
function goOnWith(chat, events) {
  beginAnswer(chat);
  // What was written has to be on its way first.
  setTimeout(() => {
    chat.socket.write(chunk(events) + LAST_CHUNK);
    chat.done();
  }, DRIP_MS);
}

function reset({ socket }) {
  socket.resetAndDestroy();
}

export const FAULTS = [
  {
    name: 'refused connection',
    isRefused: true,
    answering: reset,
    expected: both(unseen('502 node_unreachable')),
  },
  { name: 'reset before any byte', answering: reset, expected: both(unseen('502 node_failed')) },
  {
    name: 'reset in the middle',
    answering: (chat) => {
      beginAnswer(chat);
      // What was written has to be on its way first.
      setTimeout(() => reset(chat), DRIP_MS);
    },
    expected: { json: unseen('502 node_failed'), sse: final('200, then error node_failed') },
  },
  { name: 'silent after accepting', answering: () => undefined, expected: TIMED_OUT },
  { name: 'silent after headers', answering: (chat) => beginHeaders(chat), expected: TIMED_OUT },
  {
    name: 'stall in the middle',
    answering: beginAnswer,
    expected: { json: final('504 node_timeout, no retry'), sse: final('200, then error node_timeout') },
  },
  { name: 'slow drip', answering: drip, expected: both(served(WHOLE)) },
  {
    name: 'error in a 200',
    answering: ({ socket, isStream, done }) => {
      const error = errorJson('out of memory', { code: 500 });
      socket.write(
        isStream
          ? SSE_START + chunk(event(error) + DONE) + LAST_CHUNK
          : withLength('200 OK', error, JSON_TYPE),
      );
      done();
    },
    expected: both(unseen('500 500')),
  },
  {
    name: 'error in the middle of a stream',
    answering: (chat) => {
      beginAnswer(chat);
      chat.socket.write(chunk(event(errorJson('out of memory', { code: 'oom' }))) + LAST_CHUNK);
      chat.done();
    },
    expected: { sse: final('200, then error oom') },
  },
  {
    name: 'early end',
    answering: (chat) => {
      beginAnswer(chat);
      chat.socket.end(chat.isStream ? LAST_CHUNK : '');
      chat.done();
    },
    expected: { json: unseen('502 node_failed'), sse: final('200, then error answer_cut_off') },
  },
  {
    name: 'early end before the first event',
    answering: ({ socket, isStream, done }) => {
      socket.write(
        isStream ? SSE_START + chunk(': hello\n\n') + LAST_CHUNK : withLength('200 OK', '', JSON_TYPE),
      );
      done();
    },
    expected: { json: unseen('502 node_failed'), sse: unseen('502 answer_cut_off') },
  },
  {
    name: 'no [DONE], no length',
    answering: ({ socket, isStream, done }) => {
      socket.end(
        isStream
          ? headLines('200 OK', SSE_TYPE) + EVENTS.filter((part) => part !== DONE).join('')
          : headLines('200 OK', JSON_TYPE) + WHOLE_JSON,
      );
      done();
    },
    expected: { json: served(WHOLE), sse: served('200 without [DONE]') },
  },
  {
    name: 'dawdles after the end',
    // The connection stays open, and of a stream the last chunk never comes.
    answering: ({ socket, isStream, done }) => {
      if (isStream) socket.write(SSE_START + chunk(EVENTS.join('')));
      else answerWell({ socket, isStream, done });
    },
    expected: both(served(WHOLE)),
  },
  {
    name: '429',
    answering: (chat) =>
      answerError(chat, '429 Too Many Requests', errorJson('slow down', { code: 'busy' }), 'retry-after: 7'),
    expected: both(backpressure('429 busy, retry after 7')),
  },
  {
    name: '503 loading',
    answering: (chat) =>
      answerError(chat, '503 Service Unavailable', errorJson('Loading model', { code: 503 })),
    expected: both(backpressure('503 503')),
  },
  {
    name: '402 without credits',
    answering: (chat) => answerError(chat, '402 Payment Required', errorJson('pay', { code: 'credits' })),
    expected: both(unseen('402 credits')),
  },
  {
    name: '408 of its proxy',
    answering: (chat) => answerError(chat, '408 Request Timeout', errorJson('slow', { code: 'slow' })),
    expected: both(unseen('408 slow')),
  },
  {
    name: '413 of its proxy',
    answering: (chat) => answerError(chat, '413 Payload Too Large', errorJson('big', { code: 'big' })),
    expected: both(backpressure('413 big')),
  },
  {
    name: '501 of a feature',
    answering: (chat) => answerError(chat, '501 Not Implemented', errorJson('none', { code: 'none' })),
    expected: both(backpressure('501 none')),
  },
  {
    name: 'nothing but the end',
    answering: (chat) => answer200(chat, {}, DONE),
    expected: both(unseen('502 no_completion')),
  },
  {
    name: 'a role, no choices',
    answering: (chat) => answer200(chat, { choices: [] }, ROLE + DONE),
    expected: { json: unseen('502 no_completion'), sse: unseen('502 answer_cut_off') },
  },
  {
    name: 'an abort',
    answering: (chat) =>
      answer200(
        chat,
        { choices: [{ message: { content: '' }, finish_reason: 'abort' }] },
        ROLE + ABORT + DONE,
      ),
    expected: both(unseen('502 answer_aborted')),
  },
  {
    name: 'an abort after content',
    answering: (chat) => goOnWith(chat, ABORT + DONE),
    expected: { sse: final('200, then error answer_aborted') },
  },
  {
    name: 'interrupted after content',
    answering: (chat) => goOnWith(chat, DONE),
    expected: { sse: final('200, then error answer_cut_off') },
  },
  {
    name: 'an error that clients do not see',
    answering: (chat) =>
      answer200(chat, { message: 'oom', code: 500 }, event({ message: 'oom', code: 500 }) + DONE),
    expected: both(unseen('500 500')),
  },
  {
    name: 'the same after content',
    answering: (chat) => goOnWith(chat, event({ message: 'oom', code: 500 }) + DONE),
    expected: { sse: final('200, then error 500') },
  },
  {
    name: 'the field error:',
    answering: (chat) => answer200(chat, { detail: 'oom' }, `error: {"code":500,"message":"oom"}\n\n${DONE}`),
    expected: { json: unseen('502 null'), sse: unseen('500 500') },
  },
  {
    name: 'the field error: after content',
    answering: (chat) => goOnWith(chat, `error: {"code":500,"message":"oom"}\n\n${DONE}`),
    expected: { sse: final('200, then error 500') },
  },
  {
    name: 'a good end without content',
    answering: (chat) => answer200(chat, EMPTY_JSON, FINISH + DONE),
    expected: both(emptied('200 empty')),
  },
  {
    name: 'a finish reason and no end',
    answering: ({ socket }) =>
      socket.write(SSE_START + chunk(EVENTS.filter((part) => part !== DONE).join(''))),
    expected: { sse: served(WHOLE) },
  },
  {
    name: '503 failing',
    answering: (chat) =>
      answerError(chat, '503 Service Unavailable', errorJson('no worker', { code: 'down' })),
    expected: both(unseen('503 down')),
  },
  {
    name: '500 as a page',
    answering: ({ socket, done }) => {
      socket.write(withLength('500 Internal Server Error', '<h1>Oops</h1>', 'content-type: text/html'));
      done();
    },
    expected: both(unseen('500 null')),
  },
  {
    name: '401 for the tracker',
    answering: (chat) => answerError(chat, '401 Unauthorized', errorJson('no key', { code: 'key' })),
    expected: both(unseen('502 node_misconfigured')),
  },
  {
    name: 'invalid chunking',
    answering: ({ socket, isStream }) => {
      const type = isStream ? SSE_TYPE : JSON_TYPE;
      socket.write(`${headLines('200 OK', type, 'transfer-encoding: chunked')}zz\r\n${WHOLE_JSON}\r\n`);
    },
    expected: both(unseen('502 node_failed')),
  },
  {
    name: 'both length headers',
    answering: ({ socket, isStream }) => {
      const body = isStream ? EVENTS.join('') : WHOLE_JSON;
      const type = isStream ? SSE_TYPE : JSON_TYPE;
      const start = headLines('200 OK', type, `content-length: ${body.length}`, 'transfer-encoding: chunked');
      socket.write(start + chunk(body) + LAST_CHUNK);
    },
    expected: both(unseen('502 node_failed')),
  },
  {
    name: 'compression that is a lie',
    answering: ({ socket, isStream, done }) => {
      const type = isStream ? SSE_TYPE : JSON_TYPE;
      socket.write(
        withLength('200 OK', isStream ? EVENTS.join('') : WHOLE_JSON, type, 'content-encoding: gzip'),
      );
      done();
    },
    expected: both(unseen('502 node_failed')),
  },
  {
    name: 'huge headers',
    answering: (chat) => beginHeaders(chat, `x-filler: ${'x'.repeat(1024 * 1024)}`),
    expected: both(unseen('502 node_failed')),
  },
  {
    name: 'garbage bytes',
    answering: ({ socket }) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'),
    expected: both(unseen('502 node_failed')),
  },
  {
    name: 'garbage in events',
    answering: ({ socket, isStream, done }) => {
      socket.write(
        isStream
          ? SSE_START + chunk('\u0000\u0001\ufffd{"choices":[\n\n') + LAST_CHUNK
          : withLength('200 OK', '{"choices":[', JSON_TYPE),
      );
      done();
    },
    expected: { json: unseen('502 node_failed'), sse: unseen('502 answer_cut_off') },
  },
  {
    name: 'nothing but usage that nobody asked for',
    answering: ({ socket, done }) => {
      socket.write(SSE_START + chunk(USAGE_EVENT) + LAST_CHUNK);
      done();
    },
    expected: { sse: unseen('502 answer_cut_off') },
  },
  {
    name: 'flapping',
    // Down for every other chat. Up, it keeps no connection, so that each outage meets a fresh one.
    answering: (chat) => {
      if (chat.number % 2 === 1) reset(chat);
      else {
        answerWell(chat);
        chat.socket.end();
      }
    },
    expected: both({ one: '502 node_failed', two: SECOND, learned: IN_TURNS }),
  },
  {
    name: 'dies whenever a connection is used again',
    answering: (chat) => (chat.isReuse ? reset(chat) : answerWell(chat)),
    expected: both(served(WHOLE)),
  },
];
