import { describe, expect, it } from '@jest/globals';
import { tipPlace } from './tip-place.js';

const VIEW = { width: 360, height: 640 };
const TIP = { width: 200, height: 60 };

describe('a tip', () => {
  it('stands under the middle of what it explains', () => {
    expect(tipPlace({ left: 130, top: 100, width: 100, height: 20 }, TIP, VIEW)).toEqual({
      left: 80,
      top: 126,
    });
  });

  it('stays inside the window on both sides', () => {
    expect(tipPlace({ left: 0, top: 100, width: 20, height: 20 }, TIP, VIEW).left).toBe(8);
    expect(tipPlace({ left: 340, top: 100, width: 20, height: 20 }, TIP, VIEW).left).toBe(152);
  });

  it('stands above where there is no room below, unless there is none above either', () => {
    expect(tipPlace({ left: 130, top: 600, width: 100, height: 20 }, TIP, VIEW).top).toBe(534);
    const low = { width: 360, height: 60 };
    expect(tipPlace({ left: 130, top: 30, width: 100, height: 20 }, TIP, low).top).toBe(56);
  });
});
