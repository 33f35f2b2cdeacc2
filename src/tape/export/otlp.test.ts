import { expect, test } from 'vitest';
import type { FinishedCall } from '../calls.js';
import type { EntryOf, Header } from '../entries.js';
import { otlpLines } from './otlp.js';

const header = { t: 0, kind: 'header', startedAt: '1000', recorder: 'test' } as unknown as Header;

/** Calls that fail with these details. */
async function* failed(details: readonly string[]): AsyncGenerator<FinishedCall> {
  for (const [index, text] of details.entries()) {
    const call = { t: index, kind: 'call', call: index + 1, method: 'Status', connection: 0 };
    const end = {
      t: index,
      kind: 'reply',
      call: index + 1,
      method: 'Status',
      code: 'UNKNOWN',
      details: text,
    };
    yield {
      kind: 'finished',
      line: index + 2,
      call: call as unknown as EntryOf<'call'>,
      end: end as EntryOf<'reply'>,
      endLine: 0,
      messages: 0,
    };
  }
}

/** The lengths of the lines, and how many spans each of them has. */
async function linesOf(details: readonly string[]) {
  const lines: { length: number; spans: number }[] = [];
  for await (const line of otlpLines(header, failed(details)))
    lines.push({ length: line.length, spans: JSON.parse(line).resourceSpans[0].scopeSpans[0].spans.length });
  return lines;
}

test('a line has 500 spans, and the last one those that are left', async () => {
  const lines = await linesOf(Array.from({ length: 1001 }, () => 'no'));
  expect(lines.map(({ spans }) => spans)).toEqual([500, 500, 1]);
});

test('a line has fewer spans that are long, so that it is no longer than a reader takes', async () => {
  const details = 'x'.repeat(1.2 * 1024 * 1024);
  const lines = await linesOf(Array.from({ length: 40 }, () => details));
  expect(lines.reduce((sum, { spans }) => sum + spans, 0)).toBe(40);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(20 * 1024 * 1024);
});
