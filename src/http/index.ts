/**
 * http: what every HTTP face of the tracker shares.
 *
 * One shape for every fault (OpenAI's `{"error":{message,type,param,code}}`, whoever threw it and whatever served
 * the request), one way to check a JSON body against its class, and the adapter with the lane that takes
 * chats past Nest and Express. Rooms below this one know no HTTP.
 */
export { BodyPipe } from './body.pipe.js';
export { HttpModule } from './http.module.js';
export { LaneExpressAdapter, pathOf, type Lane } from './lane.adapter.js';
export { toHttpFault, type HttpFault, type OpenAiErrorBody } from './openai-error.js';
export { queryCount, queryName, queryNumber, queryText } from './query.js';
export { pagePolicy, securityHeaders } from './security-headers.js';
