import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SilentLogger } from '../../test/support/silent-logger.js';
import { readSettings } from '../settings/index.js';
import { AccessFault } from './key-file.js';
import { AccessService } from './access.service.js';

const SECRET = 'a-secret-of-clients';
const OTHER = 'a-secret-of-another';
const ROLES = [
  ['client', 'MESHNET_API_KEYS_FILE'],
  ['node', 'MESHNET_NODE_TOKENS_FILE'],
  ['admin', 'MESHNET_ADMIN_KEYS_FILE'],
] as const;
let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'keys-'));
});
afterAll(() => rmSync(home, { recursive: true }));

function aFile(text: string): string {
  const path = join(home, 'keys');
  writeFileSync(path, text);
  return path;
}

function accessOf(env: Record<string, string>) {
  const reading = readSettings({ argv: [], env });
  if (reading.kind !== 'run') throw new AccessFault(reading.kind === 'faults' ? reading.faults : []);
  const logger = new SilentLogger();
  const access = new AccessService(reading.settings.access, reading.settings.serving, logger);
  return { access, logger };
}

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    accessOf(env);
  } catch (fault) {
    if (fault instanceof AccessFault) return fault.faults;
    throw fault;
  }
  throw new Error('was taken');
}

describe('on a loopback address', () => {
  it.each(['127.0.0.1', '127.8.9.1', '::1', '[::1]', 'localhost', 'LOCALHOST'])(
    '%s a role without keys is open',
    (host) => {
      const { access, logger } = accessOf({ MESHNET_HOST: host, MESHNET_ADMIN_KEYS: `me=${SECRET}` });
      expect([access.doorOf('client'), access.doorOf('node'), access.doorOf('admin')]).toEqual([
        'open',
        'open',
        'keys',
      ]);
      access.warn();
      expect(logger.lines).toHaveLength(1);
      expect(JSON.stringify(logger.lines)).toMatch(/proxy/);
    },
  );

  it('nothing is warned of when every role has keys', () => {
    const { access, logger } = accessOf({
      MESHNET_API_KEYS: `a=${SECRET}`,
      MESHNET_ADMIN_KEYS: `b=${OTHER}`,
      MESHNET_NODE_TOKENS: 'c=a-token-of-a-node-1',
    });
    access.warn();
    expect(logger.lines).toEqual([]);
  });
});

describe('where others reach it', () => {
  it.each(['0.0.0.0', '::', '192.168.1.7', 'tracker.example', '127.1', '127.0.0.1.example'])(
    '%s it doesn’t start without keys, and says what to add',
    (host) => {
      const faults = faultsOf({ MESHNET_HOST: host });
      expect(faults.join('\n')).toMatch(
        /MESHNET_API_KEYS=me=[\w-]{32}\n.*MESHNET_ADMIN_KEYS=me=[\w-]{32}\n.*MESHNET_NODE_TOKENS=mesh=[\w-]{32}\n.*MESHNET_ALLOW_ANONYMOUS=true/,
      );
    },
  );

  it('what has no keys is closed', () => {
    const { access } = accessOf({ MESHNET_HOST: '0.0.0.0', MESHNET_API_KEYS: `a=${SECRET}` });
    expect([access.doorOf('client'), access.doorOf('node'), access.doorOf('admin')]).toEqual([
      'keys',
      'closed',
      'closed',
    ]);
  });

  it('anybody may chat where that is said, and no more', () => {
    const { access } = accessOf({ MESHNET_HOST: '0.0.0.0', MESHNET_ALLOW_ANONYMOUS: 'true' });
    expect([access.doorOf('client'), access.doorOf('node'), access.doorOf('admin')]).toEqual([
      'open',
      'closed',
      'closed',
    ]);
  });
});

describe('keys', () => {
  it('are known by name, several of each, from the environment and from a file', () => {
    const file = aFile(`# people\n\nbob=${OTHER}\r\n`);
    const { access } = accessOf({
      MESHNET_API_KEYS: `alice=${SECRET}, carol=a-third-of-secrets`,
      MESHNET_API_KEYS_FILE: file,
    });
    expect(access.holderOf(SECRET)).toEqual({ role: 'client', name: 'alice' });
    expect(access.holderOf(OTHER)).toEqual({ role: 'client', name: 'bob' });
    expect(access.holderOf('a-third-of-secrets')).toEqual({ role: 'client', name: 'carol' });
    expect(access.holderOf(`${SECRET}x`)).toBeNull();
    expect(access.holderOf('')).toBeNull();
  });

  it.each([
    ['no name', SECRET],
    ['an empty name', `=${SECRET}`],
    ['a name with blanks', `a b=${SECRET}`],
    ['a short secret', 'a=short'],
    ['a blank in the secret', 'a=a secret with blanks'],
    ['the same name twice', `a=${SECRET},a=${OTHER}`],
    ['nothing between commas', `a=${SECRET},,b=${OTHER}`],
    ['a secret beyond ASCII', 'a=ein-geheimnis-mit-ü'],
  ])('stop the start with %s, and are not repeated', (_, keys) => {
    const faults = faultsOf({ MESHNET_NODE_TOKENS: keys });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^MESHNET_NODE_TOKENS: must be a list like name=secret/);
    expect(faults[0]).not.toMatch(/short|secret-of|geheimnis|blanks in/);
  });

  it('stop the start with each bad line of a file by its number', () => {
    const faults = faultsOf({ MESHNET_ADMIN_KEYS_FILE: aFile(`a=${SECRET}\nCANARY\nb=short\n`) });
    expect(faults.map((line) => line.slice(0, 39))).toEqual([
      'MESHNET_ADMIN_KEYS_FILE: line 2 must be',
      'MESHNET_ADMIN_KEYS_FILE: line 3 must be',
    ]);
    expect(faults.join()).not.toMatch(/CANARY|short/);
    expect(faultsOf({ MESHNET_ADMIN_KEYS_FILE: join(home, 'absent') })).toEqual([
      'MESHNET_ADMIN_KEYS_FILE: must be the path of a readable file, no pipe or device, of at most 1 MiB',
    ]);
  });

  it('stop the start where two have one secret, or one name', () => {
    expect(faultsOf({ MESHNET_API_KEYS: `alice=${SECRET}`, MESHNET_ADMIN_KEYS: `bob=${SECRET}` })).toEqual([
      'keys: alice and bob have the same secret; give each its own',
    ]);
    expect(
      faultsOf({ MESHNET_API_KEYS: `alice=${SECRET}`, MESHNET_API_KEYS_FILE: aFile(`alice=${OTHER}`) }),
    ).toEqual(['MESHNET_API_KEYS: a name stands there and in MESHNET_API_KEYS_FILE']);
  });

  it('are no part of settings as text', () => {
    const reading = readSettings({ argv: [], env: { MESHNET_API_KEYS: `alice=${SECRET}` } });
    expect(JSON.stringify(reading)).not.toContain(SECRET);
  });
});

describe('reading the files again', () => {
  it('takes new keys, drops those that are gone, and tells whether any is', () => {
    const file = aFile(`alice=${SECRET}`);
    const { access, logger } = accessOf({ MESHNET_API_KEYS_FILE: file });
    aFile(`alice=${SECRET}\nbob=${OTHER}`);
    expect(access.reload()).toBe(false);
    expect(access.holderOf(OTHER)?.name).toBe('bob');
    aFile(`bob=${OTHER}`);
    expect(access.reload()).toBe(true);
    expect(access.holderOf(SECRET)).toBeNull();
    expect(JSON.stringify(logger.lines)).not.toMatch(/a-secret/);
  });

  it.each(['CANARY', `alice=${SECRET}\nalice=${OTHER}`])(
    'keeps the keys it has where the file is %j, and says so',
    (text) => {
      const { access, logger } = accessOf({ MESHNET_API_KEYS_FILE: aFile(`alice=${SECRET}`) });
      aFile(text);
      expect(access.reload()).toBe(false);
      expect(access.holderOf(SECRET)?.name).toBe('alice');
      expect(logger.of('keys.refused')).toHaveLength(1);
      expect(JSON.stringify(logger.lines)).not.toMatch(/CANARY|a-secret/);
    },
  );

  it.each(
    ['127.0.0.1', '0.0.0.0'].flatMap((host) =>
      ROLES.map(([role, variable]) => [host, role, variable] as const),
    ),
  )('without keys closes on %s what they opened: %s', (host, role, variable) => {
    const { access, logger } = accessOf({
      MESHNET_HOST: host,
      ...(role === 'client' ? {} : { MESHNET_API_KEYS: `other=${OTHER}` }),
      [variable]: aFile(`alice=${SECRET}`),
    });
    aFile('# nobody\n');
    expect(access.reload()).toBe(true);
    expect(access.doorOf(role)).toBe('closed');
    expect(access.holderOf(SECRET)).toBeNull();
    expect(logger.of('keys.none')).toMatchObject([{ fields: { closed_to_everybody: [role] } }]);
    aFile(`alice=${SECRET}`);
    access.reload();
    expect(access.doorOf(role)).toBe('keys');
  });

  it('is the same at start, on loopback', () => {
    const { access, logger } = accessOf({ MESHNET_ADMIN_KEYS_FILE: aFile('') });
    expect([access.doorOf('client'), access.doorOf('admin')]).toEqual(['open', 'closed']);
    access.warn();
    expect(logger.of('keys.none')).toMatchObject([{ fields: { closed_to_everybody: ['admin'] } }]);
  });

  it('leaves chats to whoever shows no key where anybody may, and to no key', () => {
    const { access } = accessOf({ MESHNET_ALLOW_ANONYMOUS: 'true', MESHNET_API_KEYS_FILE: aFile('') });
    expect([access.doorOf('client'), access.takesAnonymous]).toEqual(['keys', true]);
  });
});

describe('a file of keys', () => {
  it.each([
    ['a pipe that nobody writes to', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
    ['too large', (path: string) => writeFileSync(path, '#'.repeat(1024 * 1024 + 1))],
    ['absent', () => undefined],
  ])('stops the start, at once, as %s', (name, make) => {
    const path = join(home, name);
    make(path);
    expect(faultsOf({ MESHNET_API_KEYS_FILE: path })).toEqual([
      'MESHNET_API_KEYS_FILE: must be the path of a readable file, no pipe or device, of at most 1 MiB',
    ]);
  });
});
