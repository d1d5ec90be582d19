import { describe, expect, it } from '@jest/globals';
import { SseRelay, type RelayPiece } from './sse-relay.js';

const say = (text: string): string => `data: {"choices":[{"delta":{"content":"${text}"}}]}`;
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":40}}';
const DONE = 'data: [DONE]';

type Seen = [kind: RelayPiece['kind'], bytes: string];

function seen(pieces: readonly RelayPiece[]): Seen[] {
  return pieces.map(({ kind, bytes }) => [kind, bytes.toString()]);
}

function feed(relay: SseRelay, chunk: string): Seen[] {
  return seen(relay.feed(Buffer.from(chunk)));
}

function relayed(relay: SseRelay, ...chunks: string[]): string {
  const given = chunks.flatMap((chunk) => feed(relay, chunk));
  return [...given, ...seen(relay.end())].map(([, bytes]) => bytes).join('');
}

describe('the relay for a client that asked for usage', () => {
  it('passes every byte in the feed that brought it, and says what it completes', () => {
    const relay = new SseRelay({ stripUsage: false });
    expect(feed(relay, ': hi\n\ndata: {"cho')).toEqual([
      ['comment', ': hi\n\n'],
      ['partial', 'data: {"cho'],
    ]);
    expect(relay.midEvent).toBe(true);
    expect(feed(relay, 'ices":')).toEqual([['partial', 'ices":']]);
    expect(feed(relay, `[]}\n\n${USAGE}\n\n${DONE}\n\n`)).toEqual([
      ['data', '[]}\n\n'],
      ['data', `${USAGE}\n\n`],
      ['done', `${DONE}\n\n`],
    ]);
    expect(relay.midEvent).toBe(false);
    expect(relay.tap.usage?.completionTokens).toBe(40);
    expect(seen(relay.end())).toEqual([]);
  });

  it('keeps back the last byte of [DONE] for a piece of its own, however it is cut', () => {
    const relay = new SseRelay({ stripUsage: false });
    expect(feed(relay, 'data: [DO')).toEqual([['partial', 'data: [DO']]);
    expect(feed(relay, 'NE]\r\n\r')).toEqual([['done', 'NE]\r\n\r']]);
    expect(feed(relay, '\n')).toEqual([['comment', '\n']]);
  });

  it('tells at the end what an unterminated event said, its bytes being out already', () => {
    const relay = new SseRelay({ stripUsage: false });
    feed(relay, `${say('a')}\n\n${DONE}\n`);
    expect(relay.tap.sawDone).toBe(false);
    expect(seen(relay.end())).toEqual([['done', '']]);
    expect(relay.tap.sawDone).toBe(true);
    expect(relay.midEvent).toBe(true);
  });

  it('gives nothing for an empty chunk within an event', () => {
    const relay = new SseRelay({ stripUsage: false });
    feed(relay, 'data: a');
    expect(feed(relay, '')).toEqual([]);
  });
});

describe('the relay for a client that did not ask for usage', () => {
  it.each(['\n', '\r\n', '\r'])(
    'leaves the usage chunk out and keeps [DONE], with line ends %j (B23)',
    (eol) => {
      const blank = eol + eol;
      const relay = new SseRelay({ stripUsage: true });
      const stream = [say('a'), ': ping', USAGE, DONE].map((event) => event + blank).join('');
      expect(feed(relay, stream)).toEqual([
        ['data', say('a') + blank],
        ['comment', `: ping${blank}`],
        ['data', ''],
        ['done', DONE + blank],
      ]);
      expect(relay.tap.usage).toEqual({ promptTokens: 3, completionTokens: 40 });
    },
  );

  it('gives each event as soon as it is complete, and not before (B09)', () => {
    const relay = new SseRelay({ stripUsage: true });
    expect(feed(relay, say('a'))).toEqual([]);
    expect(feed(relay, '\r\n')).toEqual([]);
    expect(relay.midEvent).toBe(false);
    expect(feed(relay, '\r')).toEqual([['data', `${say('a')}\r\n\r`]]);
    expect(feed(relay, `\n${say('b')}`)).toEqual([['comment', '\n']]);
  });

  it('leaves out the late LF of an event that was left out, and no other', () => {
    const relay = new SseRelay({ stripUsage: true });
    const out = relayed(relay, `${say('a')}\r\n\r`, `\n${USAGE}\r\n\r`, `\n${DONE}\r\n\r`, '\n');
    expect(out).toBe(`${say('a')}\r\n\r\n${DONE}\r\n\r\n`);
  });

  it('passes usage that comes with a choice or with an error', () => {
    const withChoice = 'data: {"choices":[{"delta":{}}],"usage":{"completion_tokens":1}}\n\n';
    const withError = 'data: {"choices":[],"usage":{"completion_tokens":1},"error":{"code":500}}\n\n';
    const relay = new SseRelay({ stripUsage: true });
    expect(relayed(relay, withChoice, withError)).toBe(withChoice + withError);
  });

  it('hands out an unfinished rest as it is', () => {
    const relay = new SseRelay({ stripUsage: true });
    feed(relay, `${say('a')}\n\ndata: {"cho`);
    expect(relay.midEvent).toBe(false);
    expect(seen(relay.end())).toEqual([['partial', 'data: {"cho']]);
    expect(relay.midEvent).toBe(true);
  });

  it('leaves out a usage chunk that only lacks its blank line', () => {
    const relay = new SseRelay({ stripUsage: true });
    feed(relay, USAGE);
    expect(seen(relay.end())).toEqual([['partial', '']]);
    expect(relay.midEvent).toBe(false);
    expect(relay.tap.usage?.completionTokens).toBe(40);
  });

  it('takes [DONE] without a blank line for the end', () => {
    const relay = new SseRelay({ stripUsage: true });
    feed(relay, DONE);
    expect(seen(relay.end())).toEqual([['done', DONE]]);
  });

  it('passes an event too long to hold, and knows that it is in the middle of it', () => {
    const relay = new SseRelay({ stripUsage: true, maxEventBytes: 16 });
    expect(feed(relay, 'data: 0123')).toEqual([]);
    expect(feed(relay, '456789abc')).toEqual([['overflow', 'data: 0123456789abc']]);
    expect(relay.midEvent).toBe(true);
    expect(feed(relay, '\n\n: ok\n\n')).toEqual([
      ['overflow', '\n\n'],
      ['comment', ': ok\n\n'],
    ]);
    expect(relay.midEvent).toBe(false);
  });
});

describe('a caller that waits for the first data event', () => {
  it('sees comments as comments, however many (B11)', () => {
    const relay = new SseRelay({ stripUsage: true });
    const kinds = Array.from({ length: 5 }, () => feed(relay, ': PROCESSING\n\n')).flat();
    expect(kinds).toEqual(Array(5).fill(['comment', ': PROCESSING\n\n']));
    expect(feed(relay, `${say('a')}\n\n`)[0]![0]).toBe('data');
  });

  it('finds the error with the piece, before it writes anything (B17)', () => {
    const relay = new SseRelay({ stripUsage: true });
    const [piece] = relay.feed(
      Buffer.from('data: {"error":{"message":"bad","code":400}}\n\ndata: [DONE]\n\n'),
    );
    expect(piece!.facts.error).toMatchObject({ code: 400, message: 'bad' });
  });
});
