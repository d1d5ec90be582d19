import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const FILES = { conversation: 'conv', code: 'code' };
const read = new Map();

/** Rows of a trace: seconds since its first, prompt tokens, output tokens. */
export function trace(name) {
  if (!read.has(name)) read.set(name, parse(FILES[name]));
  return read.get(name);
}

function parse(file) {
  const path = new URL(`./traces/AzureLLMInferenceTrace_${file}.csv.gz`, import.meta.url);
  const [, ...lines] = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
  const rows = lines.map((line) => {
    const [at, prompt, output] = line.split(',');
    const seconds = Date.parse(`${at.replace(' ', 'T').slice(0, 23)}Z`) / 1000;
    return { seconds, promptTokens: Math.max(1, Number(prompt)), outputTokens: Math.max(1, Number(output)) };
  });
  const first = rows[0].seconds;
  return rows.map((row) => ({ ...row, seconds: row.seconds - first }));
}

/** Mean sizes of a trace. */
export function meanSize(name) {
  const rows = trace(name);
  const mean = (key) => rows.reduce((sum, row) => sum + row[key], 0) / rows.length;
  return { promptTokens: mean('promptTokens'), outputTokens: mean('outputTokens') };
}

/**
 * `count` requests in a row from a place of the trace that the dice choose, its bursts and lulls kept and stretched so
 * that `perSecond` come on average.
 */
export function arrivalsFrom(name, { count, perSecond, jsonShare }, dice) {
  const rows = trace(name);
  const start = dice.whole(rows.length);
  const picked = Array.from({ length: count }, (_, at) => rows[(start + at) % rows.length]);
  const gaps = picked.map((row, at) => (at === 0 ? 0 : Math.max(0, row.seconds - picked[at - 1].seconds)));
  const span = gaps.reduce((sum, gap) => sum + gap, 0);
  const stretch = span > 0 ? count / perSecond / span : 1;
  let at = 0;
  return picked.map(({ promptTokens, outputTokens }, id) => {
    at += gaps[id] * stretch;
    const isStream = dice.next() >= jsonShare;
    // The tracker doesn't tokenise: it guesses by the body's length.
    const promptGuess = Math.max(1, promptTokens * Math.exp(0.2 * dice.normal()));
    return { id, at, promptTokens, outputTokens, promptGuess, isStream };
  });
}
