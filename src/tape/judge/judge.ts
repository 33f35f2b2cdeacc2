import { nodeOf } from '../of-nodes.js';
import type { NumberedEntry, TapeFile } from '../read.js';
import { watchCalls } from './calls.js';
import { watchClient } from './client.js';
import { createConversation } from './conversation.js';
import { watchEvents } from './events.js';
import type { Watcher } from './exchange.js';
import { watchExec } from './exec.js';
import { createFacts } from './facts.js';
import { watchFields } from './fields.js';
import { createFindings, type Finding, type Findings, type Side } from './finding.js';
import { watchImages } from './images.js';
import { watchLostEvents } from './lost-events.js';
import { watchNames } from './names.js';
import { createObjects } from './objects.js';
import { watchRaces } from './races.js';
import { watchRequests } from './requests.js';
import { watchStates } from './states.js';
import { watchStats } from './stats.js';
import { watchStops } from './stops.js';
import { watchStreamLists } from './stream-lists.js';

/** What a tape comes to. */
export interface Judgment {
  readonly findings: readonly Finding[];
  /** Calls that were looked at. */
  readonly calls: number;
}

/**
 * Checks a tape against the rules for runtimes (docs/invariants.md) and for clients (docs/testing.md), as far as the
 * conversation shows them. What is uncertain is no finding: calls that overlap, answers that a fault rule took
 * part in, what comes after a gap. On a tape of several nodes, each has its own conversation. With `client`, only the rules for clients count, which is a fifth of the work.
 */
export async function judgeTape(
  tape: Pick<TapeFile, 'header' | 'entries'>,
  only?: Extract<Side, 'client'>,
): Promise<Judgment> {
  const judges = new Map<string, Judge>();
  const judgeOf = (node: string): Judge => {
    const judge = judges.get(node) ?? createJudge(tape.header, only);
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
  const all = [...judges.values()].flatMap(({ findings }) => findings.list);
  return { findings: only === undefined ? all : all.filter(({ side }) => side === only), calls };
}

/** Judges the conversation with one runtime. */
interface Judge {
  give(each: NumberedEntry): void;
  readonly findings: Findings;
}

function createJudge(header: TapeFile['header'], only: Extract<Side, 'client'> | undefined): Judge {
  const findings = createFindings();
  const objects = createObjects();
  const facts = createFacts();
  // The requests of a log that became a tape are not whole.
  const isWhole = header.lacks === undefined;
  const startedAt = BigInt(header.startedAt);
  const forRuntimes = (make: () => Watcher[]): Watcher[] => (only === 'client' ? [] : make());
  const give = createConversation([
    watchClient(objects, findings),
    objects.before,
    facts.watcher,
    ...forRuntimes(() => [
      watchCalls(objects, findings),
      ...(isWhole
        ? [watchRequests(objects, findings), watchNames(objects, findings), watchExec(findings)]
        : []),
      watchRaces(objects, findings),
      watchStops(objects, findings, startedAt),
    ]),
    // What a client must know of the runtime's objects follows from what it was shown.
    watchStates(objects, facts, findings),
    ...forRuntimes(() => [
      watchFields(objects, facts, findings),
      watchImages(findings),
      watchStats(objects, facts, findings),
      watchStreamLists(findings),
      watchEvents(objects, findings, startedAt),
      watchLostEvents(objects, findings),
    ]),
    objects.after,
  ]);
  return { give: ({ line, entry }) => give(line, entry), findings };
}
