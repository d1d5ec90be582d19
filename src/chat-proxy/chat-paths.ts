/** What the lane serves; OpenAPI tells of each (chat.openapi.ts). */
export const CHAT_PATHS = ['/v1/chat/completions', '/v1/completions'] as const;
export type ChatPath = (typeof CHAT_PATHS)[number];
