import { describe, expect, it } from '@jest/globals';
import type { Earnings, ModelEarnings } from '../api/types.js';
import { earningsWords } from './earnings-words.js';

const NOTHING: Earnings = {
  ...{ calls: 0, control_calls: 0, seconds_saved: null, plus_minus_seconds: null },
  ...{ scout_calls: 0, scout_seconds: 0, cannot_tell: 'No call …' },
};

function told(seconds_saved: number, plus_minus_seconds: number, control_calls = 61): Earnings {
  return { ...NOTHING, calls: 2000, control_calls, seconds_saved, plus_minus_seconds, cannot_tell: null };
}

function model(day: Earnings, week = day): ModelEarnings {
  return { model: 'm', day, week };
}

describe('the first line of the overview', () => {
  it('says what was saved in a day and a week, how surely, and what scouts cost', () => {
    const words = earningsWords([
      model({ ...told(412, 90), scout_seconds: 35 }, { ...told(2900, 310, 400), scout_seconds: 210 }),
    ]);
    expect(words).toEqual({
      saved: [
        {
          figure: '6 min 52 s',
          rest: 'saved in 24 hours against least in-flight (61 control chats), ± 1 min 30 s.',
        },
        {
          figure: '48 min 20 s',
          rest: 'saved in 7 days against least in-flight (400 control chats), ± 5 min 10 s.',
        },
      ],
      scouts: '35.0 s spent on scouts in 24 hours, 3 min 30 s in 7 days.',
      why: null,
    });
  });

  it('does not take noise for a gain, nor hides a loss', () => {
    const [day, week] = earningsWords([model(told(10, 20), told(-60, 20))])?.saved ?? [];
    expect(day?.figure).toBe('No difference');
    expect(day?.rest).toMatch(/^to be seen in 24 hours .* ± 20\.0 s\.$/);
    expect(week).toMatchObject({ figure: '1 min 0 s' });
    expect(week?.rest).toMatch(/^lost in 7 days/);
  });

  it('adds models up, those that can tell', () => {
    const words = earningsWords([
      model(told(30, 3)),
      model(told(40, 4)),
      model({ ...NOTHING, control_calls: 2, scout_seconds: 1.5 }),
    ]);
    expect(words?.saved?.[0]).toEqual({
      figure: '1 min 10 s',
      rest: 'saved in 24 hours against least in-flight (124 control chats), ± 5.0 s.',
    });
    expect(words?.scouts).toMatch(/^1\.5 s spent/);
  });

  it('says once what is the same, of a tracker younger than a day', () => {
    const words = earningsWords([model(told(412, 90))]);
    expect(words?.saved).toHaveLength(1);
    expect(words?.scouts).toBe('No time spent on scouts in 24 hours.');
  });

  it('says why nothing can be told', () => {
    expect(earningsWords([model(NOTHING)])).toMatchObject({
      saved: null,
      why: 'What routing saves is not measured: no chats are sent by least in-flight for comparison.',
    });
    expect(earningsWords([model({ ...NOTHING, control_calls: 1 })])?.why).toContain('so far 1 chat went');
    expect(earningsWords([])).toBeNull();
  });
});
