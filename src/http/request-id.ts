import type { IncomingHttpHeaders } from 'node:http';

/** Something that isn't only dots: those would lead elsewhere in a path. */
const REQUEST_ID = /^(?!\.+$)[\w.:@/+=-]{1,128}$/;

/** The id that the client gave its request, if it is one that can stand in a log. */
export function givenRequestId(headers: IncomingHttpHeaders): string | null {
  const id = headers['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : null;
}
