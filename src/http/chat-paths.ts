/** Where chats are sent to; OpenAPI tells of each (chat-proxy/chat.openapi.ts). */
export const CHAT_PATHS = ['/v1/chat/completions', '/v1/completions'] as const;
export type ChatPath = (typeof CHAT_PATHS)[number];

/** A slash at the end makes no other place of it. */
const SPELLINGS: ReadonlySet<string> = new Set(CHAT_PATHS.flatMap((path) => [path, `${path}/`]));

/** Whether this is where chats are sent to; exactly so spelled, since gates go by it. */
export function isChatPath(path: string): boolean {
  // Nearly all are the first.
  return path === CHAT_PATHS[0] || SPELLINGS.has(path);
}
