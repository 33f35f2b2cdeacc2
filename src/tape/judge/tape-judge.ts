import { nodeOf } from '../of-nodes.js';
import type { TapeFile } from '../read.js';
import { type ConversationJudge, judgeConversation } from './conversation-judge.js';
import type { Finding, Side } from './finding.js';

export interface Judgment {
  readonly findings: readonly Finding[];
  readonly calls: number;
}

/**
 * Checks a tape against the rules for runtimes (docs/results/invariants.md), for clients (docs/testing.md) and, if the
 * client is a kubelet, for its containers (docs/explore.md). Reports nothing uncertain: overlapping calls, replies
 * affected by a fault rule, anything after a gap. On a tape of several nodes, each has its own conversation. With
 * `client`, only client rules count, which is a fifth of the work.
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
    // A gap affects all nodes.
    const node = nodeOf(each);
    if (node === undefined && judges.size > 0) for (const judge of judges.values()) judge.give(each);
    else judgeOf(node ?? '').give(each);
  }
  const all = [...judges.values()].flatMap((judge) => judge.finish());
  return { findings: only === undefined ? all : all.filter(({ side }) => side === only), calls };
}
