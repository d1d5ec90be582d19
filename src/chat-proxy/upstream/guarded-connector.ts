import type { OnReadOpts, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { EndpointRefused, type EndpointOwner, type NodeNetworksService } from '../../node-networks/index.js';
import { HeadFault } from './head-fault.js';

/** Where to: the parts of a URL. */
export type ConnectionTarget = Pick<URL, 'host' | 'hostname' | 'protocol' | 'port'>;

/** Whom a connector tells. */
export interface ConnectionUser {
  /** The connection is there, or nothing has come of it. Told once, and never before the connector returns. */
  readonly connected: (fault: Error | null, socket: Socket | null) => void;
  /** What comes over it, piece by piece; the bytes are the user's to keep. */
  readonly received: (bytes: Buffer) => void;
}

export type Connector = (target: ConnectionTarget, user: ConnectionUser) => void;

const READ_BYTES = 64 * 1024;
/**
 * All connections read into the same bytes, since each is told before another one reads: 64 KB taken and given back for each
 * piece of some hundred bytes cost more than to copy it. On Windows a read has its bytes from before it is there.
 */
const shared = process.platform === 'win32' ? null : Buffer.allocUnsafeSlow(READ_BYTES);

/**
 * Connects only to where a node may be, and judges that anew for each connection: a name may lead elsewhere by now. No
 * socket is opened to find out.
 */
export function guardedConnector(
  networks: NodeNetworksService,
  ownerOf: () => EndpointOwner,
  timeoutMs: number,
): Connector {
  const options = { timeout: timeoutMs, lookup: networks.lookup(ownerOf) };
  const connectTls = buildConnector(options);
  return ({ host, hostname: bracketed, protocol, port }, { connected, received }) => {
    // As URLs write an IPv6 address, and nobody else does.
    const hostname = bracketed.replace(/^\[(.*)\]$/, '$1');
    if (!networks.mayConnect(hostname, ownerOf())) {
      // As late as a connection's own faults: whoever asked has not stored its answer yet.
      setImmediate(() => connected(new EndpointRefused(), null));
      return;
    }
    const isTls = protocol === 'https:';
    const connect = isTls ? connectTls : buildConnector({ ...options, onread: readInto(received) });
    connect({ host, hostname, protocol, port }, (fault, socket) => {
      // What TLS has decrypted comes in bytes of its own.
      if (isTls) socket?.on('data', received);
      if (fault === null) connected(null, socket);
      else connected(isTimeout(fault) ? new HeadFault('connect_timeout') : fault, null);
    });
  };
}

function isTimeout(fault: Error): boolean {
  return 'code' in fault && fault.code === 'UND_ERR_CONNECT_TIMEOUT';
}

function readInto(received: (bytes: Buffer) => void): OnReadOpts {
  return {
    buffer: shared ?? Buffer.allocUnsafeSlow(READ_BYTES),
    callback: (length, bytes) => {
      received(Buffer.from(bytes.subarray(0, length)));
      return true;
    },
  };
}
