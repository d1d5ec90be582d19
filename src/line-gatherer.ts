/** Where lines go in the end: pino's stream of buffers. */
export interface LineSink {
  write(lines: Buffer): void;
  /** Begins to write what it has. */
  flush(): void;
}

/** As much as is written at once; a container's log takes 16 KiB. */
const GATHERED_CHARACTERS = 15_000;

/** UTF-8 takes three bytes for a character of JavaScript at most, and the last line gathered may be long. */
export const MOST_GATHERED_BYTES = 60_000;

/**
 * Lines as one text, which is made bytes of once for many of them rather than once a line. Whoever has it flushes it now and
 * then, and at the end.
 */
export class LineGatherer {
  private text = '';

  constructor(private readonly sink: LineSink) {}

  readonly add = (line: string): void => {
    this.text += line;
    if (this.text.length >= GATHERED_CHARACTERS) this.flush();
  };

  readonly flush = (): void => {
    this.handOver();
    this.sink.flush();
  };

  /** Leaves it to the sink when to write. */
  readonly handOver = (): void => {
    if (this.text === '') return;
    const lines = Buffer.from(this.text);
    this.text = '';
    this.sink.write(lines);
  };
}
