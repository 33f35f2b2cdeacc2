import { expect, test } from 'vitest';
import { requestUrl } from './request-url.js';

test.each([
  ['/pods?x=1', '/pods'],
  ['//', '//'],
  ['//host:x/pods', '//host:x/pods'],
  ['/%zz', '/%zz'],
  ['http://other/pods', '/pods'],
  [undefined, '/'],
  ['*', undefined],
  ['http://:x/', undefined],
])('the path of %s is %s', (target, path) => {
  expect(requestUrl(target)?.pathname).toBe(path);
});
