import { expect, test } from 'vitest';
import { wantsColor } from './color.js';

test.each([
  [true, {}, true],
  [undefined, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  [undefined, { FORCE_COLOR: '1' }, true],
  [undefined, { FORCE_COLOR: '' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { FORCE_COLOR: 'false' }, false],
  [undefined, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
])('terminal %s, %j: %s', (isTTY, environment, expected) => {
  expect(wantsColor({ isTTY }, environment)).toBe(expected);
});
