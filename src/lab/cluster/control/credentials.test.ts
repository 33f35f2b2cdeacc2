import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectories } from '../../../../test/support/temporary.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { apiServerArgs, etcdArgs } from './commands.js';
import { writeCredentials } from './credentials.js';

const temporary = useTemporaryDirectories();

function open() {
  const directory = temporary();
  const users = new Map([['admin', 'system:masters']]);
  const credentials = writeCredentials(join(directory, 'pki'), createVirtualClock(), users);
  return { directory, port: 6443, credentials, egress: join(directory, 'egress.json') };
}

test('nobody can guess a token', () => {
  const [{ credentials: first }, { credentials: second }] = [open(), open()];
  expect(first.tokenOf('admin')).toMatch(/^[\da-f-]{36}$/);
  expect(first.tokenOf('admin')).not.toBe(second.tokenOf('admin'));
  expect(readFileSync(first.files.tokens, 'utf8')).toBe(
    `${first.tokenOf('admin')},admin,admin,system:masters\n`,
  );
  expect(() => first.tokenOf('somebody')).toThrow('somebody has no token');
});

test('etcd, which asks for no credentials, has no ports', () => {
  const places = open();
  expect(etcdArgs(places).filter((arg) => arg.includes('://'))).toHaveLength(5);
  for (const arg of [...etcdArgs(places), ...apiServerArgs(places)])
    if (arg.includes('://') && !arg.includes('svc.cluster.local'))
      expect(arg).toContain(`unix://${places.directory}/`);
});

test('a directory whose path is too long for a socket is named', () => {
  const places = { ...open(), directory: `/${'d'.repeat(100)}` };
  expect(() => etcdArgs(places)).toThrow(
    /^the socket path \/d+\/etcd-clients has 114 bytes; the system allows 107/,
  );
});
