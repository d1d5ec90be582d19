/** Why a connection to a head could not go on. Its code may be told to anybody; nothing of what was sent is in it. */
export class HeadFault extends Error {
  constructor(
    readonly code:
      /** What came is no answer that HTTP/1.1 knows. */
      | 'invalid_http'
      /** More header lines, chunk extensions or trailers than anybody needs. */
      | 'headers_too_long'
      /** The head closed the connection before its answer was whole. */
      | 'connection_closed'
      /** The head took too long to accept the connection. */
      | 'connect_timeout'
      /** Something in the request can't be said in HTTP. */
      | 'invalid_request'
      /** The tracker is done with this head. */
      | 'pool_closed',
  ) {
    super(code);
  }
}
