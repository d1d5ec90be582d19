import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const BEGIN = '<!-- scorecard -->';
const END = '<!-- /scorecard -->';
const HEADS = [
  'Fault of the head',
  'Asked for',
  'Client sees, one route',
  'Client sees, two routes',
  'Samples',
  'Reputation',
  'Breaker, one / two routes',
  'Leaks',
];

/** The rows as a Markdown table; a wrong cell is marked. */
export function asMarkdown(rows) {
  const cells = [HEADS, ...rows.map(cellsOf)];
  const widths = HEADS.map((_, at) => Math.max(...cells.map((row) => row[at].length)));
  const line = (row) => `| ${row.map((text, at) => text.padEnd(widths[at])).join(' | ')} |`;
  const [head, ...body] = cells.map(line);
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}

/** Writes the table between its markers, where the file has them; else the file is the table. */
export function writeMarkdown(file, table) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  const hasPlace = begin >= 0 && end > begin;
  writeFileSync(
    file,
    hasPlace ? `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}` : `${table}\n`,
  );
}

function cellsOf({ fault, kind, cells: [one, two] }) {
  const mark = (cell, text) => (cell.isRight ? text : `WRONG: ${text}`);
  return [
    fault.name,
    kind === 'sse' ? 'SSE' : 'JSON',
    mark(one, one.saw),
    mark(two, two.saw),
    same(one.learned.samples, two.learned.samples),
    same(one.learned.reputation, two.learned.reputation),
    same(one.learned.breaker, two.learned.breaker),
    leaksText(one, two),
  ];
}

function same(one, two) {
  return one === two ? String(one) : `${one} / ${two}`;
}

function leaksText(one, two) {
  const leaks = { ...one.leaked, ...two.leaked };
  return Object.keys(leaks).length === 0 ? 'none' : Object.keys(leaks).join(', ');
}
