import { expect, test } from 'vitest';
import { countOf } from '../../test/support/thorough.js';
import type { Line } from './entries.js';
import { createRedactor } from './redact.js';

const redactor = () => createRedactor(new Set(), Buffer.from('key'));
const create = (call: number, values: readonly string[], args: readonly string[]) =>
  ({
    t: 1,
    kind: 'call',
    call,
    method: 'CreateContainer',
    connection: 0,
    message: {
      config: { envs: values.map((value) => ({ value: Buffer.from(value).toString('base64') })), args },
    },
  }) as unknown as Line & { message: { config: { args: string[] } } };
const failed = (details: string): Line => ({
  t: 2,
  kind: 'reply',
  call: 1,
  method: 'CreateContainer',
  code: 'UNKNOWN',
  details,
});

test('what a variable says is hidden in arguments of the same line, and in details that follow', () => {
  const redact = redactor();
  const { message } = redact(create(1, ['hunter2-s3cret'], ['--key=hunter2-s3cret', 'x'])) as ReturnType<
    typeof create
  >;
  expect(message.config.args).toEqual([expect.stringMatching(/^--key=redacted:[0-9a-f]{16}$/), 'x']);
  const hash = message.config.args[0]?.slice('--key='.length);
  expect(redact(failed('no hunter2-s3cret!'))).toMatchObject({ details: `no ${hash}!` });
});

test('a line of many variables and of many arguments is looked at in one pass', () => {
  const values = Array.from({ length: 2000 }, (_, index) => `secret-${index}`);
  // Each of them times each of the variables takes minutes.
  const args = Array.from({ length: countOf(5_000_000, 500_000) }, () => 'secret-');
  const { message } = redactor()(create(1, values, [...values, ...args.slice(values.length)])) as ReturnType<
    typeof create
  >;
  expect(message.config.args.filter((text) => text !== 'secret-')).toHaveLength(2000);
  expect(message.config.args[0]).toMatch(/^redacted:/);
});
