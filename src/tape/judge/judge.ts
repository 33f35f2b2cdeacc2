import type { TapeFile } from '../read.js';
import { watchCalls } from './calls.js';
import { watchClient } from './client.js';
import { createConversation } from './conversation.js';
import { watchEvents } from './events.js';
import type { Watcher } from './exchange.js';
import { watchExec } from './exec.js';
import { createFacts } from './facts.js';
import { watchFields } from './fields.js';
import { createFindings, type Finding, type Side } from './finding.js';
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
 * part in, what comes after a gap. With `client`, only the rules for clients count, which is a fifth of the work.
 */
export async function judgeTape(
  tape: Pick<TapeFile, 'header' | 'entries'>,
  only?: Extract<Side, 'client'>,
): Promise<Judgment> {
  const findings = createFindings();
  const objects = createObjects();
  const facts = createFacts();
  // The requests of a log that became a tape are not whole.
  const isWhole = tape.header.lacks === undefined;
  const startedAt = BigInt(tape.header.startedAt);
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
  let calls = 0;
  for await (const { line, entry } of tape.entries) {
    if (entry.kind === 'call') calls++;
    give(line, entry);
  }
  const found = only === undefined ? findings.list : findings.list.filter(({ side }) => side === only);
  return { findings: found, calls };
}
