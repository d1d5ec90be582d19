/** Where a trace came from, as a client says it (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** The span that this request is part of; 16 hexadecimal digits, not all zero. */
  readonly parentId: string;
  readonly flags: number;
  /** Other systems' own notes on the trace, as they came; null where there are none that can be read. */
  readonly state: string | null;
}

/** The two headers of a trace, as far as there is something to say. */
export interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Set: whoever called keeps the trace, and so should we. */
export const SAMPLED = 0x01;
/** Set: the trace's id is random; whoever passes the trace on has to say so too. */
export const RANDOM_ID = 0x02;

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const ALL_ZERO = /^0+$/;
const FORBIDDEN_VERSION = 'ff';
const MOST_MEMBERS = 32;
const KEY = String.raw`[a-z\d][_a-z\d*/-]{0,255}|[a-z\d][_a-z\d*/-]{0,240}@[a-z][_a-z\d*/-]{0,13}`;
const VALUE = String.raw`[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]`;
const MEMBER = new RegExp(`^(${KEY})=${VALUE}$`);

/**
 * Reads the trace that a client's request is part of. A `traceparent` that breaks the rules (another form, an id of
 * zeros, several of them) is none, and takes its `tracestate` with it; a `tracestate` that does is dropped alone.
 *
 * Source: W3C Trace Context, "traceparent Header" and "tracestate Header".
 */
export function readTraceContext(traceparent: unknown, tracestate: unknown): TraceContext | null {
  if (typeof traceparent !== 'string') return null;
  const [, version = '', traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === '' || version === FORBIDDEN_VERSION) return null;
  // A later version may say more than this one; what this one says stands first in it all the same.
  if (version === '00' && more !== undefined) return null;
  if (ALL_ZERO.test(traceId) || ALL_ZERO.test(parentId)) return null;
  const state = typeof tracestate === 'string' && isTracestate(tracestate) ? tracestate : null;
  return { traceId, parentId, flags: Number.parseInt(flags, 16), state };
}

/** A list of at most 32 `key=value`, no key twice; members may be empty. */
function isTracestate(text: string): boolean {
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  const keys = new Set(members.map((member) => MEMBER.exec(member)?.[1]));
  return (
    members.length > 0 &&
    members.length <= MOST_MEMBERS &&
    keys.size === members.length &&
    !keys.has(undefined)
  );
}

/** A client's own headers of a trace, for whoever passes them on without a word of its own. */
export function passedOn(traceparent: unknown, tracestate: unknown): TraceHeaders {
  if (typeof traceparent !== 'string') return NO_HEADERS;
  const context = readTraceContext(traceparent, tracestate);
  if (context === null) return NO_HEADERS;
  // As it came, a later version included: nobody here has read more of it than that it is sound.
  return context.state === null ? { traceparent } : { traceparent, tracestate: context.state };
}

const NO_HEADERS: TraceHeaders = {};

/** What a head is told of the trace that its request is part of. */
export function traceHeaders(
  traceId: string,
  parentId: string,
  flags: number,
  state: string | null,
): TraceHeaders {
  const traceparent = `00-${traceId}-${parentId}-${flags.toString(16).padStart(2, '0')}`;
  return state === null ? { traceparent } : { traceparent, tracestate: state };
}
