import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { clearedLine, csi, guardTerminal, oneLine, terminalText } from './terminal.js';

const through = (text: string): string => {
  const stream = new PassThrough();
  guardTerminal(stream);
  stream.write(text);
  return String(stream.read());
};

test.each([
  ['\u001b]52;c;cm0gLXJm\u0007', '\\u001b]52;c;cm0gLXJm\\u0007'],
  ['\u001b]0;title\u001b\\', '\\u001b]0;title\\u001b\\'],
  ['\u009b31m', '\\u009b31m'],
  ['a\rb\b\u007f', 'a\\u000db\\u0008\\u007f'],
  ['a\u202eb\u2066', 'a\\u202eb\\u2066'],
  ['a\tb\nñ 漢 👍', 'a\tb\nñ 漢 👍'],
])('shows %j as %j', (text, shown) => {
  expect(through(text)).toBe(shown);
});

test('leaves JSON the same value', () => {
  const value = { name: String.fromCharCode(...Array.from({ length: 0x2070 }, (_, code) => code)) };
  const written = through(JSON.stringify(value));
  expect(JSON.parse(written)).toEqual(value);
  expect(written).not.toMatch(/[\u0080-\u009f\u202e]/);
});

test('lets sequences of Mockri through, and only those', () => {
  expect(through(`${clearedLine()}${csi('31m')}red \u001b[32m\r${csi('0m')}`)).toBe(
    '\r\u001b[K\u001b[31mred \\u001b[32m\\u000d\u001b[0m',
  );
  expect(terminalText('plain')).toBe('plain');
  expect(oneLine('a\nb\tc')).toBe('a\\nb\\tc');
});
