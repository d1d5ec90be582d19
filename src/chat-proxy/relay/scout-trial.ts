import type { Deadline, Deadlines } from '../../kernel/index.js';
import { contentBytesOf } from '../bytes/index.js';

/** What a scout has to prove before its client sees anything of it. */
export interface TrialTerms {
  /** Tokens/s. */
  readonly leastTps: number;
  /** What its prompt may take at that speed before the first token is late. */
  readonly promptMs: number;
  /** Whether a proven route has been taken for the call in this very moment. Asked at most once, of a scout too slow. */
  readonly takeOver: () => boolean;
}

/** Whom a trial tells how it came out, unless it was proven by an event that is being read. */
export interface OnTrial {
  /** What is held may go to the client. */
  onTrialOver(): void;
  /** Another route has the call. */
  onTooSlow(): void;
  /** What one of these threw. */
  onFault(fault: unknown): void;
}

/** How long a scout has for its proof, the prompt's time apart. */
export const TRIAL_MS = 5_000;
/** A few tokens prove nothing: heads send the first ones together. */
const PROOF_TOKENS = 8;
/** Of text in the languages where it is most. A head that puts several tokens into a chunk isn't slower for it. */
const BYTES_PER_TOKEN = 4;

/**
 * A scout's first seconds. Its tokens (content chunks, or its text by four bytes a token where that is more) over the time
 * since it was asked, less what the prompt may take, have to reach `leastTps`. What isn't proven when time is up goes on all
 * the same where no proven route has room.
 */
export class ScoutTrial implements Deadline {
  place = -1;
  readonly dueAt: number;
  private readonly countsFrom: number;
  private firstAt: number | null = null;
  private chunks = 0;
  private textBytes = 0;
  private isUnderWay = true;

  constructor(
    private readonly deadlines: Deadlines,
    private readonly terms: TrialTerms,
    private readonly watcher: OnTrial,
  ) {
    this.countsFrom = deadlines.now() + terms.promptMs;
    this.dueAt = this.countsFrom + TRIAL_MS;
    deadlines.add(this);
  }

  /** Whether what the head says is to be held. */
  get isOpen(): boolean {
    return this.isUnderWay;
  }

  /** A whole event with content came. */
  heard(event: Buffer): void {
    if (!this.isUnderWay) return;
    const now = this.deadlines.now();
    this.firstAt ??= now;
    this.chunks += 1;
    this.textBytes += contentBytesOf(event);
    if (this.tokens >= PROOF_TOKENS && this.isQuickEnough(now)) this.close();
  }

  close(): void {
    this.isUnderWay = false;
    this.deadlines.delete(this);
  }

  onDue(): void {
    const isProven = this.isQuickEnough(this.deadlines.now());
    this.close();
    if (!isProven && this.terms.takeOver()) this.watcher.onTooSlow();
    else this.watcher.onTrialOver();
  }

  onFault(fault: unknown): void {
    this.watcher.onFault(fault);
  }

  private get tokens(): number {
    return Math.max(this.chunks, this.textBytes / BYTES_PER_TOKEN);
  }

  private isQuickEnough(now: number): boolean {
    if (this.firstAt === null) return false;
    const ms = Math.max(1, now - this.countsFrom, now - this.firstAt);
    return (this.tokens * 1000) / ms >= this.terms.leastTps;
  }
}
