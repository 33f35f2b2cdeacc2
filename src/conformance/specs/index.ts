import type { Check } from '../check.js';
import { checkpointChecks } from './checkpoint.js';
import { concurrencyChecks } from './concurrency.js';
import { containerChecks } from './container.js';
import { eventChecks } from './events.js';
import { execChecks } from './exec-and-streaming.js';
import { idempotenceChecks } from './idempotence.js';
import { imageChecks } from './images.js';
import { imageAtOnceChecks } from './images-at-once.js';
import { infoChecks } from './info.js';
import { filterChecks, listChecks, streamingListChecks } from './lists.js';
import { logChecks } from './logs.js';
import { nameChecks } from './names.js';
import { memoryChecks } from './out-of-memory.js';
import { podResourceChecks } from './pod-resources.js';
import { restartChecks } from './restart.js';
import { roundTripChecks } from './round-trip.js';
import { sandboxChecks } from './sandbox.js';
import { shortLivedChecks } from './short-lived.js';
import { resourceChecks, statsChecks } from './stats-and-resources.js';
import { statsWhileRemovingChecks } from './stats-while-removing.js';
import { streamChecks } from './streams.js';
import { subscriberChecks } from './subscribers.js';
import { surroundingChecks } from './surroundings.js';
import { exitChecks, timeChecks } from './time-and-exit.js';
import { unitChecks } from './units.js';
import { wholeStatusChecks } from './whole-statuses.js';

/** All checks, in the order of the groups. */
export const allChecks: readonly Check[] = [
  ...infoChecks,
  ...imageChecks,
  ...sandboxChecks,
  ...containerChecks,
  ...idempotenceChecks,
  ...nameChecks,
  ...concurrencyChecks,
  ...listChecks,
  ...filterChecks,
  ...roundTripChecks,
  ...timeChecks,
  ...exitChecks,
  ...eventChecks,
  ...subscriberChecks,
  ...streamingListChecks,
  ...execChecks,
  ...streamChecks,
  ...logChecks,
  ...statsChecks,
  ...resourceChecks,
  ...checkpointChecks,
  ...restartChecks,
  ...imageAtOnceChecks,
  ...shortLivedChecks,
  ...podResourceChecks,
  ...unitChecks,
  ...statsWhileRemovingChecks,
  ...memoryChecks,
  ...surroundingChecks,
  ...wholeStatusChecks,
];
