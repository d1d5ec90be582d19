/** Cells → a Markdown table: medians with least and most, and ratios to the pipe of the same run. */
const LOAD_NAMES = { json: 'JSON answer', stream: 'stream of 64 chunks' };

export function reportOf(cells, machine) {
  const parts = Object.entries(LOAD_NAMES).map(([load, title]) => loadTable(cells, load, title));
  return [
    `${machine.cores} × ${machine.cpu}, Node ${machine.node}, ${machine.rounds} rounds of ${machine.seconds} s; median (least–most).`,
    ...parts,
    pacedTable(cells),
  ].join('\n\n');
}

function loadTable(cells, load, title) {
  const names = [...new Set(cells.map(({ name }) => name))];
  const pipe = median(of(cells, 'pipe', load, 'cpuMicros'));
  const rows = names.map((name) => {
    const failed = median(of(cells, name, load, 'errors')) > 0;
    if (failed) return `| ${name} | answers are errors | | | |`;
    const cpu = of(cells, name, load, 'cpuMicros').filter((value) => value !== null);
    const ratio = cpu.length === 0 ? '–' : (median(cpu) / pipe).toFixed(2);
    const rss = of(cells, name, load, 'rss').filter((value) => value !== null);
    return `| ${name} | ${spread(of(cells, name, load, 'perSecond'), 0)} | ${spread(cpu, 0)} | ${ratio} | ${spread(rss, 0)} |`;
  });
  return [
    `**${title}**, 32 connections`,
    '',
    '| | requests/s | CPU µs a request | of the pipe’s | RSS MiB |',
    '|---|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}

function pacedTable(cells) {
  const paced = cells.filter(({ load }) => load === 'paced');
  const names = [...new Set(paced.map(({ name }) => name))];
  const base = (key) => median(of(paced, 'direct', 'paced', key));
  const rows = names.map((name) => {
    const added = (key) => (median(of(paced, name, 'paced', key)) - base(key)).toFixed(2);
    return `| ${name} | ${spread(of(paced, name, 'paced', 'p50Ms'), 2)} | ${added('p50Ms')} | ${spread(of(paced, name, 'paced', 'p99Ms'), 2)} | ${added('p99Ms')} |`;
  });
  return [
    `**Time of one request** at ${paced[0]?.rate ?? '?'}/s, half of the tracker's own most`,
    '',
    '| | p50 ms | added | p99 ms | added |',
    '|---|--:|--:|--:|--:|',
    ...rows,
  ].join('\n');
}

function of(cells, name, load, key) {
  return cells.filter((cell) => cell.name === name && cell.load === load).map((cell) => cell[key]);
}

function spread(values, decimals) {
  if (values.length === 0) return '–';
  const say = (value) => value.toFixed(decimals);
  return `${say(median(values))} (${say(Math.min(...values))}–${say(Math.max(...values))})`;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
