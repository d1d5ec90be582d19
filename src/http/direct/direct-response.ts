import type { Socket } from 'node:net';
import type { AnswerHeaders, CloseWatcher, LaneResponse } from '../lane.js';
import { answerText } from './answer-text.js';

/** Whose answer it is. */
export interface AnswerOwner {
  /** All of it has been handed to the system. */
  onAnswered(isLast: boolean): void;
}

const NOTHING = Buffer.alloc(0);
/** In characters. */
const MOST_PENDING = 16 * 1024;

/** An answer that is written straight to its connection. */
export class DirectResponse implements LaneResponse {
  headersSent = false;
  isChunked = false;
  writableFinished = false;
  /** Nothing more will be written. */
  isEnded = false;
  private isLast = false;
  private isOver = false;
  /** Written in this turn, and not left yet: what a head says in several pieces leaves in one write. */
  private pending = '';
  private isLeaving = false;
  private set: Map<string, string> | null = null;
  private watcher: CloseWatcher | null = null;
  private listeners: (() => void)[] | null = null;
  private drainListener: (() => void) | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly owner: AnswerOwner,
  ) {}

  setHeader(name: string, value: string): void {
    (this.set ??= new Map()).set(name, value);
  }

  watchClose(watcher: CloseWatcher): void {
    this.watcher = watcher;
  }

  onceClosed(listener: () => void): void {
    (this.listeners ??= []).push(listener);
  }

  onDrain(listener: () => void): void {
    this.drainListener = listener;
  }

  begin(status: number, headers: AnswerHeaders, wallMs: number): void {
    if (this.headersSent) throw new Error('The answer has begun already.');
    const { text, isChunked, isLast } = answerText(status, this.set, headers, wallMs);
    this.headersSent = true;
    this.pending = text;
    this.isChunked = isChunked;
    this.isLast = isLast;
  }

  write(part: string | Buffer): boolean {
    if (this.isEnded || this.isOver) return true;
    this.leaveSoon();
    const { socket } = this;
    if (typeof part === 'string') {
      this.pending += part;
      return this.pending.length > MOST_PENDING ? this.flush() : !socket.writableNeedDrain;
    }
    // A long one, which leaves with what stands before and behind it.
    if (socket.writableCorked === 0) socket.cork();
    this.flush();
    return socket.write(part);
  }

  endWith(text: string): void {
    if (this.isEnded || this.isOver) return;
    const { socket } = this;
    this.isEnded = true;
    this.pending += text;
    this.leave();
    // Its end is near, and nothing has left.
    if (socket.destroyed) return;
    if (socket.writableLength === 0) this.finish();
    // It is told when all before it has left.
    else socket.write(NOTHING, (fault) => this.flushed(fault ?? null));
  }

  break(): void {
    if (this.isOver) return;
    this.leave();
    this.socket.destroy();
  }

  /** The connection takes more. */
  drained(): void {
    this.drainListener?.();
  }

  /** The connection is no more. */
  closed(): void {
    this.isEnded = true;
    this.pending = '';
    this.over();
  }

  private leaveSoon(): void {
    if (this.isLeaving) return;
    this.isLeaving = true;
    process.nextTick(leave, this);
  }

  /** To whatever takes it. */
  leave(): void {
    const { socket } = this;
    this.isLeaving = false;
    this.flush();
    while (socket.writableCorked > 0) socket.uncork();
  }

  private flush(): boolean {
    const { pending, socket } = this;
    if (pending === '') return !socket.writableNeedDrain;
    this.pending = '';
    return socket.write(pending, 'latin1');
  }

  private flushed(fault: Error | null): void {
    if (fault === null && !this.isOver) this.finish();
  }

  private finish(): void {
    this.writableFinished = true;
    this.over();
    this.owner.onAnswered(this.isLast);
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    const { watcher, listeners } = this;
    this.watcher = null;
    this.listeners = null;
    this.drainListener = null;
    watcher?.onClosed();
    if (listeners !== null) for (const listener of listeners) listener();
  }
}

function leave(response: DirectResponse): void {
  response.leave();
}
