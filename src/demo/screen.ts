import type { Clock } from '../kernel/clock.js';

/** Where a {@link Screen} writes: a terminal when `isTTY`, else a file or pipe. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const PRINT_EVERY_MS = 5_000;

/** Lines that stay, above a picture that changes in place; without a terminal it is printed now and then. */
export class Screen {
  private picture: readonly string[] = [];
  private printedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly output: Output,
    private readonly clock: Clock,
  ) {}

  say(...lines: string[]): void {
    const { picture } = this;
    this.erase();
    this.write(lines);
    if (this.output.isTTY === true) this.draw(picture);
  }

  show(lines: readonly string[]): void {
    if (this.output.isTTY === true) {
      this.erase();
      this.draw(lines);
    } else if (this.clock.now() - this.printedAt >= PRINT_EVERY_MS) {
      this.printedAt = this.clock.now();
      this.write(lines);
    }
  }

  private erase(): void {
    const rows = this.picture.reduce((sum, line) => sum + this.rowsOf(line), 0);
    if (rows > 0) this.output.write(`\u001b[${String(rows)}A\u001b[0J`);
    this.picture = [];
  }

  /** A line wider than the terminal goes on in the next row. */
  private rowsOf(line: string): number {
    const { columns = 0 } = this.output;
    return columns > 0 ? Math.max(1, Math.ceil(line.length / columns)) : 1;
  }

  private draw(lines: readonly string[]): void {
    this.write(lines);
    this.picture = lines;
  }

  private write(lines: readonly string[]): void {
    this.output.write(lines.map((line) => `${line}\n`).join(''));
  }
}
