import { expect, test } from 'vitest';
import { rememberLatest } from './latest-replies.js';

function counting() {
  const decoded: string[] = [];
  const read = rememberLatest((bytes) => {
    decoded.push(bytes.toString());
    return { text: bytes.toString() };
  });
  return { decoded, read: (text: string) => read(Buffer.from(text)) };
}

test('two replies that take turns are decoded once each', () => {
  const { decoded, read } = counting();
  const first = read('all');
  read('running');
  expect(read('all')).toBe(first);
  expect(read('running').text).toBe('running');
  expect(decoded).toEqual(['all', 'running']);
});

test('a third reply takes the place of the oldest', () => {
  const { decoded, read } = counting();
  for (const text of ['a', 'b', 'c', 'c', 'b', 'a']) expect(read(text).text).toBe(text);
  expect(decoded).toEqual(['a', 'b', 'c', 'a']);
});
