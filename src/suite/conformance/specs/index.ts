import type { Check, Checks } from '../check.js';
import { RULES, rules } from '../rules.js';
import { cancelledChecks } from './containers/cancelled.js';
import { checkpointChecks } from './containers/checkpoint.js';
import { concurrencyChecks } from './containers/concurrency.js';
import { containerChecks } from './containers/container.js';
import { identityChecks } from './containers/identity.js';
import { mountChecks } from './containers/mounts.js';
import { nameChecks } from './containers/names.js';
import { memoryChecks } from './containers/out-of-memory.js';
import { processChecks } from './containers/process.js';
import { profileChecks } from './containers/profiles.js';
import { roundTripChecks } from './containers/round-trip.js';
import { shortLivedChecks } from './containers/short-lived.js';
import { exitChecks, timeChecks } from './containers/time-and-exit.js';
import { eventChecks } from './events/events.js';
import { subscriberChecks } from './events/subscribers.js';
import { wholeStatusChecks } from './events/whole-statuses.js';
import { imageChecks } from './images/images.js';
import { imageAtOnceChecks } from './images/images-at-once.js';
import { filterChecks, listChecks, streamingListChecks } from './lists/lists.js';
import { insideChecks } from './pods/inside.js';
import { podResourceChecks } from './pods/pod-resources.js';
import { sandboxChecks } from './pods/sandbox.js';
import { environmentChecks } from './runtime/environment.js';
import { idempotenceChecks } from './runtime/idempotence.js';
import { infoChecks } from './runtime/info.js';
import { restartChecks } from './runtime/restart.js';
import { execChecks } from './streams/exec-and-streaming.js';
import { logChecks } from './streams/logs.js';
import { portForwardChecks } from './streams/port-forward.js';
import { streamChecks } from './streams/streams.js';
import { resourceChecks, statsChecks } from './usage/stats-and-resources.js';
import { statsWhileRemovingChecks } from './usage/stats-while-removing.js';
import { unitChecks } from './usage/units.js';

const runs: Checks = {
  ...infoChecks,
  ...imageChecks,
  ...sandboxChecks,
  ...containerChecks,
  ...idempotenceChecks,
  ...nameChecks,
  ...concurrencyChecks,
  ...cancelledChecks,
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
  ...portForwardChecks,
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
  ...environmentChecks,
  ...wholeStatusChecks,
  ...identityChecks,
  ...profileChecks,
  ...mountChecks,
  ...processChecks,
  ...insideChecks,
};

const ruled = new Set(rules.map(({ id }) => id));
for (const id of Object.keys(runs)) if (!ruled.has(id)) throw new Error(`${RULES} has no rule ${id}`);

export const allChecks: readonly Check[] = rules.map((rule) => {
  const run = runs[rule.id];
  if (run === undefined) throw new Error(`no check runs rule ${rule.id} of ${RULES}`);
  return { ...rule, run };
});
