import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { NodeKey } from '../../src/demo/node-key.js';
import { registrationText } from '../../src/wallet-proof/index.js';
import { eventually } from '../support/eventually.js';
import { errorOf, send, type Reply } from '../support/http-client.js';
import { ManualClock } from '../support/manual-clock.js';
import { sendChat, sendJson } from '../support/openai-answers.js';
import { Program } from '../support/program.js';
import { Stage, type StagedTracker } from '../support/stage.js';
import { aWallet } from '../support/wallets.js';

const REQUIRED = { MESHNET_REQUIRE_WALLET_PROOF: 'true' };
const PAGE = readFileSync('docs/node-protocol.md', 'utf8');
/** Past Nest, and through it. */
const WAYS = [
  ['past Nest', { 'content-type': 'application/json' }],
  ['through Nest', { 'content-type': 'application/json; charset="utf-8"' }],
] as const;

const stage = new Stage();
afterEach(() => stage.end());

const [ALICE, BOB] = [aWallet(), aWallet()];

/** What a block of this language on the page says. */
function onPage(language: string): string {
  const section = PAGE.slice(PAGE.indexOf('## Proving a wallet'));
  const block = new RegExp(`\`\`\`${language}\\n([^\`]*(?:\`(?!\`\`)[^\`]*)*)\`\`\``).exec(section)?.[1];
  if (block === undefined) throw new Error(`the page has no ${language}`);
  return block;
}

function aNode(key: NodeKey, more: object = {}): object {
  return { wallet: key.wallet, endpoint: 'http://h:9001', model: 'm', ...more };
}

function signed(body: object, key: NodeKey, timeMs = Date.now()): object {
  return { ...body, proof: key.proofOf(body, 'meshnet', timeMs) };
}

function post(
  tracker: StagedTracker,
  body: object,
  headers: Record<string, string> = WAYS[0][1],
): Promise<Reply> {
  return send(`${tracker.url}/v1/nodes`, { method: 'POST', headers, body });
}

describe.each(WAYS)('where wallets have to be proven, a registration %s', (_way, headers) => {
  const register = async (tracker: StagedTracker, body: object): Promise<string> => {
    const reply = await post(tracker, body, headers);
    return reply.status < 300
      ? String(reply.status)
      : `${String(reply.status)} ${String(errorOf(reply).code)}`;
  };

  it('is taken with a proof, once, and not without', async () => {
    const tracker = await stage.tracker({ env: REQUIRED });
    const body = signed(aNode(ALICE), ALICE);
    expect(await register(tracker, aNode(ALICE))).toBe('403 wallet_proof_required');
    expect(await register(tracker, body)).toBe('201');
    expect(await register(tracker, body)).toBe('403 wallet_proof_invalid');
    expect(await register(tracker, signed(aNode(ALICE), ALICE))).toBe('200');
    expect(await register(tracker, signed(aNode(BOB), ALICE))).toBe('403 wallet_proof_invalid');
    expect(await register(tracker, { ...aNode(ALICE), proof: 'yes' })).toBe('400 invalid_request');
    expect(await register(tracker, { ...signed(aNode(ALICE), ALICE), wallet: 'alice' })).toBe(
      '400 invalid_request',
    );
  });

  it('has a minute, by the tracker’s clock', async () => {
    const clock = new ManualClock();
    const tracker = await stage.tracker({ env: REQUIRED, parts: { clock } });
    clock.advance(100_000);
    const [late, early] = [-60_001, 60_001].map((ms) => signed(aNode(ALICE), ALICE, clock.wallMs() + ms));
    expect(await register(tracker, late ?? {})).toBe('403 wallet_proof_invalid');
    expect(await register(tracker, early ?? {})).toBe('403 wallet_proof_invalid');
    expect(await register(tracker, signed(aNode(ALICE), ALICE, clock.wallMs() - 60_000))).toBe('201');
    clock.advance(1000);
  });

  it('takes no other wallet’s endpoint, as a shard or whole, and may move its own', async () => {
    const tracker = await stage.tracker({ env: REQUIRED });
    const shard = { num_layers: 4, shard_start: 0, shard_end: 3 };
    expect(await register(tracker, signed(aNode(ALICE, { name: 'gpu', ...shard }), ALICE))).toBe('201');
    for (const more of [
      shard,
      { model: 'other' },
      { model: 'm2', ...shard },
      { endpoint: 'http://H:9001/v1/' },
    ]) {
      expect(await register(tracker, signed(aNode(BOB, more), BOB))).toBe('409 conflict');
    }
    expect(await tracker.api.nodes()).toMatchObject([
      { node_id: `${ALICE.wallet}.gpu:0-3`, endpoint: 'http://h:9001' },
    ]);
    expect(await register(tracker, signed(aNode(ALICE, { name: 'new', ...shard }), ALICE))).toBe('201');
    const moved = aNode(ALICE, { name: 'new', ...shard, endpoint: 'http://h:9002' });
    expect(await register(tracker, signed(moved, ALICE))).toBe('200');
    expect(await register(tracker, signed(aNode(BOB, shard), BOB))).toBe('201');
    // Moved onto another wallet's endpoint it is not, and stays where it was.
    expect(await register(tracker, signed(aNode(BOB, { ...shard, endpoint: 'http://h:9002' }), BOB))).toBe(
      '409 conflict',
    );
    expect((await tracker.api.nodes()).map(({ endpoint }) => endpoint).sort()).toEqual([
      'http://h:9001',
      'http://h:9002',
    ]);
  });
});

describe('a proof', () => {
  it('is needed neither for --node nor the nodes file, whose servers nobody takes over', async () => {
    const head = await stage.head((response, chat) =>
      chat.method === 'GET' ? sendJson(response, 200, { data: [{ id: 'm' }] }) : sendChat(response, chat),
    );
    const tracker = await stage.tracker({ env: REQUIRED, argv: ['--node', head.url] });
    expect((await tracker.api.chat({ model: 'm' })).status).toBe(200);
    const reply = await post(tracker, signed(aNode(ALICE, { endpoint: head.url }), ALICE));
    expect([reply.status, errorOf(reply).param]).toEqual([409, 'endpoint']);
    expect(await tracker.api.nodes()).toHaveLength(1);
  });

  it('that is wrong is refused where none is required, and others take endpoints over as ever', async () => {
    const tracker = await stage.tracker();
    expect((await post(tracker, signed(aNode(ALICE), BOB))).status).toBe(403);
    expect((await post(tracker, signed(aNode(ALICE), ALICE))).status).toBe(201);
    expect((await post(tracker, aNode(BOB))).status).toBe(201);
    expect(await tracker.api.nodes()).toMatchObject([{ node_id: `${BOB.wallet}:all` }]);
  });

  it('is needed for no heartbeat and no goodbye, which the lease is the secret of', async () => {
    const tracker = await stage.tracker({ env: REQUIRED });
    const { lease_id: lease } = await tracker.api.register(signed(aNode(ALICE), ALICE));
    expect((await tracker.api.ask('PUT', `/v1/leases/${lease}`, { queue_depth: 1 })).status).toBe(200);
    expect((await tracker.api.ask('DELETE', `/v1/leases/${lease}`)).status).toBe(204);
  });
});

describe('docs/node-protocol.md', () => {
  it('has a text, key and signature that fit', () => {
    const pkcs8 = Buffer.from(`302e020100300506032b657004220420${onPage('key').trim()}`, 'hex');
    const key = new NodeKey(createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }));
    const said = Object.fromEntries(
      onPage('text')
        .split('\n')
        .filter((line) => line.includes('='))
        .map((line) => {
          const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
          return [name, JSON.parse(value) as unknown];
        }),
    );
    const { tracker, time_ms: timeMs, nonce, ...fields } = said;
    expect(fields.wallet).toBe(key.wallet);
    const context = { tracker: String(tracker), timeMs: Number(timeMs), nonce: String(nonce) };
    expect(registrationText(fields, context)).toBe(onPage('text'));
    expect(key.signatureOf(onPage('text'))).toBe(onPage('signature').trim());
  });

  it('shows a program whose registration is taken', async () => {
    const home = mkdtempSync(join(tmpdir(), 'node-'));
    stage.atEnd(() => rmSync(home, { recursive: true }));
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(join(home, 'node.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const tracker = await stage.tracker({ env: REQUIRED });
    const args = ['--input-type=module', '-e', onPage('js')];
    const body = execFileSync(process.execPath, args, { cwd: home, encoding: 'utf8' });
    const { node_id: nodeId } = await tracker.api.register(JSON.parse(body) as object);
    expect(nodeId).toBe(`${new NodeKey(privateKey).wallet}.gpu:0-3`);
  });
});

describe('the reference node', () => {
  let program: Program;
  let home: string;
  beforeAll(() => {
    program = new Program();
    home = mkdtempSync(join(tmpdir(), 'node-'));
  });
  afterEach(() => program.killAll());
  afterAll(() => {
    program.remove();
    rmSync(home, { recursive: true });
  });
  const node = (...flags: string[]): ReturnType<Program['start']> =>
    program.start(['--model', 'm', ...flags], {}, 'demo/reference-node.main.js');

  it('makes its key, for its owner alone, joins with it and is the same when it comes again', async () => {
    const tracker = await stage.tracker({ env: REQUIRED });
    const file = join(home, 'made.pem');
    const ids: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      const run = node('--tracker', tracker.url, '--key', file);
      ids.push(
        await eventually(async () => {
          const [row] = await tracker.api.nodes();
          if (row === undefined) throw new Error(run.stdout + run.stderr);
          return row.node_id;
        }, 15_000),
      );
      expect(
        (await tracker.api.chat({ model: 'm', messages: [{ role: 'user', content: 'x' }] })).status,
      ).toBe(200);
      run.signal('SIGTERM');
      expect(await run.ended).toBe(0);
      expect(await tracker.api.nodes()).toEqual([]);
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(ids).toEqual([`${new NodeKey(createPrivateKey(readFileSync(file))).wallet}:all`, ids[0]]);
  });

  it('is not taken by a tracker of another name, and says so', async () => {
    const tracker = await stage.tracker({ env: { ...REQUIRED, MESHNET_TRACKER_NAME: 'lab' } });
    const file = join(home, 'named.pem');
    const stranger = node('--tracker', tracker.url, '--key', file);
    await eventually(() => expect(stranger.stdout).toContain('it answered 403'), 15_000);
    expect(await tracker.api.nodes()).toEqual([]);
    node('--tracker', tracker.url, '--key', file, '--tracker-name', 'lab');
    await eventually(async () => expect(await tracker.api.nodes()).toHaveLength(1), 15_000);
  });

  it('exits 78 where its key is none, and leaves the file as it was', async () => {
    const file = join(home, 'none.pem');
    writeFileSync(file, 'CANARY');
    const run = node('--key', file);
    expect(await run.ended).toBe(78);
    expect(run.stderr).toMatch(/^--key must be [^\n]*\n$/);
    expect(run.stderr).not.toContain('CANARY');
    expect(readFileSync(file, 'utf8')).toBe('CANARY');
    const nowhere = join(home, 'no', 'such', 'folder.pem');
    expect(await node('--key', nowhere).ended).toBe(78);
    expect(existsSync(nowhere)).toBe(false);
  });
});
