/**
 * access: who may do what.
 *
 * Three roles, each with named keys of its own: clients chat, nodes register, operators (admin keys) see and change the
 * rest and may chat. One gate stands before every lane, Nest and Express, so that nothing is served past it; what it doesn't
 * know by its exact spelling is an operator's. Keys are compared as SHA-256 digests, every one of a role each time. Where
 * the tracker listens on loopback, a role without keys is open; anywhere else chats need keys (or
 * MESHNET_ALLOW_ANONYMOUS) for the tracker to start at all, and what has no keys is closed. Files of keys are read again
 * on SIGHUP; a faulty one changes nothing, and a role whose file holds no key is closed wherever the tracker listens.
 * Source: docs/adr/0017-one-gate-in-front-of-everything.md.
 */
export { AccessModule } from './access.module.js';
export { AccessService, checkAccess } from './access.service.js';
export { AccessFault } from './key-file.js';
