/**
 * http: what every HTTP face of the tracker shares.
 *
 * One shape for every fault (OpenAI's `{"error":{message,type,param,code}}`, whoever threw it and whatever served
 * the request), one way to check a JSON body against its class, and the adapter with the lanes that take
 * chats past Nest and Express and the gates that every request passes first. Rooms below this one know no HTTP.
 */
export { BodyPipe } from './body.pipe.js';
export { CHAT_PATHS, isChatPath, type ChatPath } from './chat-paths.js';
export { callerOf, setCaller, type Caller, type CallerRole } from './caller.js';
export { credentialOf, secretsIn, shownBy, type Shown } from './credential.js';
export type { Gate, Refusal, RefusalWatch } from './gate.js';
export { HttpModule } from './http.module.js';
export { LaneExpressAdapter, pathOf, withLanes } from './lane.adapter.js';
export {
  jsonBody,
  type AnswerHeaders,
  type Answering,
  type Asked,
  type BodySink,
  type CloseWatcher,
  type Lane,
  type LaneRequest,
  type LaneResponse,
} from './lane.js';
export { errorBody, toHttpFault, type HttpFault, type OpenAiErrorBody } from './openai-error.js';
export { givenRequestId } from './request-id.js';
export { queryCount, queryName, queryNumber, queryText } from './query.js';
export { NO_SNIFF, pagePolicy, securityHeaders } from './security-headers.js';
