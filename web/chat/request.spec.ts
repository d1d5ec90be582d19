import { describe, expect, it } from '@jest/globals';
import { chatBody, hopsTyped, signatureFromHeader, turnsOf, type ChatChoices } from './request.js';

const CHOICES: ChatChoices = { model: 'm', route: [], system: '', maxTokens: '', temperature: '' };
const ASKED = turnsOf([], 'Hi');

describe("a chat's request", () => {
  it('leaves to the node what was not chosen', () => {
    expect(chatBody(CHOICES, ASKED)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('has what was chosen', () => {
    const choices = { ...CHOICES, route: ['a:0-1', 'b:2-3'], system: 'Be brief.', maxTokens: '5' };
    expect(chatBody({ ...choices, temperature: '0' }, ASKED)).toMatchObject({
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      route: ['a:0-1', 'b:2-3'],
      max_tokens: 5,
      temperature: 0,
    });
    expect(chatBody({ ...choices, maxTokens: 'many' }, ASKED)).not.toHaveProperty('max_tokens');
  });

  it('sends the conversation along, without questions that got no answer', () => {
    const exchanges = [
      { question: 'One?', answer: 'Yes.' },
      { question: 'Lost?', answer: '' },
    ];
    expect(turnsOf(exchanges, 'Two?').map(({ role, content }) => `${role}: ${content}`)).toEqual([
      ...['user: One?', 'assistant: Yes.', 'user: Two?'],
    ]);
  });
});

describe('hops that were typed', () => {
  it('may be parted by commas, arrows or blanks', () => {
    for (const text of ['a:0-1,b.c-d:2-3', ' a:0-1 -> b.c-d:2-3 ', 'a:0-1 → b.c-d:2-3', 'a:0-1\nb.c-d:2-3']) {
      expect(hopsTyped(text)).toEqual(['a:0-1', 'b.c-d:2-3']);
    }
    expect(hopsTyped('  ')).toEqual([]);
  });
});

describe('a signature out of a header', () => {
  it('has its characters back', () => {
    const signature = 'modèle/模型 100%|w:all[0-0]';
    const header = signature.replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part));
    expect(signatureFromHeader(header)).toBe(signature);
  });

  it('stays as it is where it means nothing', () => {
    expect(signatureFromHeader('a%2Fb%FF%zz')).toBe('a%2Fb%FF%zz');
  });
});
