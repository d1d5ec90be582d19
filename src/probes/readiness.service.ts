import { Injectable } from '@nestjs/common';

export type ReadinessState = 'starting' | 'ready' | 'draining';

/** Whether new chats should come here. Told by whoever starts and ends the service. */
@Injectable()
export class ReadinessService {
  private current: ReadinessState = 'starting';

  get state(): ReadinessState {
    return this.current;
  }

  /** Listening, and every listed server was asked once. */
  started(): void {
    if (this.current === 'starting') this.current = 'ready';
  }

  draining(): void {
    this.current = 'draining';
  }
}
