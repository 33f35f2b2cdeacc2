import { expect, test } from 'vitest';
import { parseBehavior } from './parse-behavior.js';

test.each([
  ['exit=1,exit=2', 'exit is given twice'],
  ['ignore=TERM,ignore=INT', 'ignore is given twice'],
  ['run,exit=1', 'run and exit exclude each other'],
  ['oom,run', 'run and oom exclude each other'],
  ['exit=1,oom', 'exit and oom exclude each other'],
])('%s is refused', (text, problem) => {
  expect(() => parseBehavior(text, 'behavior')).toThrow(`behavior: "${text}": ${problem}`);
});

test('each attempt has its own parts, and several paths of HTTP', () => {
  expect(parseBehavior('exit=1;exit=2;run,http=80:/a:200,http=80:/b:200', 'behavior')).toHaveLength(3);
});
