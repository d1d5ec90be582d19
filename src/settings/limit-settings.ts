import { IsInt, Max, Min } from '../kernel/index.js';
import { readNumber } from './readers.js';
import { Setting } from './setting.decorator.js';

const MOST = 1_000_000;
const RANGE = 'a whole number from 0 to 1000000';

/** How much one caller may ask. */
export class LimitSettings {
  @Setting({
    env: 'MESHNET_KEY_CONCURRENT_CALLS',
    range: RANGE,
    help: 'chats that one key, or one address without a key, may have under way; more get 429; 0: any number',
    read: readNumber,
  })
  @IsInt()
  @Min(0)
  @Max(MOST)
  concurrentCalls = 0;

  @Setting({
    env: 'MESHNET_KEY_REQUESTS_PER_MINUTE',
    range: RANGE,
    help: 'chats that one key, or one address without a key, may send a minute; more get 429; 0: any number',
    read: readNumber,
  })
  @IsInt()
  @Min(0)
  @Max(MOST)
  requestsPerMinute = 0;
}
