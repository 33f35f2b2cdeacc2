import type { NumberedEntry, TapeFile } from '../read.js';
import { createConfigs } from '../world/configs.js';
import { createConversation } from '../world/conversation.js';
import { createLifecycles } from '../world/lifecycles.js';
import { createObjects, type Objects } from '../world/objects.js';
import type { Watcher } from '../world/watcher.js';
import { watchClient } from './client/watch-client.js';
import { createFindings, type Finding, type Findings, type Side } from './finding.js';
import { watchInstances } from './kubelet/watch-instances.js';
import { watchPlugins } from './plugins/watch-plugins.js';
import { watchCalls } from './runtime/calls.js';
import { watchCancelledStops } from './runtime/cancelled-stops.js';
import { watchEvents } from './runtime/events.js';
import { watchExec } from './runtime/exec.js';
import { watchFields } from './runtime/fields.js';
import { watchImageFs } from './runtime/image-fs.js';
import { watchImages } from './runtime/images.js';
import { watchLostEvents } from './runtime/lost-events.js';
import { watchNames } from './runtime/names.js';
import { watchOwnUsage } from './runtime/own-usage.js';
import { watchRaces } from './runtime/races.js';
import { watchRequests } from './runtime/requests.js';
import { watchStates } from './runtime/states.js';
import { watchStats } from './runtime/stats.js';
import { watchStatus } from './runtime/status.js';
import { watchStops } from './runtime/stops.js';
import { watchStreamLists } from './runtime/stream-lists.js';

export interface ConversationJudge {
  give(each: NumberedEntry): void;
  finish(): readonly Finding[];
}

export type ConversationHeader = Pick<TapeFile['header'], 'startedAt' | 'lacks'>;

/** Calls `onFinding` when a rule is first broken. */
export function judgeConversation(
  header: ConversationHeader,
  only?: Extract<Side, 'client'>,
  onFinding?: (finding: Finding) => void,
): ConversationJudge {
  const findings = createFindings(onFinding);
  const objects = createObjects();
  const configs = createConfigs();
  const lifecycles = createLifecycles();
  const instances = watchInstances(objects, lifecycles, findings);
  const startedAt = BigInt(header.startedAt);
  // A client knows the runtime's objects only from replies.
  const states = watchStates(objects, configs, findings);
  const watchers =
    only === 'client'
      ? [states]
      : [
          ...beforeStates({ header, objects, findings, startedAt }),
          states,
          watchFields(objects, configs, findings),
          watchImages(findings),
          watchImageFs(findings),
          watchStats(objects, configs, findings),
          watchOwnUsage(findings),
          watchStreamLists(findings),
          watchEvents(objects, findings, startedAt),
          watchLostEvents(objects, findings),
          watchPlugins(findings),
          instances,
        ];
  const client = watchClient(objects, lifecycles, findings);
  const give = createConversation([
    client,
    lifecycles.watcher,
    objects.before,
    configs.watcher,
    ...watchers,
    objects.after,
  ]);
  return {
    give: ({ line, entry }) => give(line, entry),
    finish: () => {
      instances.finish();
      return findings.list;
    },
  };
}

/** Runtime rules about the knowledge before a reply adds to it. */
function beforeStates({
  header,
  objects,
  findings,
  startedAt,
}: {
  readonly header: ConversationHeader;
  readonly objects: Objects;
  readonly findings: Findings;
  readonly startedAt: bigint;
}): Watcher[] {
  // Requests of a log that was converted to a tape are incomplete.
  const isWhole = header.lacks === undefined;
  return [
    watchStatus(findings),
    watchCalls(objects, findings),
    ...(isWhole
      ? [watchRequests(objects, findings), watchNames(objects, findings), watchExec(findings)]
      : []),
    watchRaces(objects, findings),
    watchStops(objects, findings, startedAt),
    watchCancelledStops(objects, findings),
  ];
}
