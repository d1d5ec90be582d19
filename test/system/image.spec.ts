import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/free-port.js';

const ROOT = resolve(import.meta.dirname, '../..');

interface Image {
  /** Folder that stands for the last stage's file system. */
  readonly root: string;
  readonly env: Record<string, string>;
  readonly entrypoint: string[];
  readonly healthcheck: string[];
  readonly user: string | null;
}

/** Runs the Dockerfile's own steps in folders, one a stage: there may be no Docker engine to run them. */
function build(dockerfile: string, work: string): Image {
  const roots = new Map<string, string>();
  let root = '';
  let directory = '/';
  let env: Record<string, string> = {};
  let user: string | null = null;
  let entrypoint: string[] = [];
  let healthcheck: string[] = [];
  for (const line of dockerfile
    .replace(/^#.*$/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')) {
    const [instruction = '', ...words] = line.trim().split(/\s+/);
    const rest = words.join(' ');
    if (instruction === 'FROM') {
      const name = /\sAS\s+(\w+)/i.exec(` ${rest}`)?.[1] ?? 'final';
      root = join(work, name);
      mkdirSync(root);
      roots.set(name, root);
      [directory, env, user] = ['/', {}, null];
    } else if (instruction === 'WORKDIR') {
      directory = rest;
      mkdirSync(join(root, directory), { recursive: true });
    } else if (instruction === 'COPY') {
      const from = /--from=(\w+)/.exec(rest)?.[1];
      const paths = words.filter((word) => !word.startsWith('--'));
      const target = join(root, directory, paths.pop() ?? '.');
      for (const path of paths) {
        const source = from === undefined ? join(ROOT, path) : join(roots.get(from) ?? '', path);
        cpSync(source, isFolder(source) ? target : join(target, basename(path)), { recursive: true });
      }
    } else if (instruction === 'RUN') {
      execFileSync('sh', ['-c', rest], { cwd: join(root, directory), stdio: 'pipe' });
    } else if (instruction === 'ENV') {
      for (const [, name, value] of rest.matchAll(/(\w+)=(\S+)/g)) env[name ?? ''] = value ?? '';
    } else if (instruction === 'USER') user = rest;
    else if (instruction === 'ENTRYPOINT') entrypoint = JSON.parse(rest) as string[];
    else if (instruction === 'HEALTHCHECK')
      healthcheck = JSON.parse(/CMD (.*)$/.exec(rest)?.[1] ?? '[]') as string[];
  }
  return { root: join(root, directory), env, entrypoint, healthcheck, user };
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

describe('the image', () => {
  let work = '';
  let image: Image;
  let tracker: ChildProcess | null = null;

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), 'meshnet-image-'));
    image = build(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'), work);
  });

  afterAll(() => {
    tracker?.kill('SIGKILL');
    rmSync(work, { recursive: true, force: true });
  });

  it('holds production dependencies, the build and nothing else', () => {
    expect(existsSync(join(image.root, 'node_modules/undici'))).toBe(true);
    for (const absent of ['node_modules/jest', 'node_modules/typescript', 'src', 'test', '.git']) {
      expect(existsSync(join(image.root, absent))).toBe(false);
    }
  });

  it('runs as somebody who is not root, with node as process 1', () => {
    expect(image.user).toBe('node');
    expect(image.entrypoint[0]).toBe('node');
    expect(image.env).toMatchObject({ MESHNET_HOST: '0.0.0.0', NODE_ENV: 'production' });
  });

  it('starts, passes its own health check, and ends with 0 on SIGTERM', async () => {
    const port = await freePort();
    // Loopback instead of the image's 0.0.0.0: there is no container around it here.
    const env = {
      PATH: process.env.PATH,
      ...image.env,
      MESHNET_HOST: '127.0.0.1',
      MESHNET_PORT: String(port),
    };
    const [program = '', ...args] = image.entrypoint;
    const child = spawn(program, args, { cwd: image.root, env, stdio: 'ignore' });
    tracker = child;
    const ended = new Promise<number | null>((resolved) => child.once('exit', resolved));
    const [checker = '', ...checkArgs] = image.healthcheck;
    const isHealthy = (): boolean => {
      try {
        execFileSync(checker, checkArgs, { cwd: image.root, env, stdio: 'ignore' });
        return true;
      } catch {
        return false;
      }
    };
    let healthy = false;
    for (let look = 0; look < 100 && !healthy; look += 1) {
      healthy = isHealthy();
      if (!healthy) await pause(100);
    }
    expect(healthy).toBe(true);
    for (const path of ['/dashboard', '/docs', '/openapi.json', '/metrics']) {
      const { status } = await fetch(`http://127.0.0.1:${String(port)}${path}`);
      expect([path, status]).toEqual([path, 200]);
    }
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(isHealthy()).toBe(false);
  });
});
