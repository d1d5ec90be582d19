import { Module } from '@nestjs/common';
import { NodeNetworksService } from './node-networks.service.js';

@Module({ providers: [NodeNetworksService], exports: [NodeNetworksService] })
export class NodeNetworksModule {}
