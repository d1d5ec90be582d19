import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { BodyPipe, queryText } from '../http/index.js';
import { CLOCK, type Clock } from '../kernel/index.js';
import { NodeHealthService } from '../node-health/index.js';
import { NodeSpeedsService } from '../node-speeds/index.js';
import { Registration, RegistryService, type MeshNode } from '../registry/index.js';
import { nodeRow, type NodeRow } from './node-row.js';
import { SpeedSuspicionsService } from './speed-suspicions.service.js';
import { RegistrationDesk, type RegistrationReceipt } from './registration-desk.js';

const REGISTRATIONS = new BodyPipe(Registration);

/** Nodes come in, and operators look at them, drain, resume and end them. */
@Controller('v1/nodes')
export class NodesController {
  constructor(
    private readonly registry: RegistryService,
    private readonly desk: RegistrationDesk,
    private readonly health: NodeHealthService,
    private readonly speeds: NodeSpeedsService,
    private readonly suspicions: SpeedSuspicionsService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  register(
    @Req() request: Request,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): RegistrationReceipt {
    const { isNew, receipt } = this.desk.take(request, () => REGISTRATIONS.transform(body));
    response.status(isNew ? 201 : 200);
    return receipt;
  }

  @Get()
  list(@Query('model') model: unknown): { object: 'list'; data: NodeRow[] } {
    const nodes = this.registry.nodes(queryText(model, 'model'));
    this.suspicions.refresh();
    return { object: 'list', data: nodes.map((node) => this.row(node)) };
  }

  @Post(':node_id/drain')
  @HttpCode(200)
  drain(@Param('node_id') nodeId: string, @Query('model') model: unknown): NodeRow {
    return this.row(this.registry.drain(nodeId, queryText(model, 'model')));
  }

  @Post(':node_id/resume')
  @HttpCode(200)
  resume(@Param('node_id') nodeId: string, @Query('model') model: unknown): NodeRow {
    return this.row(this.registry.resume(nodeId, queryText(model, 'model')));
  }

  @Delete(':node_id')
  @HttpCode(204)
  remove(@Param('node_id') nodeId: string, @Query('model') model: unknown): void {
    this.registry.delete(nodeId, queryText(model, 'model'));
  }

  private row(node: MeshNode): NodeRow {
    const health = {
      inFlight: this.health.inFlightOn(node),
      reputation: this.health.reputation(node),
      breaker: this.health.breaker(node).state,
      restMs: this.health.restMs(node),
      isSpeedSuspect: this.suspicions.isSuspect(node.model, node.nodeId),
    };
    const speed = this.speeds.beliefOf(node.model, node.key);
    return nodeRow(node, health, speed, this.clock.now());
  }
}
