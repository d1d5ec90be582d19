import { RateLimitedError } from '../kernel/index.js';
import type { LimitSettings } from '../settings/index.js';
import { RequestBucket } from './request-bucket.js';

/** Nobody knows when a call ends; this is soon. */
const RETRY_CONCURRENT_SECONDS = 1;

/** What one caller may still ask. */
export class CallerAllowance {
  private readonly bucket: RequestBucket | null;
  private openCalls = 0;

  constructor(private readonly settings: Readonly<LimitSettings>) {
    const { requestsPerMinute } = settings;
    this.bucket = requestsPerMinute > 0 ? new RequestBucket(requestsPerMinute) : null;
  }

  /** @returns null: the call may begin, and {@link giveBack} has to follow when it is over; else nothing was taken */
  take(nowMs: number): RateLimitedError | null {
    const { concurrentCalls, requestsPerMinute } = this.settings;
    if (concurrentCalls > 0 && this.openCalls >= concurrentCalls) {
      return new RateLimitedError(
        `You have ${String(concurrentCalls)} chats under way, and more at once are not allowed (MESHNET_KEY_CONCURRENT_CALLS). Wait until one has ended.`,
        RETRY_CONCURRENT_SECONDS,
      );
    }
    if (this.bucket?.take(nowMs) === false) {
      const seconds = Math.ceil(this.bucket.msUntilNext(nowMs) / 1000);
      return new RateLimitedError(
        `You may send ${String(requestsPerMinute)} chats a minute (MESHNET_KEY_REQUESTS_PER_MINUTE). Wait ${String(seconds)} s.`,
        seconds,
      );
    }
    this.openCalls += 1;
    return null;
  }

  giveBack(): void {
    this.openCalls -= 1;
  }

  /** As OpenAI names and writes them; none where requests are not counted. */
  headers(nowMs: number): Readonly<Record<string, string>> {
    if (this.bucket === null) return {};
    return {
      'x-ratelimit-limit-requests': String(this.bucket.perMinute),
      'x-ratelimit-remaining-requests': String(this.bucket.remaining(nowMs)),
      'x-ratelimit-reset-requests': spanOf(this.bucket.msUntilFull(nowMs)),
    };
  }
}

function spanOf(ms: number): string {
  const wholeMs = Math.ceil(ms);
  return wholeMs < 1000 ? `${String(wholeMs)}ms` : `${String(wholeMs / 1000)}s`;
}
