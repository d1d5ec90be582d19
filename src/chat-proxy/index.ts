/**
 * chat-proxy: a chat's way from the client to a route's head and back.
 *
 * `chat.lane.ts` reads and checks the body, `failover.service.ts` goes from attempt to attempt, `relay/` copies the
 * head's bytes while a tap in `bytes/` reads usage, and `learning.service.ts` settles each attempt before the client's last
 * byte. The body goes out as it came, with members spliced where they must change. What the head sees:
 * docs/node-protocol.md; file by file: docs/request-path.md. Source: ADR-0021 "Arms".
 */
export { ChatLane } from './chat.lane.js';
export { ChatProxyModule } from './chat-proxy.module.js';
