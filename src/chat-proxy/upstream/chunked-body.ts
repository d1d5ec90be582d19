import { HeadFault } from './head-fault.js';

const CR = 13;
const LF = 10;
const TAB = 9;
const SPACE = 32;
const SEMICOLON = 59;
const MOST_DIGITS = 16;
/** Of one chunk's extensions, and of all trailers; they are passed over. */
const MOST_ASIDE_BYTES = 16 * 1024;

const enum Expects {
  Size,
  /** Blanks between a size and what follows. */
  Blank,
  Extension,
  SizeLf,
  Data,
  DataCr,
  DataLf,
  /** The first byte of a trailer line, or the end. */
  Trailer,
  TrailerRest,
  TrailerLf,
  LastLf,
  Nothing,
}

/** Takes a body out of the chunks that HTTP/1.1 sends it in (RFC 9112, 7.1), whatever pieces they come in. */
export class ChunkedBody {
  private expects = Expects.Size;
  private digits = 0;
  private size = 0;
  private aside = 0;

  begin(): void {
    this.expects = Expects.Size;
    this.digits = 0;
    this.size = 0;
    this.aside = 0;
  }

  /** The last chunk and all behind it have been read. */
  get isWhole(): boolean {
    return this.expects === Expects.Nothing;
  }

  /** Where the bytes of the chunk that `at` lies in end, as far as they are here; -1 where no body byte follows. */
  dataEnd(bytes: Buffer, at: number): number {
    return this.expects === Expects.Data ? Math.min(bytes.length, at + this.size) : -1;
  }

  /** Body bytes were taken. */
  took(count: number): void {
    this.size -= count;
    if (this.size === 0) this.expects = Expects.DataCr;
  }

  /**
   * Reads on from `at` until body bytes, the body's end or the end of these bytes.
   *
   * @returns where it stopped
   * @throws HeadFault
   */
  skip(bytes: Buffer, at: number): number {
    let next = at;
    while (next < bytes.length && this.expects !== Expects.Data && this.expects !== Expects.Nothing) {
      this.take(bytes[next] ?? 0);
      next += 1;
    }
    return next;
  }

  private take(byte: number): void {
    switch (this.expects) {
      case Expects.Size:
        this.sizeByte(byte);
        return;
      case Expects.Blank:
        this.afterSize(byte);
        return;
      case Expects.Extension:
        if (byte === CR) this.expects = Expects.SizeLf;
        else this.passOver(byte);
        return;
      case Expects.SizeLf:
        this.demand(byte, LF, this.size === 0 ? Expects.Trailer : Expects.Data);
        return;
      case Expects.DataCr:
        this.demand(byte, CR, Expects.DataLf);
        return;
      case Expects.DataLf:
        this.demand(byte, LF, Expects.Size);
        this.digits = 0;
        this.aside = 0;
        return;
      case Expects.Trailer:
        this.expects = byte === CR ? Expects.LastLf : Expects.TrailerRest;
        if (byte !== CR) this.passOver(byte);
        return;
      case Expects.TrailerRest:
        if (byte === CR) this.expects = Expects.TrailerLf;
        else this.passOver(byte);
        return;
      case Expects.TrailerLf:
        this.demand(byte, LF, Expects.Trailer);
        return;
      case Expects.LastLf:
        this.demand(byte, LF, Expects.Nothing);
        return;
      case Expects.Data:
      case Expects.Nothing:
        return;
    }
  }

  private sizeByte(byte: number): void {
    const digit = hexDigit(byte);
    if (digit < 0) {
      if (this.digits === 0) throw new HeadFault('invalid_http');
      this.afterSize(byte);
      return;
    }
    this.size = this.size * 16 + digit;
    this.digits += 1;
    if (this.digits > MOST_DIGITS || this.size > Number.MAX_SAFE_INTEGER) throw new HeadFault('invalid_http');
  }

  private afterSize(byte: number): void {
    if (byte === CR) this.expects = Expects.SizeLf;
    else if (byte === SEMICOLON) this.expects = Expects.Extension;
    else if (byte === SPACE || byte === TAB) this.expects = Expects.Blank;
    else throw new HeadFault('invalid_http');
    if (byte !== CR) this.passOver(byte);
  }

  private demand(byte: number, demanded: number, next: Expects): void {
    if (byte !== demanded) throw new HeadFault('invalid_http');
    this.expects = next;
  }

  private passOver(byte: number): void {
    if (byte === LF) throw new HeadFault('invalid_http');
    this.aside += 1;
    if (this.aside > MOST_ASIDE_BYTES) throw new HeadFault('headers_too_long');
  }
}

/** -1 for anything else. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
