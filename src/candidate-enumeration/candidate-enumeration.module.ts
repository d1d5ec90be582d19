import { Module } from '@nestjs/common';
import { NodeHealthModule } from '../node-health/index.js';
import { TopologyModule } from '../topology/index.js';
import { CandidatesService } from './candidates.service.js';

@Module({
  imports: [TopologyModule, NodeHealthModule],
  providers: [CandidatesService],
  exports: [CandidatesService],
})
export class CandidateEnumerationModule {}
