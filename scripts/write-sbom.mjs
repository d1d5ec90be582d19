/**
 * Writes dist/sbom.json: what the tracker is shipped with, in CycloneDX. It is read from package-lock.json alone, so
 * that nothing is asked over the network, and is the same wherever it is written: it names no registry, no path,
 * no time and no number made up for the occasion.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const told = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const sbom = JSON.parse(told);
delete sbom.serialNumber;
sbom.metadata = {
  component: { ...withoutPlaces(sbom.metadata.component), name, version },
};
// npm's own --omit=dev also leaves out what is shipped and wanted by a tool as well, Nest itself for one.
const shipped = shippedPackages();
sbom.components = sbom.components.filter((each) => shipped.has(each['bom-ref'])).map(withoutPlaces);
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => shipped.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => shipped.has(each)) }));

const target = process.argv[2] ?? fileURLToPath(new URL('../dist/sbom.json', import.meta.url));
mkdirSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true });
writeFileSync(target, `${JSON.stringify(sbom, null, 2)}\n`);

/** `name@version` of the tracker and of each package that the lock file does not keep to development. */
function shippedPackages() {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
  const refs = Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, entry]) => `${entry.name ?? path.split('node_modules/').pop()}@${entry.version}`);
  return new Set([`${name}@${version}`, ...refs]);
}

/** Where a package was fetched from depends on who builds; its hash does not. */
function withoutPlaces(component) {
  const kept = { ...component };
  delete kept.externalReferences;
  delete kept.properties;
  return kept;
}
