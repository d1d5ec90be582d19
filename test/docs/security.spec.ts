import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const security = readFileSync('docs/security.md', 'utf8');

describe('docs/security.md', () => {
  it('names settings that exist', () => {
    const example = readFileSync('config/tracker.env.example', 'utf8');
    const known = new Set(example.match(/MESHNET_[A-Z_]+/g));
    const named = security.match(/MESHNET_[A-Z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('says how to report, and is pointed to by what a finder reads first', () => {
    expect(security).toContain('SECURITY.md');
    expect(readFileSync('SECURITY.md', 'utf8')).toContain('docs/security.md');
    expect(readFileSync('README.md', 'utf8')).toContain('docs/security.md');
  });
});

describe('npm run sbom', () => {
  it('lists every production dependency, and no place that it was fetched from or built in', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
    try {
      const file = join(folder, 'sbom.json');
      execFileSync(process.execPath, ['scripts/write-sbom.mjs', file]);
      const text = readFileSync(file, 'utf8');
      const sbom = JSON.parse(text) as { bomFormat: string; components: { name: string }[] };
      const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
        dependencies: Record<string, string>;
      };
      expect(sbom.bomFormat).toBe('CycloneDX');
      expect(sbom.components.map(({ name }) => name)).toEqual(
        expect.arrayContaining(Object.keys(dependencies)),
      );
      expect(text.match(/https?:\/\/[^/"]+/g)).toEqual(['http://cyclonedx.org']);
      expect(text).not.toContain(process.cwd());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
