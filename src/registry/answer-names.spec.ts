import { beforeEach, describe, expect, it } from '@jest/globals';
import { aNode } from '../../test/support/builders.js';
import { AnswerNames } from './answer-names.js';
import type { MeshNode } from './node.js';

const listed = (stated: Partial<MeshNode> = {}): MeshNode =>
  aNode({ wallet: 'w', model: 'key', source: 'nodes_file', ...stated });

let names: AnswerNames;
beforeEach(() => {
  names = new AnswerNames();
});

function verdicts(node: MeshNode, ...said: (string | null)[]): string[] {
  return said.map((name) => names.check(node, name));
}

describe('a name in an answer of a listed node', () => {
  it('is known when it is the model key, the upstream_model, or missing', () => {
    const node = listed({ upstreamModel: 'up:latest' });
    expect(verdicts(node, 'key', 'up:latest', null, '', 7 as never)).toEqual(Array(5).fill('known'));
  });

  it('is known when it is the first that an answer carried', () => {
    const node = listed();
    expect(verdicts(node, null, '', 'file.gguf', 'file.gguf', 'key')).toEqual(Array(5).fill('known'));
    expect(verdicts(node, 'other')).toEqual(['new']);
  });

  it('is new once, and then repeated, until it is confirmed', () => {
    const node = listed();
    expect(verdicts(node, 'key', 'b', 'b', 'key', 'b')).toEqual([
      ...['known', 'new', 'repeated', 'known', 'repeated'],
    ]);
    names.confirm(node, 'b');
    expect(verdicts(node, 'b', 'key', 'c')).toEqual(['known', 'known', 'new']);
    expect(names.namesOf(node)).toEqual(['key', 'b']);
  });

  it('is not made known by a confirmation of another name, or of none that was heard', () => {
    const node = listed();
    verdicts(node, 'key', 'b');
    names.confirm(node, 'c');
    expect(verdicts(node, 'b', 'c')).toEqual(['repeated', 'new']);
  });

  it('is compared by its first 256 characters', () => {
    const node = listed({ upstreamModel: 'u'.repeat(400) });
    const long = 'x'.repeat(256);
    expect(verdicts(node, `${long}1`, `${long}2`, 'u'.repeat(300), 'x'.repeat(255))).toEqual([
      ...['known', 'known', 'known', 'new'],
    ]);
  });

  it('is forgotten when eight others were learned since', () => {
    const node = listed();
    verdicts(node, 'n0');
    for (let n = 1; n <= 8; n += 1) {
      expect(names.check(node, `n${String(n)}`)).toBe('new');
      names.confirm(node, `n${String(n)}`);
    }
    expect(names.namesOf(node)).toHaveLength(1 + 8);
    expect(verdicts(node, 'n8', 'n1', 'key', 'n0')).toEqual(['known', 'known', 'known', 'new']);
  });

  it('is reported for the first sixteen changes of a registration', () => {
    const node = listed();
    const said = Array.from({ length: 100 }, (_, n) => `n${String(n)}`);
    expect(verdicts(node, 'key', ...said).filter((verdict) => verdict === 'new')).toHaveLength(16);
  });

  it('is learned anew when the node registers anew', () => {
    const node = listed() as { -readonly [K in keyof MeshNode]: MeshNode[K] };
    verdicts(node, 'a', 'b');
    node.incarnation += 1;
    names.confirm(node, 'b');
    expect(names.namesOf(node)).toEqual(['key']);
    expect(verdicts(node, 'c', 'a')).toEqual(['known', 'new']);
  });

  it("is one node's own", () => {
    const [one, other] = [listed(), listed()];
    expect([names.check(one, 'a'), names.check(other, 'b'), names.check(one, 'b')]).toEqual([
      ...['known', 'known', 'new'],
    ]);
  });
});

describe('a name in an answer of a self-registered node', () => {
  it('is known from the second answer on', () => {
    const node = listed({ source: 'registered' });
    expect(verdicts(node, 'key', 'b', 'b', 'c', 'b', 'key')).toEqual([
      ...['known', 'new', 'known', 'new', 'known', 'known'],
    ]);
  });
});
