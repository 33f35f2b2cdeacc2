import type { Line } from '../../../src/tape/entries.js';

/** A pod for tests. */
export const pod = { name: 'web', namespace: 'default' };

/** The text of a tape with these lines after its header. */
export function tapeText(...lines: readonly Line[]): string {
  const header = {
    t: 0,
    kind: 'header',
    version: 1,
    startedAt: '1000',
    clock: 'virtual',
    recorder: 'test',
    redacted: [],
  };
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}
