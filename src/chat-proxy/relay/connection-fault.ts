import { NodeFailedError } from '../../kernel/index.js';
import { verdict, type Verdict } from './attempt-end.js';

/** Codes of a certificate that can't be trusted, or of a server that speaks no TLS. */
const TLS_FAULT = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/;

/**
 * What a broken connection means.
 *
 * @param sent whether the request had gone out; if not, no connection came about
 */
export function verdictOnFault(fault: Error, sent: boolean, nodeId: string): Verdict {
  const code = codeOf(fault);
  if (TLS_FAULT.test(code)) {
    const message = `The node ${nodeId} can't be trusted over TLS: ${code}.`;
    return verdict('misconfigured', { fault: new NodeFailedError(message, 'node_misconfigured') });
  }
  if (code === 'endpoint_refused') {
    const message = `The node ${nodeId} was not called: its endpoint leads to where no node may be (MESHNET_NODE_NETWORKS).`;
    return verdict('failed', { fault: new NodeFailedError(message, 'endpoint_refused') });
  }
  return verdict('failed', {
    fault: sent
      ? new NodeFailedError(`The connection to the node ${nodeId} broke: ${code}.`, 'node_failed')
      : new NodeFailedError(`The node ${nodeId} could not be reached: ${code}.`, 'node_unreachable'),
  });
}

/** The head took too long to accept the connection. */
export function isConnectTimeout(fault: Error): boolean {
  return codeOf(fault) === 'connect_timeout';
}

/** A library's code such as ECONNREFUSED; its message may hold addresses. */
function codeOf(fault: Error): string {
  return 'code' in fault && typeof fault.code === 'string' ? fault.code : fault.name;
}
