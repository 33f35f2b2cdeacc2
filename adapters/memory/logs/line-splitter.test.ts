import { expect, it } from 'vitest';
import fc from '../../../test/support/properties.js';
import { formatTime, LineSplitter } from './line-splitter.js';

/** What a reader of the CRI's format makes of log lines: P continues in the next line, F ends it. */
function contentOf(log: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < log.length; ) {
    const end = log.indexOf(0x0a, start);
    const line = log.subarray(start, end);
    const text = line.toString('latin1');
    const [head = '', tag] = /^\S+ stdout ([PF]) /.exec(text) ?? [];
    expect(tag).toBeDefined();
    parts.push(line.subarray(head.length));
    if (tag === 'F') parts.push(Buffer.from('\n'));
    start = end + 1;
  }
  return Buffer.concat(parts);
}

const word = fc.oneof(
  fc.constant(Buffer.from('\n')),
  fc
    .uint8Array({ maxLength: 20 })
    .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0x0d ? 0x20 : byte)))),
  fc.integer({ min: 16_380, max: 40_000 }).map((size) => Buffer.alloc(size, 'x')),
);

it('loses and adds nothing, however the output is cut', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), (chunks) => {
      const splitter = new LineSplitter('stdout');
      const log = Buffer.concat([...chunks.map((chunk) => splitter.push(chunk, 0n)), splitter.end(0n)]);
      expect(contentOf(log).equals(Buffer.concat(chunks))).toBe(true);
      const longest = Math.max(
        0,
        ...log
          .toString('latin1')
          .split('\n')
          .map(({ length }) => length),
      );
      expect(longest).toBeLessThan(16 * 1024 + 60);
    }),
  );
});

it('cuts long lines at 16 KiB, takes a return before the newline away, and marks what never ended', () => {
  const splitter = new LineSplitter('stderr');
  const text = Buffer.concat([
    splitter.push(Buffer.from(`${'x'.repeat(16 * 1024 + 1)}\nwindows\r\nrest`), 1_700_000_000_123_456_789n),
    splitter.end(1_700_000_000_123_456_789n),
  ]).toString();
  const time = formatTime(1_700_000_000_123_456_789n);
  expect(text).toBe(
    `${time} stderr P ${'x'.repeat(16 * 1024)}\n${time} stderr F x\n${time} stderr F windows\n${time} stderr P rest\n`,
  );
  expect(time).toMatch(/^2023-11-1[45]T\d\d:\d\d:20\.123456789(Z|[+-]\d\d:\d\d)$/);
});
