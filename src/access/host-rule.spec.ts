import { describe, expect, it } from '@jest/globals';
import { isHostAllowed } from './host-rule.js';

describe('a name that an open tracker is called by', () => {
  it.each([
    '',
    'localhost',
    'LOCALHOST:8080',
    'a.localhost:8080',
    'tracker',
    'tracker:8080',
    'localhost.',
    'a.localhost.:8080',
    '127.0.0.1:8080',
    '192.168.1.7',
    '[::1]:8080',
    '[::1]',
  ])('is allowed: %j', (host) => {
    expect(isHostAllowed(host, [])).toBe(true);
  });

  it.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'a.localhost.evil',
    'evil.',
    '[::1].evil.example',
    '[::1',
    'evil.:8080',
  ])('is not, unless it is listed: %j', (host) => {
    expect(isHostAllowed(host, ['other.example', '*.another.example'])).toBe(false);
  });

  it('is allowed where it is listed, by itself or with all below a name', () => {
    const allowed = ['mesh.example', '*.lab.example'];
    expect(isHostAllowed('Mesh.Example:443', allowed)).toBe(true);
    expect(isHostAllowed('a.lab.example', allowed)).toBe(true);
    expect(isHostAllowed('lab.example', allowed)).toBe(false);
    expect(isHostAllowed('evillab.example', allowed)).toBe(false);
  });
});
