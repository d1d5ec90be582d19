/** One series of a scrape. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/g;

/** What a scrape says, read as Prometheus reads its text format. */
export class Exposition {
  readonly series: readonly Series[];

  constructor(readonly text: string) {
    this.series = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(readLine);
  }

  /** All series of this name that have these labels, among others. */
  of(name: string, labels: Readonly<Record<string, string>> = {}): Series[] {
    const wanted = Object.entries(labels);
    return this.series.filter(
      (series) => series.name === name && wanted.every(([label, value]) => series.labels[label] === value),
    );
  }

  /** The sum of those; 0 where there is none. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.of(name, labels).reduce((total, { value }) => total + value, 0);
  }

  /** The one series of this name and labels, or null. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | null {
    const found = this.of(name, labels);
    if (found.length > 1) throw new Error(`${name} has ${String(found.length)} series with these labels`);
    return found[0]?.value ?? null;
  }

  /** Names as they are declared, with their types. */
  get types(): Record<string, string> {
    const declared = this.text.matchAll(/^# TYPE (\S+) (\S+)$/gm);
    return Object.fromEntries([...declared].map(([, name = '', type = '']) => [name, type]));
  }
}

function readLine(line: string): Series {
  const match = LINE.exec(line);
  if (match === null) throw new Error(`this is no series: ${line}`);
  const [, name = '', labels = '', value = ''] = match;
  const read = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, unescape(text)]);
  return { name, labels: Object.fromEntries(read) as Record<string, string>, value: Number(value) };
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}
