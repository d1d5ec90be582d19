import { afterAll, describe, expect, it } from '@jest/globals';
import { wholeDocument } from '../../src/api-docs/index.js';
import { CHAT_PATHS } from '../../src/http/chat-paths.js';
import { API_CASES } from '../support/api-cases.js';
import { ApiContract, eventNames, type Documented } from '../support/api-contract.js';
import { ApiWorld } from '../support/api-world.js';
import { errorOf, jsonOf } from '../support/http-client.js';
import { Stage } from '../support/stage.js';

const document = await wholeDocument('0.0.0');
const contract = new ApiContract(document);
const stage = new Stage();
const world = new ApiWorld(stage);
afterAll(() => stage.end());

/** `operation status code`, or without a code where no fault is documented. */
function documentedAnswers({ operation }: Documented): string[] {
  return Object.entries(operation.responses).flatMap(([status, answer]) => {
    const codes = /Codes: (.*?)\./.exec(answer.description)?.[1] ?? '';
    const names = [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => ` ${String(code)}`);
    return (names.length > 0 ? names : ['']).map((code) => `${operation.operationId} ${status}${code}`);
  });
}

const cases = Object.entries(API_CASES).flatMap(([operationId, byKey]) =>
  Object.entries(byKey).map(([key, call]) => ({ operationId, key, call })),
);

describe('what is documented and what is served', () => {
  it('are the same paths and methods', async () => {
    const tracker = await world.mesh();
    const { router } = tracker.app.getHttpAdapter().getInstance() as unknown as { router: Router };
    const served = router.stack.flatMap(({ route }) =>
      route === undefined
        ? []
        : Object.keys(route.methods).map((method) => `${method} ${templated(route.path)}`),
    );
    const lane = CHAT_PATHS.map((path) => `post ${path}`);
    const documented = contract.operations.map(({ method, path }) => `${method} ${templated(path)}`);
    // What applies to a controller's paths stands among them once more.
    expect([...new Set([...served, ...lane])].sort()).toEqual(documented.sort());
  });

  it('are the same document', async () => {
    const reply = await (await world.mesh()).api.get('/openapi.json');
    expect(jsonOf(reply)).toMatchObject({ paths: document.paths, components: document.components });
  });

  it('are called here, each answer and each code, without exception', () => {
    const documented = contract.operations.flatMap(documentedAnswers);
    const called = cases.map(({ operationId, key }) => {
      const [status = '', word = ''] = key.split(' ');
      const withCode = `${operationId} ${status} ${word}`;
      return documented.includes(withCode) ? withCode : `${operationId} ${status}`;
    });
    expect(documented.filter((answer) => !called.includes(answer))).toEqual([]);
    expect(called.filter((answer) => !documented.includes(answer))).toEqual([]);
  });
});

describe('every answer is as documented', () => {
  it.each(cases)('$operationId: $key', async ({ operationId, key, call }) => {
    const reply = await call(world);
    expect(contract.wrongsOfReply(operationId, reply)).toEqual([]);
    const [status = '', word] = key.split(' ');
    expect(String(reply.status)).toMatch(new RegExp(`^${status.replaceAll('X', '\\d')}$`));
    if (/^\d+ \w+$/.test(key) && reply.status >= 400) expect(errorOf(reply).code).toBe(word);
  });

  it('streams tell of all that they are documented to tell', async () => {
    const reply = await API_CASES.watchEvents!['200']!(world);
    const { content } = contract.operation('watchEvents').responses['200']!;
    const documented = Object.keys(content!['text/event-stream']!['x-events']!);
    expect([...new Set(eventNames(reply.text))].sort()).toEqual(documented.sort());
  });

  it('timelines hold all that they are documented to hold', async () => {
    const reply = await API_CASES.listTimeline!['200']!(world);
    const types = (jsonOf(reply) as { data: { type: string }[] }).data.map(({ type }) => type);
    const expected = [
      ...['breaker.changed', 'epoch.bumped', 'node.resting', 'nodes_file.read', 'nodes_file.refused'],
    ];
    expect([...new Set(types)].sort()).toEqual(expected);
  });
});

interface Router {
  readonly stack: readonly {
    readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  }[];
}

/** One spelling for `/a/:b`, `/a/*b` and `/a/{b}`. */
function templated(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}').replace(/\{\w+\}/g, '{}');
}
