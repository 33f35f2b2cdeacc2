import { expect, test } from 'vitest';
import { wrapTimed } from './wrap.js';

test.each([
  ['   4.1s  short', '   4.1s  short'],
  ['   4.1s  one two three four', '   4.1s  one two\n         three four'],
  ['   4.1s  averyveryverylongword one', '   4.1s  averyveryverylongword\n         one'],
  ['no time at all in this line', 'no time at all in\nthis line'],
  ['', ''],
])('%j', (line, wrapped) => {
  expect(wrapTimed(line, 20)).toBe(wrapped);
});
