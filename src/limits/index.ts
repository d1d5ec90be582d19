/**
 * limits: how much one caller may ask.
 *
 * Chats: so many at once and so many a minute for each key, or for each address where no key was shown (IPv6 by its /64);
 * off by default, and no part of a chat's way then. A bucket holds a minute's requests and fills evenly (GCRA, one number a
 * caller); what a chat holds is given back when its answer closes, however it ended. Refusals: of wrong keys and refused
 * registrations the first 60 a minute from one address are told why, the others to wait; right ones always go on. Callers are
 * known by the socket's address alone: X-Forwarded-For is anybody's to write. At most 10,000 of each are remembered. Rejected:
 * rate-limiter-flexible, whose memory store keeps a timer for each caller, reads the wall clock and has no bound.
 */
export { LimitsModule } from './limits.module.js';
export { RefusalLimitService } from './refusal-limit.service.js';
