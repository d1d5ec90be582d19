import { answerWell, TEXT, WHOLE_JSON } from './answers.mjs';
import { cameTrue, chat } from './ask.mjs';
import { RawHead } from './raw-head.mjs';
import { stageTracker } from './staged-tracker.mjs';

const MODEL = 'm';
/** Long enough for a good head on a busy machine, short enough to run them by the dozen. */
const SETTINGS = {
  MESHNET_CONNECT_TIMEOUT_SECONDS: '1',
  MESHNET_FIRST_BYTE_TIMEOUT_SECONDS: '0.5',
  MESHNET_IDLE_TIMEOUT_SECONDS: '0.4',
  MESHNET_TOTAL_TIMEOUT_SECONDS: '10',
  MESHNET_STREAM_PING_SECONDS: '0',
};
/** A head that dawdles is given a second; a busy machine some more. */
const LEAK_LOOK_MS = 3000;
const MORE_CHATS = 2;

/** Puts one fault to a tracker of its own. @returns what the client saw, what was learned and what leaked */
export async function runCell({ answering, isRefused = false }, kind, routes) {
  const tracker = await stageTracker(SETTINGS);
  const faulty = await new RawHead(answering).start();
  const healthy = await new RawHead(answerWell).start();
  const heads = [faulty, healthy];
  try {
    const nodeId = await tracker.join({ ...node('faulty', faulty), throughput_tps: 1000 });
    if (routes === 'two') await tracker.join({ ...node('healthy', healthy), throughput_tps: 1 });
    if (isRefused) faulty.stopListening();
    const ask = (more) => chat(tracker.url, { model: MODEL, messages: [], stream: kind === 'sse', ...more });
    const saw = describeReply(await ask({}), kind);
    for (let more = 0; more < MORE_CHATS; more += 1) await ask({ route: [nodeId] });
    const learned = await learnedOf(tracker, nodeId);
    return { saw, learned, leaked: await leaksOf(tracker, heads) };
  } finally {
    await tracker.stop();
    await Promise.all(heads.map((head) => head.end()));
  }
}

function node(wallet, head) {
  return { wallet, endpoint: head.url, model: MODEL };
}

async function learnedOf(tracker, nodeId) {
  const { reputation, breaker } = await tracker.node(nodeId);
  const { models } = await tracker.ask(`/v1/routing?model=${MODEL}`);
  const arm = models[0].candidates.find(({ hops }) => hops[0].node_id === nodeId);
  // A node that is shut out stands in no candidate.
  return { samples: arm?.sample_count ?? 0, reputation: Math.round(reputation * 100) / 100, breaker };
}

/** What is still held when the chats are over, and which connections outlive the tracker. */
async function leaksOf(tracker, heads) {
  const held = () => ({ ...tracker.held(), openAnswers: sum(heads, (head) => head.openAnswers) });
  await cameTrue(() => Object.values(held()).every((count) => count === 0), LEAK_LOOK_MS);
  const before = held();
  await tracker.stop();
  const open = () => sum(heads, (head) => head.openConnections);
  await cameTrue(() => open() === 0, LEAK_LOOK_MS);
  const counts = { ...before, connections: open() };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

function sum(heads, countOf) {
  return heads.reduce((total, head) => total + countOf(head), 0);
}

function describeReply({ status, headers, text, isWhole }, kind) {
  const attempt = headers['x-meshnet-attempts'] > 1 ? `, attempt ${headers['x-meshnet-attempts']}` : '';
  if (status === 200) {
    return `200${kind === 'sse' ? describeStream(text) : describeJson(text)}${
      isWhole ? '' : ', broken off'
    }${attempt}`;
  }
  const after = headers['retry-after'] === undefined ? '' : `, retry after ${headers['retry-after']}`;
  const noRetry = headers['x-should-retry'] === 'false' ? ', no retry' : '';
  return `${status} ${errorCode(text)}${isWhole ? '' : ', broken off'}${after}${noRetry}`;
}

function describeJson(text) {
  if (text === WHOLE_JSON) return ' whole';
  return text.includes('"content":""') ? ' empty' : ' garbled';
}

function errorCode(text) {
  try {
    return String(JSON.parse(text).error.code);
  } catch {
    return 'no error object';
  }
}

/** A stream is whole with all its text and its `[DONE]`; whatever else comes must be the beginning of the text. */
function describeStream(stream) {
  const payloads = stream
    .split('\n\n')
    .filter((part) => part.startsWith('data: '))
    .map((part) => part.slice(6));
  const isDone = payloads.at(-1) === '[DONE]';
  const chunks = payloads.filter((part) => part !== '[DONE]').map((part) => JSON.parse(part));
  const text = chunks.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('');
  const errors = chunks.filter(({ error }) => error !== undefined).map(({ error }) => error.code);
  const tail = errors.length > 0 ? `, then error ${errors.join(' and ')}` : '';
  if (!TEXT.startsWith(text)) return ` garbled${tail}`;
  if (errors.length > 0) return isDone ? `${tail} and [DONE]` : tail;
  if (text === '') return isDone ? ' empty' : ' nothing';
  if (text !== TEXT) return isDone ? ' cut short with [DONE]' : ' cut short';
  return isDone ? ' whole' : ' without [DONE]';
}
