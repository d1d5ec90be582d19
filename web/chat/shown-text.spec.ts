import { describe, expect, it } from '@jest/globals';
import { MOST_SHOWN, shownText } from './shown-text.js';

describe('a text as it is shown', () => {
  it('is itself, whatever its language, as long as it has words', () => {
    const text = 'Grüße, 你好 🙂\n'.repeat(1000);
    expect(shownText(text)).toBe(text);
  });

  it('can break every thousand characters of a run without blanks, and loses none', () => {
    const shown = shownText(`a ${'b'.repeat(2500)} c`);
    expect(Math.max(...shown.split(/[\s\u200b]/).map(({ length }) => length))).toBe(1000);
    expect(shown.replaceAll('\u200b', '')).toBe(`a ${'b'.repeat(2500)} c`);
  });

  it('is cut where it is too long for a page, and says so', () => {
    const shown = shownText('word '.repeat(MOST_SHOWN));
    expect(shown.length).toBeLessThan(MOST_SHOWN + 20);
    expect(shown.endsWith('… and more')).toBe(true);
  });
});
