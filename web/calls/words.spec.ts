import { describe, expect, it } from '@jest/globals';
import type { CallOutcome, RouteMode } from '../api/types.js';
import {
  causeText,
  MODES,
  modeWord,
  OUTCOMES,
  outcomeWord,
  PHASES,
  sampleSentence,
  stateWord,
} from './words.js';

describe('the words of the call wall', () => {
  it('are told apart by mark and word, not by colour alone', () => {
    for (const words of [OUTCOMES, MODES, PHASES]) {
      const all = Object.values(words);
      expect(new Set(all.map(({ mark }) => mark)).size).toBe(all.length);
      expect(new Set(all.map(({ word }) => word)).size).toBe(all.length);
    }
  });

  it('say the phase of an open call and the outcome of another', () => {
    expect(stateWord({ outcome: null, phase: 'silent' }).word).toBe('silent');
    expect(stateWord({ outcome: 'cut_off' }).word).toBe('cut off');
    expect(stateWord({ outcome: null }).word).toBe('open');
  });

  it('have room for what a newer tracker may say', () => {
    expect(outcomeWord('sent_home' as CallOutcome).word).toBe('sent_home');
    expect(modeWord('guess' as RouteMode).word).toBe('guess');
    expect(causeText('gremlins')).toBe('gremlins');
  });

  it('say why a call was no sample', () => {
    const of = (sample: string | null): string =>
      sampleSentence({ sample, tokens_estimated: false, outcome: 'completed' });
    expect(of('recorded')).toMatch(/^Recorded: /);
    expect(of('client_slow')).toMatch(/^Not recorded: the client read so slowly/);
    expect(of('brand_new')).toBe('Not recorded: brand new.');
    expect(of(null)).toMatch(/no route served/);
    expect(sampleSentence({ sample: null, tokens_estimated: false, outcome: null })).toMatch(/is open/);
    expect(sampleSentence({ sample: 'recorded', tokens_estimated: true, outcome: null })).toMatch(/0\.6/);
  });
});
