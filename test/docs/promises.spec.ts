import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseNodesFile } from '../../src/registry/nodes-file.js';
import { readSettings } from '../../src/settings/index.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const pages = ['README.md', 'CHANGELOG.md', ...markdownIn('docs')];

function markdownIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

/** `NAME=value` lines of the example. */
function exampleVariables(): Record<string, string> {
  const lines = read('config/tracker.env.example')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string]));
}

/** Files that a page leads to or shows: of links, of pictures, and of pictures that are links. */
function linksOf(markdown: string): string[] {
  const inText = markdown.matchAll(/\]\(\s*<?(?!\w+:|#)([^)\s>#]+)/g);
  const inTags = markdown.matchAll(/<(?:img|a|source)\b[^>]*?\b(?:src|href|srcset)="(?!\w+:|#)([^"\s#]+)/g);
  return [...inText, ...inTags].map(([, target]) => target ?? '');
}

describe('the pages', () => {
  it('are searched for links and pictures alike, whichever way they are written', () => {
    const page =
      '[a](a.md#top) ![b](b.png) [![c](c.png "Title")](<c.md>) <img alt="d" src="d.svg"> [e](#e) ![f](https://f/f.png)';
    expect(linksOf(page)).toEqual(['a.md', 'b.png', 'c.png', 'c.md', 'd.svg']);
  });

  it.each(pages)('%s links to nothing that is not there', (page) => {
    const broken = linksOf(read(page)).filter((target) => !existsSync(resolve(ROOT, dirname(page), target)));
    expect(broken).toEqual([]);
  });

  it('lead through files that exist, all of the chat path', () => {
    expect([...read('docs/request-path.md').matchAll(/\.\.\/src\//g)].length).toBeGreaterThan(25);
  });

  it('name commands that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name),
    );
    expect(named.filter((name) => scripts[name ?? ''] === undefined)).toEqual([]);
    expect(named.length).toBeGreaterThan(2);
  });
});

describe('the examples in config/', () => {
  it('give every variable there is, each with its default', () => {
    const variables = exampleVariables();
    const withExample = readSettings({ argv: [], env: variables });
    const withNothing = readSettings({ argv: [], env: {} });
    expect(withExample).toEqual(withNothing);
    const classes = readdirSync(join(ROOT, 'src/settings'))
      .filter((name) => name.endsWith('settings.ts'))
      .map((name) => read(`src/settings/${name}`))
      .join('');
    const sources = classes.matchAll(/env: '(\w+)'/g);
    expect(Object.keys(variables).sort()).toEqual([...sources].map(([, name]) => name).sort());
  });

  it('have a nodes file that can be used', () => {
    const secrets = { variable: () => 'a-key', file: () => 'a-key' };
    expect(parseNodesFile(read('config/nodes.example.json'), secrets)).toHaveLength(4);
    expect(parseNodesFile(read('config/nodes/nodes.json'), secrets)).toEqual([]);
  });

  it('let a container drain before it is killed', () => {
    const grace = /stop_grace_period: (\d+)s/.exec(read('config/compose.yaml'))?.[1];
    expect(Number(grace)).toBeGreaterThan(Number(exampleVariables().MESHNET_DRAIN_SECONDS));
  });
});
