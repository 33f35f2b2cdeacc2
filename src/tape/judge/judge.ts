import type { TapeFile } from '../read.js';
import { watchCalls } from './calls.js';
import { watchClient } from './client.js';
import { watchEvents } from './events.js';
import { createConversation } from './exchange.js';
import { watchFields } from './fields.js';
import { createFindings, type Finding } from './finding.js';
import { createObjects } from './objects.js';
import { watchStates } from './states.js';

/** What a tape comes to. */
export interface Judgment {
  readonly findings: readonly Finding[];
  /** Calls that were looked at. */
  readonly calls: number;
}

/**
 * Checks a tape against the rules for runtimes (docs/invariants.md) and for clients (docs/testing.md), as far as the
 * conversation shows them. What is uncertain is no finding: calls that overlap, answers that a fault rule took
 * part in, what comes after a gap.
 */
export async function judgeTape(tape: Pick<TapeFile, 'header' | 'entries'>): Promise<Judgment> {
  const findings = createFindings();
  const objects = createObjects();
  const give = createConversation([
    watchClient(objects, findings),
    objects.before,
    watchCalls(objects, findings),
    watchStates(objects, findings),
    watchFields(objects, findings),
    watchEvents(objects, findings, BigInt(tape.header.startedAt)),
    objects.after,
  ]);
  let calls = 0;
  for await (const { line, entry } of tape.entries) {
    if (entry.kind === 'call') calls++;
    give(line, entry);
  }
  return { findings: findings.list, calls };
}
