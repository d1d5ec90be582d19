/**
 * The events of a slow stream. Each says when it was sent and which it is, so that who gets it knows how long it took
 * and whether one is missing: `@<µs of the machine's monotonic clock>,<number>@`, always as many digits.
 */
const STAMP_DIGITS = 15;
const NUMBER_DIGITS = 5;
const MARK = 0x40;
const MARKED_BYTES = STAMP_DIGITS + NUMBER_DIGITS + 3;

export const START = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`;
export const END =
  chunk(
    event({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    }),
  ) +
  chunk('data: [DONE]\n\n') +
  '0\r\n\r\n';

const [BEFORE, AFTER] = chunk(
  event({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: '@'.padEnd(MARKED_BYTES - 1) + '@' } }],
  }),
).split(/@ +@/);

export function token(number) {
  const stamp = String(nowMicros()).padStart(STAMP_DIGITS, '0');
  return `${BEFORE}@${stamp},${String(number).padStart(NUMBER_DIGITS, '0')}@${AFTER}`;
}

/** The same for all processes of a machine. */
export function nowMicros() {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1e6 + Math.trunc(nanos / 1000);
}

/**
 * Calls `on(µs it was sent, number)` for each token in what arrived.
 *
 * @returns how much at the end may be the beginning of another
 */
export function eachToken(bytes, on) {
  let at = bytes.indexOf(MARK);
  for (; at >= 0; at = bytes.indexOf(MARK, at + MARKED_BYTES)) {
    if (at + MARKED_BYTES > bytes.length) return bytes.length - at;
    const [stamp, number] = bytes.latin1Slice(at + 1, at + MARKED_BYTES - 1).split(',');
    on(Number(stamp), Number(number));
  }
  return 0;
}

function event(body) {
  return `data: ${JSON.stringify(body)}\n\n`;
}

function chunk(text) {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}
