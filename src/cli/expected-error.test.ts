import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { UserError } from '../base/input/user-error.js';
import { InputError } from '../base/input/yaml.js';
import { invalid } from '../cri/errors.js';
import { isExpected } from './expected-error.js';

const systemError = (): unknown => {
  try {
    return readFileSync('/there/is/no/such/file');
  } catch (error) {
    return error;
  }
};

test.each([
  ['refused input', new InputError(['--seed: expected a number'])],
  ['an error of the runtime', invalid('no such backend')],
  ['a failure that the user can act on', new UserError('the server has gone')],
  ['an error of the system', systemError()],
  ['a gRPC status', Object.assign(new Error('14 UNAVAILABLE: gone'), { code: 14, details: 'gone' })],
])('shows the message alone of %s', (_, error) => {
  expect(isExpected(error)).toBe(true);
});

test.each([
  ['a bare error', new Error('unreachable')],
  ['a mistake in the program', new TypeError('x is not a function')],
  ['something else', 'text'],
])('shows the stack of %s', (_, error) => {
  expect(isExpected(error)).toBe(false);
});
