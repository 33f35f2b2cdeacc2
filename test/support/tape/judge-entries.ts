import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../../src/tape/judge/finding.js';
import { judgeTape } from '../../../src/tape/judge/tape-judge.js';
import { openTape } from '../../../src/tape/read.js';

/**
 * Writes a tape with these entries into the directory, and returns its findings. `startedAt` is in Unix nanoseconds.
 */
export async function judgeEntries(
  directory: string,
  entries: readonly { readonly t: number }[],
  startedAt = 0n,
): Promise<readonly Finding[]> {
  const header = {
    ...{ t: 0, kind: 'header', version: 1, startedAt: String(startedAt), clock: 'real', recorder: 'test' },
    redacted: [],
  };
  const file = join(directory, 'entries.tape');
  writeFileSync(file, [header, ...entries].map((line) => JSON.stringify(line)).join('\n'));
  return (await judgeTape(await openTape(file))).findings;
}
