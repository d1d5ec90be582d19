import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSmallFile } from './index.js';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'small-file-'));
});
afterAll(() => rmSync(home, { recursive: true }));

describe('a file that an operator names', () => {
  it('is read, also by way of a link', () => {
    writeFileSync(join(home, 'file'), 'text');
    symlinkSync(join(home, 'file'), join(home, 'link'));
    expect(readSmallFile(join(home, 'link'), 4)).toBe('text');
    expect(readSmallFile(join(home, 'file'), 3)).toBeUndefined();
  });

  it.each([
    ['a pipe that nobody writes to', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a device', (path: string) => symlinkSync('/dev/zero', path)],
    ['not there', () => undefined],
  ])('is none, at once, where it is %s', (name, make) => {
    const path = join(home, name);
    make(path);
    expect(readSmallFile(path, 1024)).toBeUndefined();
  });
});
