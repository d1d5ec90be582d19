import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Asked, type Answering, withLanes, type Gate, type Refusal } from '../http/index.js';
import { BROWSER_SETTINGS, type BrowserSettings } from '../settings/index.js';
import { AccessService } from './access.service.js';
import { isHostAllowed } from './host-rule.js';
import { crossSite, hostNotAllowed, PREFLIGHT } from './refusals.js';
import { roleFor } from './roles.js';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Where no key is asked for, a browser on the same machine is a way in for whatever page it shows: what changes anything
 * has to come from the tracker's own page, or one that is named. Pages that are named may also read answers to clients (CORS).
 */
@Injectable()
export class BrowserGate implements Gate, OnModuleInit {
  /** The newest `Host` that was allowed: most requests come with the same. */
  private allowedHost = '';

  constructor(
    @Inject(BROWSER_SETTINGS) private readonly settings: BrowserSettings,
    private readonly access: AccessService,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    withLanes(this.adapterHost, (adapter) => adapter.openGate(this));
  }

  admit(request: Asked, path: string, response: Answering): Refusal | null {
    const { headers, method = '' } = request;
    const { host = '', origin } = headers;
    if (host !== this.allowedHost && this.access.isOpenOnLoopback) {
      if (!isHostAllowed(host, this.settings.allowedHosts)) return hostNotAllowed();
      this.allowedHost = host;
    }
    if (origin === undefined && headers['sec-fetch-site'] !== 'cross-site') return null;
    const isNamed =
      origin !== undefined &&
      this.settings.corsOrigins.includes(origin) &&
      roleFor(method, path) === 'client';
    if (isNamed) {
      allow(response, origin);
      if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) return PREFLIGHT;
    }
    if (READING.has(method) || isNamed || isOwn(origin, host)) return null;
    return this.isOpen(method, path) ? crossSite() : null;
  }

  private isOpen(method: string, path: string): boolean {
    const needed = roleFor(method, path);
    return needed === 'anyone' || this.access.doorOf(needed) === 'open';
  }
}

/** What a page of that origin gets to read. */
function allow(response: Answering, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  response.setHeader(
    'access-control-expose-headers',
    'x-request-id, x-meshnet-route, x-meshnet-route-mode, x-meshnet-attempts, retry-after, x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests',
  );
}

/** A page of the tracker itself; behind a proxy with TLS its scheme is another than the tracker's. */
function isOwn(origin: string | undefined, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
