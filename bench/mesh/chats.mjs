import { Agent, request } from 'node:http';
import { dice } from '../policies/dice.mjs';
import { MODEL } from './nodes.mjs';

const TOKENS = [8, 64];
const PROMPT_WORDS = [10, 200];

/**
 * So many streamed chats, `atOnce` of them under way until none is left; sizes are the seed's.
 *
 * @returns seconds of each until its last byte, NaN of one that failed
 */
export async function answerAll(url, { chats, atOnce, seed }) {
  const rolled = dice(seed);
  const bodies = Array.from({ length: chats }, () => bodyOf(rolled));
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const seconds = new Array(chats).fill(NaN);
  let next = 0;
  const client = async () => {
    while (next < chats) {
      const id = next++;
      seconds[id] = await answer(agent, url, bodies[id]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  agent.destroy();
  return seconds;
}

function bodyOf(rolled) {
  const content = 'word '.repeat(Math.round(rolled.between(...PROMPT_WORDS)));
  return JSON.stringify({
    model: MODEL,
    messages: [{ role: 'user', content }],
    max_tokens: Math.round(rolled.between(...TOKENS)),
    stream: true,
  });
}

function answer(agent, url, body) {
  const began = performance.now();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    let tail = '';
    const over = () => resolve(tail.includes('[DONE]') ? (performance.now() - began) / 1000 : NaN);
    request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      response.on('data', (bytes) => (tail = (tail + bytes).slice(-100)));
      response.on('close', over);
    })
      .on('error', () => resolve(NaN))
      .end(body);
  });
}
