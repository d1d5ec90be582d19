import { describe, expect, it } from '@jest/globals';
import { endFault, NOTHING_READ, wholeReading, withEvent, type Reading } from './reading.js';

const readAll = (...events: (object | string)[]): Reading =>
  events.reduce<Reading>((reading, event) => {
    const payload = typeof event === 'string' ? event : JSON.stringify(event);
    return withEvent(reading, { type: 'message', data: payload });
  }, NOTHING_READ);
const delta = (fields: object, finish_reason: string | null = null): object => ({
  choices: [{ delta: fields, finish_reason }],
});

describe('reading an answer', () => {
  it('puts text and reasoning together, each by itself', () => {
    const reading = readAll(
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'Hm' }),
      delta({ reasoning: '.' }),
      delta({ content: 'Good ' }),
      delta({ content: 'day' }, 'stop'),
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 9 } },
      '[DONE]',
    );
    expect(reading).toMatchObject({ text: 'Good day', reasoning: 'Hm.', pieces: 4, isDone: true });
    expect(reading).toMatchObject({
      promptTokens: 3,
      completionTokens: 9,
      finishReason: 'stop',
      error: null,
    });
    expect(endFault(reading)).toBeNull();
  });

  it('keeps what came before an error, and tells the error', () => {
    const reading = readAll(delta({ content: 'Go' }), { error: { message: 'A hop failed.', code: 'x' } });
    expect([reading.text, endFault(reading)]).toEqual(['Go', 'A hop failed.']);
    expect(endFault(readAll({ error: 'just text' }))).toBe('just text');
  });

  it('notices when an answer ends without an end', () => {
    expect(endFault(readAll(delta({ content: 'Go' })))).toMatch(/cut off/);
    expect(endFault(readAll(delta({ content: 'Go' }, 'length')))).toBeNull();
  });

  it('is not put off by what it does not know', () => {
    const reading = readAll('not json', '7', 'null', { choices: null, usage: null }, { choices: [{}] });
    expect(reading).toEqual(NOTHING_READ);
    expect(readAll(delta({ content: 5 }))).toMatchObject({ text: '', pieces: 0 });
  });

  it('reads an answer that is no stream', () => {
    const reading = wholeReading(
      JSON.stringify({
        choices: [{ message: { content: 'Hi', reasoning_content: 'Hm' }, finish_reason: 'stop' }],
        usage: { completion_tokens: 2 },
      }),
    );
    expect(reading).toMatchObject({ text: 'Hi', reasoning: 'Hm', completionTokens: 2, isDone: true });
    expect(endFault(wholeReading('<html>'))).toMatch(/not what/);
  });
});
