/** Figures beside their limits, as one Markdown table for people and files alike. */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { putSection } from './section.mjs';

export class Figures {
  rows = [];

  /**
   * @param {string} what
   * @param {number | null} value null or no number: it was not measured
   * @param {{ unit: string, limit?: number, decimals?: number, more?: string }} shown `more` stands beside the figure
   */
  add(what, value, { unit, limit, decimals = 1, more = '' }) {
    const isMeasured = Number.isFinite(value);
    const figure = isMeasured ? `${value.toFixed(decimals)} ${unit}` : 'not measured';
    const text = `${figure}${more === '' ? '' : ` (${more})`}`;
    const verdict = limit === undefined || !isMeasured ? '' : value <= limit ? 'ok' : 'MISSED';
    this.rows.push([what, text, limit === undefined ? '' : `${limit} ${unit}`, verdict]);
    progress(`${what}: ${text} ${verdict}`);
  }

  /**
   * @param {string} title
   * @param {string} [file] where the table goes besides standard output
   * @param {string} [section] the marks in that file between which it goes; without: it is all of the file
   */
  async print(title, file, section) {
    const table = `**${title}** (${machine()})\n\n${markdown([['', 'figure', 'limit', ''], ...this.rows])}\n`;
    console.log(table);
    if (file === undefined) return;
    if (section === undefined) writeFileSync(file, table);
    else await putSection(file, section, table);
  }
}

export function progress(line) {
  console.error(line);
}

/** What it was measured on, and how busy others kept it. */
function machine() {
  const [load] = loadavg();
  return `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, load ${load.toFixed(1)}`;
}

function markdown(rows) {
  const widths = rows[0].map((_, at) => Math.max(3, ...rows.map((row) => row[at].length)));
  const line = (row) => `| ${row.map((text, at) => text.padEnd(widths[at])).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}
