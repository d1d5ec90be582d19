const CODE = 'endpoint_refused';

/** No connection was tried: where it would have led is nowhere that this node may be. Never names the address. */
export class EndpointRefused extends Error {
  readonly code = CODE;

  constructor() {
    super('this endpoint leads to no address that may be connected to');
  }
}

/** Of whatever a connection's library made of it. */
export function isEndpointRefused(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && fault.code === CODE;
}
