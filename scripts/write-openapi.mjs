/** Writes docs/openapi.json from what was built; a test holds the copy to the code. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import 'reflect-metadata';

const root = resolve(import.meta.dirname, '..');
const { wholeDocument } = await import('../dist/api-docs/index.js');
const { packageVersion } = await import('../dist/settings/index.js');

const document = await wholeDocument(packageVersion());
writeFileSync(resolve(root, 'docs/openapi.json'), `${JSON.stringify(document, null, 2)}\n`);
