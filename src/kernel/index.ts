/**
 * kernel: the words every room shares.
 *
 * Identities (wallet, name, model, node_id), endpoints, layer spans, the clock, the rng, errors with a stable
 * code (no HTTP in here), the rules that fields are checked by, and the typed bus of past facts. Nothing in this room decides anything, and it
 * imports no other room. Time, chance and randomness are handed to everybody from here, so that a test can
 * move the clock and seed the dice.
 */
export {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateIf,
  validateSync,
} from './checks.js';
export { Afterwork } from './afterwork.js';
export { CLOCK, SystemClock, type Cancel, type Clock } from './clock.js';
export { readDecimal } from './decimal.js';
export { Deadlines, type Deadline } from './deadlines.js';
export {
  afterEmptyLines,
  HEADER_NAME,
  isEmptyLines,
  UNFIT_FOR_A_HEADER,
  withoutBlanks,
} from './header-grammar.js';
export { remembered } from './remembered.js';
export { Roster, type Rostered } from './roster.js';
export { RNG, seededRng, type Rng } from './rng.js';
export {
  ConflictError,
  InvalidRequestError,
  LeaseUnknownError,
  LoopError,
  MeshnetError,
  MethodNotAllowedError,
  ModelNotFoundError,
  NodeFailedError,
  NodeNotFoundError,
  NodeTimeoutError,
  NoRouteError,
  NotFoundError,
  OverloadedError,
  PayloadTooLargeError,
  QueueError,
  RateLimitedError,
  ShuttingDownError,
  TooFewCallsError,
  UnsupportedMediaError,
  WalletProofError,
} from './errors.js';
export {
  EventBus,
  type GapCounts,
  type MembershipCause,
  type MeshEvent,
  type MeshEventType,
  type MeshEvents,
  type NodeMoved,
} from './event-bus.js';
export type { FinishedAttempt, FinishedCall } from './finished-call.js';
export {
  classOf,
  familyOf,
  isMetadataName,
  literalAddress,
  plainAddress,
  type AddressClass,
} from './address.js';
export { normaliseEndpoint, EndpointFault } from './endpoint.js';
export { HOST_LOOKUP, systemLookup, type FoundAddress, type HostLookup } from './host-lookup.js';
export {
  identityKey,
  isModelKey,
  isNodeName,
  isWallet,
  MODEL_KEY_RULE,
  NAME_RULE,
  nodeIdOf,
  randomId,
  WALLET_RULE,
} from './ids.js';
export { readSmallFile } from './small-file.js';
export { spanLength, subtractSpans, type LayerSpan } from './span.js';
export { ROUTE_ENUMERATIONS, ROUTE_POLICIES, type RouteEnumeration, type RoutePolicy } from './names.js';
export { KernelModule, type KernelParts } from './kernel.module.js';
export { isoTime } from './iso-time.js';
export { PageSupply, WordPage } from './word-page.js';
export { LOGGER, type Logger } from './logger.js';
