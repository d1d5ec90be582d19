/**
 * Writes dist/sbom.json: what the tracker is shipped with, in CycloneDX. It is read from package-lock.json alone, so
 * that nothing is asked over the network, and it is the same wherever it is written: it names no registry, no path,
 * no time and no number made up for the occasion.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const told = execFileSync(
  'npm',
  ['sbom', '--omit=dev', '--omit=optional', '--package-lock-only', '--sbom-format', 'cyclonedx'],
  { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
);
const { serialNumber: _serial, ...sbom } = JSON.parse(told);
sbom.metadata = {
  component: { ...withoutPlaces(sbom.metadata.component), name, version },
};
sbom.components = sbom.components.map(withoutPlaces);

const target = process.argv[2] ?? fileURLToPath(new URL('../dist/sbom.json', import.meta.url));
mkdirSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true });
writeFileSync(target, `${JSON.stringify(sbom, null, 2)}\n`);

/** Where a package was fetched from depends on who builds; its hash does not. */
function withoutPlaces({ externalReferences: _references, properties: _properties, ...component }) {
  return component;
}
