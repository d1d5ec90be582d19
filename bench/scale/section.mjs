/** Puts what a bench printed into a page, between `<!-- NAME: … -->` and `<!-- /NAME -->`, laid out as the rest of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';

/** @param {string} file @param {string} name @param {string} text Markdown */
export async function putSection(file, name, text) {
  const page = readFileSync(file, 'utf8');
  const marks = new RegExp(`(<!-- ${name}:[^>]*-->\\n)[^]*?(<!-- /${name} -->)`);
  if (!marks.test(page)) throw new Error(`${file} has no marks of ${name}`);
  const filled = page.replace(marks, (_whole, begin, end) => `${begin}\n${text}\n\n${end}`);
  writeFileSync(file, await format(filled, { ...(await resolveConfig(file)), filepath: file }));
}
