import { Inject, Injectable } from '@nestjs/common';
import { NodeHealthService } from '../node-health/index.js';
import type { MeshNode } from '../registry/index.js';
import type { Decision } from '../routing/index.js';
import { CALL_SETTINGS, type CallSettings } from '../settings/index.js';
import { limitsOf } from './call-timeouts.js';
import type { CallLimits } from './relay/watchdog.js';
import { SilenceService } from './silence.service.js';

/** Whether another attempt may follow the one that begins. */
export interface MayFollow {
  /** After a failure. */
  readonly any: boolean;
  /** After a refusal, or an answer without content. */
  readonly opinion: boolean;
}

/** How carefully an attempt's answer is passed on. */
export interface AttemptCare {
  /** The head has no recent completion. */
  readonly isUnproven: boolean;
  /** The head's last attempts in a row gave no completion. */
  readonly isFailing: boolean;
  /** The client sees the answer once it is whole. */
  readonly holdsWhole: boolean;
  /** An answer without content is held for another route to do better. */
  readonly holdsEmpty: boolean;
}

/** Decides, by what its nodes gave lately, how carefully an attempt's answer is passed on and how long it may take. */
@Injectable()
export class AttemptCareService {
  constructor(
    @Inject(CALL_SETTINGS) private readonly settings: CallSettings,
    private readonly health: NodeHealthService,
    private readonly silence: SilenceService,
  ) {}

  careOf({ route, considered }: Decision, head: MeshNode, { any, opinion }: MayFollow): AttemptCare {
    const isUnproven = this.health.isUnproven(head);
    const hasOther = considered.eligible.length > 1;
    return {
      isUnproven,
      isFailing: this.health.isFailing(head),
      holdsWhole: any && hasOther && route.hops.some(({ node }) => this.health.isHeld(node)),
      holdsEmpty: opinion && hasOther && isUnproven,
    };
  }

  /** @param callStartedAt monotonic ms */
  limitsOf({ model }: Decision, head: MeshNode, isStream: boolean, callStartedAt: number): CallLimits {
    return limitsOf(this.settings, head, callStartedAt, this.silence.longMs(model, isStream));
  }
}
