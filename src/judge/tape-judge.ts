import { nodeOf } from '../tape/of-nodes.js';
import type { NumberedEntry, TapeFile } from '../tape/read.js';
import { watchClient } from './client/watch-client.js';
import { createConfigs } from './conversation/configs.js';
import { createConversation } from './conversation/conversation.js';
import { createLifecycles } from './conversation/lifecycles.js';
import { createObjects, type Objects } from './conversation/objects.js';
import type { Watcher } from './conversation/watcher.js';
import { createFindings, type Finding, type Findings, type Side } from './finding.js';
import { watchInstances } from './kubelet/watch-instances.js';
import { watchPlugins } from './plugins/watch-plugins.js';
import { watchCalls } from './runtime/calls.js';
import { watchEvents } from './runtime/events.js';
import { watchExec } from './runtime/exec.js';
import { watchFields } from './runtime/fields.js';
import { watchImageFs } from './runtime/image-fs.js';
import { watchImages } from './runtime/images.js';
import { watchLostEvents } from './runtime/lost-events.js';
import { watchNames } from './runtime/names.js';
import { watchRaces } from './runtime/races.js';
import { watchRequests } from './runtime/requests.js';
import { watchStates } from './runtime/states.js';
import { watchStats } from './runtime/stats.js';
import { watchStatus } from './runtime/status.js';
import { watchStops } from './runtime/stops.js';
import { watchStreamLists } from './runtime/stream-lists.js';

/** What a tape comes to. */
export interface Judgment {
  readonly findings: readonly Finding[];
  /** Calls that were looked at. */
  readonly calls: number;
}

/**
 * Checks a tape against the rules for runtimes (docs/invariants.md), for clients (docs/testing.md) and, where the client
 * is a kubelet, for what its containers do (docs/explore.md), as far as the conversation shows them. What is uncertain is
 * no finding: calls that overlap, answers that a fault rule took part in, what comes after a gap. On a tape of several
 * nodes, each has its own conversation. With `client`, only the rules for clients count, which is a fifth of the work.
 */
export async function judgeTape(
  tape: Pick<TapeFile, 'header' | 'entries'>,
  only?: Extract<Side, 'client'>,
): Promise<Judgment> {
  const judges = new Map<string, ConversationJudge>();
  const judgeOf = (node: string): ConversationJudge => {
    const judge = judges.get(node) ?? judgeConversation(tape.header, only);
    judges.set(node, judge);
    return judge;
  };
  let calls = 0;
  for await (const each of tape.entries) {
    if (each.entry.kind === 'call') calls++;
    // A gap concerns all nodes.
    const node = nodeOf(each);
    if (node === undefined && judges.size > 0) for (const judge of judges.values()) judge.give(each);
    else judgeOf(node ?? '').give(each);
  }
  const all = [...judges.values()].flatMap((judge) => judge.finish());
  return { findings: only === undefined ? all : all.filter(({ side }) => side === only), calls };
}

/** Judges the conversation with one runtime. */
interface ConversationJudge {
  give(each: NumberedEntry): void;
  finish(): readonly Finding[];
}

function judgeConversation(
  header: TapeFile['header'],
  only: Extract<Side, 'client'> | undefined,
): ConversationJudge {
  const findings = createFindings();
  const objects = createObjects();
  const configs = createConfigs();
  const lifecycles = createLifecycles();
  const instances = watchInstances(objects, lifecycles, findings);
  const startedAt = BigInt(header.startedAt);
  // What a client must know of the runtime's objects follows from what it was shown.
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

/** Rules for runtimes about what was known before an answer shows more. */
function beforeStates({
  header,
  objects,
  findings,
  startedAt,
}: {
  readonly header: TapeFile['header'];
  readonly objects: Objects;
  readonly findings: Findings;
  readonly startedAt: bigint;
}): Watcher[] {
  // The requests of a log that became a tape are not whole.
  const isWhole = header.lacks === undefined;
  return [
    watchStatus(findings),
    watchCalls(objects, findings),
    ...(isWhole
      ? [watchRequests(objects, findings), watchNames(objects, findings), watchExec(findings)]
      : []),
    watchRaces(objects, findings),
    watchStops(objects, findings, startedAt),
  ];
}
