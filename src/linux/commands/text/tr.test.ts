import { expect, it } from 'vitest';
import { createRig } from '../../../../test/support/linux/command-rig.js';

it.each([
  ['tr \\0a xb', '\0\0a', 'xxb'],
  ['tr -s \\0 x', '\0\0a\0', 'xax'],
  ['tr -d ab', 'abcba', 'c'],
  ['tr -ds a b', 'abbab', 'b'],
  ['tr -cs a-z \\n', 'one  two', 'one\ntwo'],
  ['tr \\200 \\377', 'a', 'a'],
  ['tr -s l', 'lllm', 'lm'],
])('%s', async (line, input, stdout) => {
  expect(await createRig().run(line, input)).toEqual({ status: { code: 0 }, stdout, stderr: '' });
});
