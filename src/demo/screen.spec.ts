import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../kernel/clock.js';
import { Screen } from './screen.js';

function newScreen(terminal: boolean) {
  const written: string[] = [];
  const time = { ms: 0 };
  const clock: Clock = { now: () => time.ms, wallMs: () => time.ms, after: () => () => undefined };
  const output = { write: (text: string) => written.push(text), isTTY: terminal, columns: 10 };
  return { screen: new Screen(output, clock), written, time };
}

describe('the screen', () => {
  it('draws over the last picture, however its lines wrap, and keeps what is said above it', () => {
    const { screen, written } = newScreen(true);
    screen.show(['one', 'a line too long']);
    screen.show(['two']);
    screen.say('gpu died');
    expect(written.join('')).toBe(
      'one\na line too long\n' +
        '\u001b[3A\u001b[0J' +
        'two\n' +
        '\u001b[1A\u001b[0J' +
        'gpu died\n' +
        'two\n',
    );
  });

  it('prints every five seconds where there is no terminal', () => {
    const { screen, written, time } = newScreen(false);
    for (time.ms = 0; time.ms <= 5_000; time.ms += 1_000) screen.show([String(time.ms)]);
    screen.say('gpu died');
    expect(written.join('')).toBe('0\n5000\ngpu died\n');
  });
});
