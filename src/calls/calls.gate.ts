import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Asked, isChatPath, withLanes, type Gate, type Refusal } from '../http/index.js';
import { Afterwork } from '../kernel/index.js';

/** Whoever asks what has happened is told of all that has: what was put off is done before any request but a chat. */
@Injectable()
export class CallsGate implements Gate, OnModuleInit {
  constructor(
    private readonly afterwork: Afterwork,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  onModuleInit(): void {
    withLanes(this.adapterHost, (adapter) => adapter.openLaterGate(this));
  }

  admit(_request: Asked, path: string): Refusal | null {
    if (!isChatPath(path)) this.afterwork.settle();
    return null;
  }
}
