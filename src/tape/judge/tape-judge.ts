import { nodeOf } from '../of-nodes.js';
import type { TapeFile } from '../read.js';
import { type ConversationJudge, judgeConversation } from './conversation-judge.js';
import type { Finding, Side } from './finding.js';

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
