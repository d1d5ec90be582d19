import { beforeEach, describe, expect, it } from '@jest/globals';
import { aNode } from '../../test/support/builders.js';
import { SilentLogger } from '../../test/support/silent-logger.js';
import { SignsOfLifeService, type MeshNode, type StaticNodesService } from './index.js';

const EVENT = 'node.answers_as_another_model';

let asked: MeshNode[];
let isListed: boolean;
let logger: SilentLogger;
let signs: SignsOfLifeService;

beforeEach(() => {
  asked = [];
  isListed = false;
  logger = new SilentLogger();
  const servers: Pick<StaticNodesService, 'probeSoon'> = {
    probeSoon: (node) => {
      asked.push(node);
      return Promise.resolve(isListed);
    },
  };
  signs = new SignsOfLifeService(servers as StaticNodesService, logger);
});

const listed = (stated: Partial<MeshNode> = {}): MeshNode =>
  aNode({ wallet: 'w', name: 'gpu', model: 'a', source: 'flag', ...stated });

async function answered(node: MeshNode, ...names: (string | null)[]): Promise<string[]> {
  const verdicts: string[] = [];
  for (const name of names) {
    verdicts.push(signs.answered(node, name));
    await new Promise((turn) => setImmediate(turn));
  }
  return verdicts;
}

describe('a broken connection', () => {
  it('brings the next probe of its server forward, and says nothing else', () => {
    const node = listed();
    signs.connectionBroke(node);
    expect(asked).toEqual([node]);
    expect(logger.lines).toEqual([]);
  });
});

describe('an answer under a known name', () => {
  it('asks for no probe and logs nothing', async () => {
    expect(await answered(listed(), 'a', null, '')).toEqual(['known', 'known', 'known']);
    expect([asked, logger.lines]).toEqual([[], []]);
  });
});

describe('an answer under another name', () => {
  it('asks for a probe each time, and is logged once', async () => {
    const node = listed();
    expect(await answered(node, 'a', 'b', 'b')).toEqual(['known', 'new', 'new']);
    expect(asked).toEqual([node, node]);
    const fields = { node: 'w.gpu:all', model: 'a', known_names: ['a'], name: 'b' };
    expect(logger.lines).toEqual([{ level: 'warn', event: EVENT, fields }]);
  });

  it('is known from then on when the probe finds the model still listed', async () => {
    isListed = true;
    expect(await answered(listed(), 'a', 'b', 'b', 'a')).toEqual(['known', 'new', 'known', 'known']);
    expect(asked).toHaveLength(1);
  });

  it('is logged in one line of bounded length', async () => {
    await answered(listed(), 'a', `b\n\u0007\u202e\u2028${'c'.repeat(10_000)}`);
    const { name } = logger.of(EVENT)[0]?.fields as { name: string };
    expect(name).toBe(`b${'c'.repeat(255)}`);
  });

  it('of a self-registered node is one answer and one line; the name is known then', async () => {
    const node = listed({ source: 'registered' });
    expect(await answered(node, 'a', 'b', 'b', 'a')).toEqual(['known', 'new', 'known', 'known']);
    expect(logger.of(EVENT)).toHaveLength(1);
  });
});
