import { randomBytes } from 'node:crypto';
import { type About, headerAt } from './header.js';
import { type Redaction, redactions } from './keep.js';
import { withoutLargeReply } from './large.js';
import { createLineWriter } from './line-writer.js';
import { createRedactor } from './redact.js';
import type { ReadableTape } from './tape.js';

export interface Collected {
  text(): string;
}

/** Collects a tape in memory from now on, for a page: without large replies. Redacts nothing by default. */
export function collectTape(
  tape: ReadableTape,
  about: About,
  keep: readonly Redaction[] = redactions,
): Collected {
  const kept = new Set(keep);
  const start = tape.now();
  const lineOf = createLineWriter(createRedactor(kept, randomBytes(32)));
  const lines = [lineOf(headerAt(tape, start, about, kept))];
  tape.listen({
    entry: (entry) => void lines.push(lineOf({ ...withoutLargeReply(entry), t: entry.t - start })),
  });
  return { text: () => lines.join('') };
}
