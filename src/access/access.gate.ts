import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  type Asked,
  secretsIn,
  setCaller,
  shownBy,
  withLanes,
  type CallerRole,
  type Gate,
  type Refusal,
} from '../http/index.js';
import { AccessService } from './access.service.js';
import { closed, invalidKey, missingKey, wrongRole } from './refusals.js';
import { roleFor, takesPassword } from './roles.js';

/** In front of every request: no key, no answer. */
@Injectable()
export class AccessGate implements Gate, OnModuleInit {
  constructor(
    private readonly access: AccessService,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    withLanes(this.adapterHost, (adapter) => adapter.openGate(this));
  }

  admit(request: Asked, path: string): Refusal | null {
    const { method = '' } = request;
    const needed = roleFor(method, path);
    if (needed === 'anyone') return null;
    const door = this.access.doorOf(needed);
    if (door === 'open') {
      if (needed === 'client') this.recognise(request);
      return null;
    }
    const byPassword = takesPassword(method, path);
    const shown = shownBy(request, byPassword);
    if (shown.kind === 'none') return this.unnamed(needed, door === 'closed', byPassword);
    const holder = shown.kind === 'secret' ? this.access.holderOf(shown.secret) : null;
    if (holder === null) return door === 'closed' ? closed(needed) : invalidKey(needed, byPassword);
    if (!opens(holder.role, needed))
      return door === 'closed' ? closed(needed) : wrongRole(holder.role, needed);
    setCaller(request, holder);
    return null;
  }

  /** A key that nobody asked for is one of ours all the same: it must not be taken for the client's own and passed on. */
  private recognise(request: Asked): void {
    if (request.headers.authorization === undefined) return;
    for (const secret of secretsIn(request)) {
      const holder = this.access.holderOf(secret);
      if (holder !== null) setCaller(request, holder);
    }
  }

  private unnamed(needed: CallerRole, isClosed: boolean, byPassword: boolean): Refusal | null {
    if (needed === 'client' && this.access.takesAnonymous) return null;
    return isClosed ? closed(needed) : missingKey(needed, byPassword);
  }
}

/** An operator may chat; beyond that each role is for itself. */
function opens(role: CallerRole, needed: CallerRole): boolean {
  return role === needed || (role === 'admin' && needed === 'client');
}
