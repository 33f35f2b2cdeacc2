import type { Check } from '../check.js';
import { checkpointChecks } from './checkpoint.js';
import { concurrencyChecks } from './concurrency.js';
import { containerChecks } from './container.js';
import { eventChecks } from './events.js';
import { execChecks } from './exec-and-streaming.js';
import { idempotenceChecks } from './idempotence.js';
import { imageChecks } from './images.js';
import { infoChecks } from './info.js';
import { filterChecks, listChecks, streamingListChecks } from './lists.js';
import { logChecks } from './logs.js';
import { nameChecks } from './names.js';
import { roundTripChecks } from './round-trip.js';
import { sandboxChecks } from './sandbox.js';
import { resourceChecks, statsChecks } from './stats-and-resources.js';
import { subscriberChecks } from './subscribers.js';
import { exitChecks, timeChecks } from './time-and-exit.js';

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
  ...logChecks,
  ...statsChecks,
  ...resourceChecks,
  ...checkpointChecks,
];
