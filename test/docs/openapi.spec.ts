import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { wholeDocument } from '../../src/api-docs/index.js';
import { packageVersion } from '../../src/settings/index.js';
import { ApiContract, type DocumentedMedia } from '../support/api-contract.js';

const ROOT = resolve(import.meta.dirname, '../..');
const document = await wholeDocument(packageVersion());
const contract = new ApiContract(document);
const { operations } = contract;

/** Everything that has a schema and examples: bodies asked for and answered. */
function mediaOf({ requestBody, responses }: (typeof operations)[number]['operation']): DocumentedMedia[] {
  return [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}));
}

describe('docs/openapi.json', () => {
  it('is what the code says', () => {
    const copy = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as unknown;
    const isCurrent = JSON.stringify(copy) === JSON.stringify(document);
    expect(isCurrent ? '' : 'docs/openapi.json is out of date: npm run docs:openapi').toBe('');
  });
});

describe('the OpenAPI document', () => {
  it('is of version 3.1 and of this tracker', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Meshnet tracker', version: packageVersion() },
    });
  });

  it('gives each operation an id of its own, and tags that are described', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    expect(new Set(tags).size).toBe(tags.length);
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    expect([...used].sort()).toEqual([...tags].sort());
  });

  it('describes each operation and each answer in words', () => {
    for (const { operation } of operations) {
      const answers = Object.values(operation.responses);
      expect(answers.length).toBeGreaterThan(0);
      const words = [operation.summary, ...[operation, ...answers].map(({ description }) => description)];
      expect(words.filter((said) => said === '')).toEqual([]);
    }
  });

  it.each(operations)('declares what the path of $method $path names, once', ({ path, operation }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const parameters = operation.parameters ?? [];
    const declared = parameters.filter((parameter) => parameter.in === 'path');
    expect(declared.map(({ name }) => name)).toEqual(named);
    for (const { required } of declared) expect(required).toBe(true);
    const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { required = false, schema, example } of parameters) {
      // The page fills examples in, so whatever may be left out has none.
      expect(example !== undefined).toBe(required);
      if (required) expect(contract.wrongs(schema, example)).toEqual([]);
    }
  });

  it.each(operations)('shows examples of $method $path that fit their schemas', ({ operation }) => {
    for (const { schema, examples = {} } of mediaOf(operation)) {
      for (const { value } of Object.values(examples)) expect(contract.wrongs(schema, value)).toEqual([]);
    }
  });

  it('shows streams whose events fit the schemas of their names', () => {
    const streams = operations.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap(({ content = {} }) =>
        content['text/event-stream'] === undefined ? [] : [content],
      ),
    );
    expect(streams.length).toBeGreaterThan(2);
    for (const content of streams) {
      const text = String(content['text/event-stream']?.examples?.example?.value);
      expect(text).toContain('data: ');
      expect(contract.wrongEvents(content, text)).toEqual([]);
    }
  });

  it('shows an example of every JSON answer of its own', () => {
    const bare = operations.flatMap(({ path, operation }) =>
      Object.entries(operation.responses)
        .filter(([, { content }]) => content?.['application/json'] !== undefined)
        .filter(([, { content }]) => content?.['application/json']?.examples === undefined)
        .map(([status]) => `${path} ${status}`),
    );
    // A head's own error has no shape that could be shown, and the document can't show itself.
    const excused = /(\/completions [45]XX|\/openapi.json 200)$/;
    expect(bare.filter((answer) => !excused.test(answer))).toEqual([]);
  });

  it('has only schemas that can be understood, each referred to from somewhere', () => {
    const text = JSON.stringify(document);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(text).toContain(`"#/components/schemas/${name}"`);
      expect(() => contract.wrongs({ $ref: `openapi#/$defs/${name}` }, null)).not.toThrow();
      expect(schema).toHaveProperty('description');
    }
    const known = Object.keys(document.components.schemas);
    const used = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect([...new Set(used)].sort()).toEqual(known.sort());
  });
});
