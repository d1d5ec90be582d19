import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { Request } from 'express';
import { CLOCK, ModelNotFoundError, type Clock } from '../kernel/index.js';
import { RegistryService } from '../registry/index.js';
import { RoutingService } from '../routing/index.js';

/** OpenAI's model object. */
export interface ModelCard {
  readonly id: string;
  readonly object: 'model';
  /** Unix seconds since when the mesh knows it. */
  readonly created: number;
  readonly owned_by: string;
}

/** Models that a chat can be routed to right now. */
@Controller('v1/models')
export class ModelsController {
  constructor(
    private readonly routing: RoutingService,
    private readonly registry: RegistryService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  list(): { object: 'list'; data: ModelCard[] } {
    return { object: 'list', data: this.routing.routableModels().map((model) => this.card(model)) };
  }

  /** Ids have slashes, which clients send raw or encoded. */
  @Get('*id')
  one(@Req() request: Request): ModelCard {
    const model = decoded(request.path.replace(/^\/v1\/models\//, ''));
    if (model === null || !this.routing.isRoutable(model)) throw new ModelNotFoundError(model ?? '');
    return this.card(model);
  }

  private card(id: string): ModelCard {
    const sinceMs = this.registry.knownSinceMs(id) ?? this.clock.wallMs();
    return { id, object: 'model', created: Math.floor(sinceMs / 1000), owned_by: 'meshnet' };
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
