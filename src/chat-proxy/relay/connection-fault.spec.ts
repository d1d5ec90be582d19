import { describe, expect, it } from '@jest/globals';
import { isConnectTimeout, verdictOnFault } from './connection-fault.js';

function withCode(code: string): Error {
  return Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:8000'), { code });
}

describe('a broken connection', () => {
  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET'])(
    'that never came about is a node that could not be reached (%s)',
    (code) => {
      const { outcome, fault, answer, failedNodeId, timeout } = verdictOnFault(
        withCode(code),
        false,
        'w:all',
      );
      expect([outcome, fault?.code, answer, failedNodeId, timeout]).toEqual([
        'failed',
        'node_unreachable',
        null,
        null,
        null,
      ]);
      expect(fault?.message).toBe(`The node w:all could not be reached: ${code}.`);
    },
  );

  it.each(['ECONNRESET', 'EPIPE', 'connection_closed', 'invalid_http', 'headers_too_long'])(
    'that had taken the request is a node that failed (%s)',
    (code) => {
      const { outcome, fault } = verdictOnFault(withCode(code), true, 'w:all');
      expect([outcome, fault?.code]).toEqual(['failed', 'node_failed']);
      expect(fault?.message).toBe(`The connection to the node w:all broke: ${code}.`);
    },
  );

  it.each([
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'HOSTNAME_MISMATCH',
    'EPROTO',
  ])('over TLS is a node that is set up wrong (%s)', (code) => {
    const { outcome, fault } = verdictOnFault(withCode(code), false, 'w:all');
    expect([outcome, fault?.code]).toEqual(['misconfigured', 'node_misconfigured']);
    expect(fault?.message).toBe(`The node w:all can't be trusted over TLS: ${code}.`);
  });

  it('is told without an address, also where it has no code or none that is text', () => {
    for (const fault of [
      new TypeError('at 10.0.0.7'),
      Object.assign(new TypeError('at 10.0.0.7'), { code: 7 }),
    ]) {
      expect(verdictOnFault(fault, true, 'w:all').fault?.message).toBe(
        'The connection to the node w:all broke: TypeError.',
      );
    }
  });
});

describe('a connect timeout', () => {
  it('is known by its code', () => {
    expect(['connect_timeout', 'ETIMEDOUT', 'ECONNREFUSED'].map(withCode).map(isConnectTimeout)).toEqual([
      true,
      false,
      false,
    ]);
    expect(isConnectTimeout(new Error('connect_timeout'))).toBe(false);
  });
});
