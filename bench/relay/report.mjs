/** Cells → Markdown tables: medians with least and most, and ratios to the pipe of the same round. */
import { TARGETS } from './targets.mjs';

export const LOAD_NAMES = { json: 'JSON answer', stream: 'stream of 64 chunks' };

/** The most that the tracker may cost, as a ratio to the pipe, and add at the median. */
const LIMITS = { json: { ofPipe: 1, addedP50Ms: 0.4 }, stream: { ofPipe: 1.1 } };
const MOST_OF_PORTKEY = 1 / 8;
/** A paced cell in which fewer were answered did not measure that rate. */
export const LEAST_OF_RATE = 0.95;
const MARK = '(!)';

export function reportOf(cells, { machine, node, versions, date, rounds, seconds }) {
  const loads = Object.keys(LOAD_NAMES).filter((load) => cells.some((cell) => cell.load === load));
  return [
    `Of ${date}, on ${machine}, Node ${node} (${versions.join(', ')}); ${rounds} rounds of ${seconds} s each, all in turn. Median (least–most); ratios are medians of each round's own.`,
    ...loads.flatMap((load) => [flatOutTable(cells, load), pacedTable(cells, load)]),
    limits(cells, loads),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function flatOutTable(cells, load) {
  const of = pick(cells, 'flat out', load);
  const rows = namesOf(of()).map((name) => {
    const mine = of(name);
    if (mine.every(({ errors }) => errors > 0)) return `| ${name} | answers are errors | | | |`;
    const cpu = known(mine, 'cpuMicros');
    const ratio = cpu.length === 0 ? '–' : median(ratios(of, name, 'pipe')).toFixed(2);
    return `| ${named(name, mine)} | ${spread(known(mine, 'perSecond'), 0)} | ${spread(cpu, 0)} | ${ratio} | ${spread(known(mine, 'rss'), 0)} |`;
  });
  return table(
    `**${LOAD_NAMES[load]}**, as many as go over 32 connections`,
    ['', 'requests/s', 'CPU µs a request', 'of the pipe’s', 'RSS MiB'],
    rows,
  );
}

function pacedTable(cells, load) {
  const of = pick(cells, 'paced', load);
  if (of().length === 0) return '';
  const rows = namesOf(of()).map((name) => {
    const mine = of(name);
    if (mine.every(({ errors }) => errors > 0)) return `| ${name} | answers are errors | | | | | |`;
    const added = (key) => median(differences(of, name, key)).toFixed(2);
    const ofRate = mine.map((cell) => 100 * cell.ofRate);
    return `| ${named(name, mine)} | ${spread(known(mine, 'p50Ms'), 2)} | ${added('p50Ms')} | ${spread(known(mine, 'p99Ms'), 2)} | ${added('p99Ms')} | ${spread(known(mine, 'cpuMicros'), 0)} | ${spread(ofRate, 1)}${markOf(mine)} |`;
  });
  const time = table(
    `**${LOAD_NAMES[load]}: time of one** at ${of()[0].rate}/s, half of the tracker’s own most`,
    ['', 'p50 ms', 'added', 'p99 ms', 'added', 'CPU µs a request', '% of the rate'],
    rows,
  );
  return `${time}\n\n${senderLine(of())}`;
}

function named(name, cells) {
  const flawed = cells.filter(({ errors }) => errors > 0).length;
  return flawed === 0 ? name : `${name} (errors in ${flawed} of ${cells.length} rounds)`;
}

function markOf(cells) {
  return cells.some(({ ofRate }) => ofRate < LEAST_OF_RATE) ? ` ${MARK}` : '';
}

/** What the sender itself did to the figures. */
function senderLine(cells) {
  const late = cells.map((cell) => cell.sinceDueP50Ms - cell.p50Ms);
  const marked =
    markOf(cells) === ''
      ? ''
      : ` ${MARK}: in a round of these less than ${100 * LEAST_OF_RATE} % of the rate was answered.`;
  return `The sender used ${spread(known(cells, 'senderMicros'), 0)} µs of CPU a request and sent ${spread(late, 2)} ms after the due moment; time counts from the sending.${marked}`;
}

function limits(cells, loads) {
  const rows = loads.flatMap((load) => {
    const of = pick(cells, 'flat out', load);
    const { ofPipe, addedP50Ms } = LIMITS[load];
    const lines = [
      line(`${LOAD_NAMES[load]}: CPU, of the pipe’s`, median(ratios(of, 'tracker', 'pipe')), ofPipe),
    ];
    if (load === 'json') {
      lines.push(
        line('JSON answer: CPU, of Portkey’s', median(ratios(of, 'tracker', 'portkey')), MOST_OF_PORTKEY),
      );
    }
    if (addedP50Ms !== undefined) {
      const paced = pick(cells, 'paced', load);
      const added = median(differences(paced, 'tracker', 'p50Ms'));
      const mark = markOf([...paced('direct'), ...paced('tracker')]);
      lines.push(line(`${LOAD_NAMES[load]}: added at the median, ms${mark}`, added, addedP50Ms));
    }
    return lines.filter((each) => each !== null);
  });
  return rows.length === 0 ? '' : table('**Limits**', ['', 'figure', 'limit', ''], rows);
}

function line(what, value, limit) {
  if (!Number.isFinite(value)) return null;
  return `| ${what} | ${value.toFixed(2)} | ${limit} | ${value <= limit ? 'ok' : 'MISSED'} |`;
}

function table(title, heads, rows) {
  const rule = heads.map((_, at) => (at === 0 ? '---' : '--:'));
  return [title, '', `| ${heads.join(' | ')} |`, `|${rule.join('|')}|`, ...rows].join('\n');
}

/** Cells of one kind and load, of one target or of all. */
function pick(cells, kind, load) {
  const all = cells.filter((cell) => cell.kind === kind && cell.load === load);
  return (name) => (name === undefined ? all : all.filter((cell) => cell.name === name));
}

function namesOf(cells) {
  return Object.keys(TARGETS).filter((name) => cells.some((cell) => cell.name === name));
}

function ratios(of, name, other) {
  return byRound(of, name, other, (mine, theirs) => mine.cpuMicros / theirs.cpuMicros);
}

function differences(of, name, key) {
  return byRound(of, name, 'direct', (mine, theirs) => mine[key] - theirs[key]);
}

function byRound(of, name, other, compare) {
  const others = new Map(of(other).map((cell) => [cell.round, cell]));
  return of(name)
    .filter(({ round }) => others.has(round))
    .map((cell) => compare(cell, others.get(cell.round)));
}

function known(cells, key) {
  return cells.map((cell) => cell[key]).filter((value) => value !== null);
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
