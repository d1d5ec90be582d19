/** Who stands between the load and the upstream, one after the other. Each gives url, the pid that does the work, and an end. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { answers, childrenOf, end, freePort, saying, start } from './processes.mjs';

const HERE = import.meta.dirname;
const ROOT = resolve(HERE, '../..');
const NGINX = '/usr/sbin/nginx';

export const TARGETS = { direct, pipe, nginx, portkey, tracker };

/** @param upstream the port of the reference upstream */
async function direct(upstream) {
  return { url: `http://127.0.0.1:${upstream}`, pid: null, headers: {}, end: async () => undefined };
}

async function pipe(upstream) {
  const child = start(process.execPath, [join(HERE, 'pipe.mjs'), String(upstream)]);
  const port = await saying(child, /^(\d+)$/m);
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, headers: {}, end: () => end(child) };
}

async function nginx(upstream) {
  if (!existsSync(NGINX)) return null;
  const home = mkdtempSync(join(tmpdir(), 'meshnet-nginx-'));
  const port = await freePort();
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${home}/${name};`)
    .join(' ');
  writeFileSync(
    join(home, 'nginx.conf'),
    `worker_processes 1; daemon off; pid ${home}/pid; error_log stderr;
     events { worker_connections 4096; }
     http {
       access_log off; ${folders}
       upstream head { server 127.0.0.1:${upstream}; keepalive 256; }
       server {
         listen 127.0.0.1:${port}; keepalive_requests 1000000000;
         location / {
           proxy_pass http://head; proxy_http_version 1.1; proxy_set_header Connection "";
           proxy_buffering off;
         }
       }
     }`,
  );
  const child = start(NGINX, ['-p', home, '-e', 'stderr', '-c', join(home, 'nginx.conf')]);
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}/v1/models`);
  const [worker] = childrenOf(child.pid);
  const stop = async () => {
    await end(child);
    rmSync(home, { recursive: true, force: true });
  };
  const version = /nginx\/(\S+)/.exec(spawnSync(NGINX, ['-v']).stderr.toString())?.[1];
  return { url, pid: worker, version, headers: {}, end: stop };
}

async function portkey(upstream) {
  const program = createRequire(import.meta.url).resolve('@portkey-ai/gateway/package.json');
  const port = await freePort();
  const child = start(
    process.execPath,
    [join(dirname(program), 'build/start-server.js'), `--port=${port}`, '--headless'],
    { env: { ...process.env, NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: 'localhost,127.0.0.1' } },
  );
  const url = `http://127.0.0.1:${port}`;
  await answers(url);
  const headers = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstream}/v1`,
    authorization: 'Bearer none',
  };
  const { version } = JSON.parse(readFileSync(program, 'utf8'));
  return { url, pid: child.pid, version, headers, end: () => end(child) };
}

/** As it ships: routing, learning, records and metrics are on. */
async function tracker(upstream) {
  const child = start(
    process.execPath,
    [join(ROOT, 'dist/main.js'), ...['--port', '0', '--node', `http://127.0.0.1:${upstream}`]],
    { env: { ...process.env, NODE_ENV: 'production' }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const url = await saying(child, /tracker on (\S+)/);
  for (;;) {
    if ((await fetch(`${url}/readyz`)).ok) break;
    await new Promise((done) => setTimeout(done, 20));
  }
  return { url, pid: child.pid, headers: {}, end: () => end(child) };
}
