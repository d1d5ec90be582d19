import type { IncomingHttpHeaders } from 'node:http';
import { afterEmptyLines, isEmptyLines } from '../../kernel/index.js';
import { readAnswerHead, type AnswerHead } from './answer-head.js';
import { ChunkedBody } from './chunked-body.js';
import { HeadFault } from './head-fault.js';

/** Whom a parser tells. Being told, it may stop the parser. */
export interface AnswerSink {
  /** Of answers that are on their way (1xx) nobody is told. */
  onHead(status: number, headers: IncomingHttpHeaders): void;
  onBody(bytes: Buffer): void;
  /** The last word of an answer. */
  onWhole(head: AnswerHead): void;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const BEGINNING = 'HTTP/1.';
const NOTHING = Buffer.alloc(0);
/** node:http takes 16 KiB of names and values. */
const MOST_HEAD_BYTES = 32 * 1024;
/** A line that ends otherwise than by both: its head would never end. */
const BARE = /[^\r]\n|\r[^\n]/;
const SWITCHING_PROTOCOLS = 101;

const enum Reads {
  Head,
  Length,
  Chunked,
  UntilClose,
  /** The answer is whole, or nobody wants the rest. */
  Nothing,
}

/**
 * Reads the answers of one connection, one for each request, from whatever pieces they come in. A body's bytes are given on as
 * they lie in those pieces, never copied.
 */
export class AnswerParser {
  private reads = Reads.Nothing;
  private head: AnswerHead | null = null;
  /** Of a head that came in pieces. */
  private begun: Buffer | null = null;
  private left = 0;
  private readonly chunked = new ChunkedBody();

  constructor(private readonly sink: AnswerSink) {}

  /** An answer is asked for. */
  begin(): void {
    this.reads = Reads.Head;
    this.head = null;
    this.begun = null;
  }

  /** Nobody is told anything more. */
  stop(): void {
    this.reads = Reads.Nothing;
  }

  /** @throws HeadFault whatever is told by these bytes before the fault has been told */
  feed(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      switch (this.reads) {
        case Reads.Head:
          at = this.readHead(bytes, at);
          break;
        case Reads.Length:
          at = this.readLength(bytes, at);
          break;
        case Reads.Chunked:
          at = this.readChunked(bytes, at);
          break;
        case Reads.UntilClose:
          this.sink.onBody(at === 0 ? bytes : bytes.subarray(at));
          return;
        case Reads.Nothing:
          return;
      }
    }
  }

  /**
   * The connection has ended.
   *
   * @returns whether that is how the answer ends
   */
  end(): boolean {
    if (this.reads !== Reads.UntilClose) return false;
    this.finish(NOTHING, 0);
    return true;
  }

  private readHead(bytes: Buffer, from: number): number {
    const gathered = this.begun;
    const at = gathered === null ? afterEmptyLines(bytes, from) : from;
    if (at === bytes.length) return at;
    // The end may lie across the pieces.
    const whole = gathered === null ? bytes : Buffer.concat([gathered, bytes.subarray(at)]);
    const start = gathered === null ? at : 0;
    const sought = gathered === null ? at : Math.max(0, gathered.length - END_OF_HEAD.length + 1);
    const end = whole.indexOf(END_OF_HEAD, sought);
    const length = (end < 0 ? whole.length : end) - start;
    if (length > MOST_HEAD_BYTES) throw new HeadFault('headers_too_long');
    if (end < 0) {
      this.gather(whole, start, sought);
      return bytes.length;
    }
    this.begun = null;
    // In the piece that came last.
    const next = end + END_OF_HEAD.length - (whole.length - bytes.length);
    this.headRead(readAnswerHead(whole.toString('latin1', start, end)), bytes, next);
    return next;
  }

  /** What can't become an answer is not waited for. */
  private gather(whole: Buffer, start: number, fresh: number): void {
    const beginning = whole.toString('latin1', start, start + BEGINNING.length);
    if (!BEGINNING.startsWith(beginning) || BARE.test(whole.toString('latin1', fresh))) {
      throw new HeadFault('invalid_http');
    }
    this.begun = start === 0 ? whole : whole.subarray(start);
  }

  private headRead(head: AnswerHead, bytes: Buffer, next: number): void {
    if (head.status === SWITCHING_PROTOCOLS) throw new HeadFault('invalid_http');
    if (head.status < 200) return;
    this.head = head;
    const { framing } = head;
    if (framing.kind === 'length') {
      this.reads = Reads.Length;
      this.left = framing.length;
    } else if (framing.kind === 'chunked') {
      this.reads = Reads.Chunked;
      this.chunked.begin();
    } else this.reads = Reads.UntilClose;
    this.sink.onHead(head.status, head.headers);
    if (this.isReading(Reads.Length) && this.left === 0) this.finish(bytes, next);
  }

  private readLength(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.left);
    this.left -= end - at;
    this.sink.onBody(partOf(bytes, at, end));
    if (this.isReading(Reads.Length) && this.left === 0) this.finish(bytes, end);
    return end;
  }

  private readChunked(bytes: Buffer, at: number): number {
    const { chunked } = this;
    const dataEnd = chunked.dataEnd(bytes, at);
    if (dataEnd >= 0) {
      chunked.took(dataEnd - at);
      this.sink.onBody(partOf(bytes, at, dataEnd));
      return dataEnd;
    }
    const next = chunked.skip(bytes, at);
    if (chunked.isWhole) this.finish(bytes, next);
    return next;
  }

  /** Being told of something may have stopped it. */
  private isReading(what: Reads): boolean {
    return this.reads === what;
  }

  /** What else stands behind it, on a connection that goes on, would be an answer to nothing. */
  private finish(bytes: Buffer, end: number): void {
    const { head } = this;
    this.reads = Reads.Nothing;
    this.head = null;
    if (head !== null) this.sink.onWhole(isEmptyLines(bytes, end) ? head : { ...head, keepsAlive: false });
  }
}

function partOf(bytes: Buffer, start: number, end: number): Buffer {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}
