import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { HeadAnswering } from './fake-head.js';

/** What a real engine answered to one request, as `test/fixtures/engines/<engine>/<case>.json` holds it. */
export interface EngineRecording {
  /** Name and version of the package. */
  readonly engine: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    /** As it was sent, sound JSON or not. */
    readonly body: string;
  };
  /** null: the connection broke before an answer. */
  readonly status: number | null;
  /** Names and values in turn, as they stood on the wire. */
  readonly headers: readonly string[];
  /** The body, its transfer encoding undone, as it came bit by bit; no character is cut in two. */
  readonly chunks: readonly string[];
  /** Whether the body ended as its framing promised. */
  readonly isWhole: boolean;
}

const FOLDER = join(import.meta.dirname, '../fixtures/engines');
/** The fake head frames its answers by itself. */
const FRAMING = new Set(['transfer-encoding', 'connection', 'keep-alive', 'date']);

/** Recordings by `<engine>/<case>`. */
export function engineRecordings(): Map<string, EngineRecording> {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.json'),
  );
  return new Map(
    files.sort().map((file) => {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      return [file.replaceAll('\\', '/').replace(/\.json$/, ''), JSON.parse(text) as EngineRecording];
    }),
  );
}

/** Answers every chat as the engine did, chunk by chunk, broken where the engine broke off. */
export function replayOf({ status, headers, chunks, isWhole }: EngineRecording): HeadAnswering {
  return async (response) => {
    if (status === null) {
      response.destroy();
      return;
    }
    response.writeHead(status, framedAnew(headers)).flushHeaders();
    for (const chunk of chunks) {
      response.write(chunk);
      await turn();
    }
    if (isWhole) response.end();
    // What was written goes out first.
    else response.write('', () => response.socket?.end());
  };
}

function framedAnew(headers: readonly string[]): string[] {
  return headers.filter((_, at) => !FRAMING.has(headers[at - (at % 2)]?.toLowerCase() ?? ''));
}
