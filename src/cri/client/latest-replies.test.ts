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

test('the statuses of many objects are decoded once each, until they change', () => {
  const { decoded, read } = counting();
  const status = (index: number, state: string) => `${index}`.padStart(72, '0') + state.padEnd(100, '.');
  const given = Array.from({ length: 50 }, (_, index) => status(index, 'running'));
  for (const text of [...given, ...given, ...given]) expect(read(text).text).toBe(text);
  expect(decoded).toEqual(given);
  const changed = status(7, 'stopped');
  expect(read(changed).text).toBe(changed);
  expect(decoded.at(-1)).toBe(changed);
});

test('a short list and a longer one that begin with the same object take turns', () => {
  const { decoded, read } = counting();
  const [short, long] = ['a'.repeat(200), 'a'.repeat(300)];
  for (const text of [short, long, short, long]) expect(read(text).text).toBe(text);
  expect(decoded).toEqual([short, long]);
});

test('an object that is gone is forgotten when the others were read often enough', () => {
  const { decoded, read } = counting();
  const [gone, left] = ['a'.repeat(200), 'b'.repeat(200)];
  read(gone);
  for (let count = 0; count < 1000; count++) read(left);
  expect(decoded).toEqual([gone, left]);
  read(gone);
  expect(decoded).toEqual([gone, left, gone]);
});
