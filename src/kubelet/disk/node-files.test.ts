import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { createNodeFiles } from './node-files.js';

const directory = useTemporaryDirectory();

test.each([
  ['a line', 'F whole', 'whole\n'],
  ['a line in pieces', 'P in |F pieces', 'in pieces\n'],
  ['text without an end', 'F first|P DONE', 'first\nDONE'],
  ['an empty line', 'F |F x', '\nx\n'],
])('the tail of a log with %s', async (_, lines, expected) => {
  const log = join(directory, '0.log');
  const time = '2026-11-22T10:00:00.000000000Z';
  writeFileSync(
    log,
    lines
      .split('|')
      .map((line) => `${time} stdout ${line}\n`)
      .join(''),
  );
  const files = createNodeFiles({ rootDir: directory, podLogsDir: directory });
  expect(await files.logTail(log)).toBe(expected);
});

test('a volume takes what its files take, and nothing of what a link leads to', async () => {
  const files = createNodeFiles({ rootDir: directory, podLogsDir: directory });
  const volume = { name: 'full', emptyDir: {} };
  const path = await files.volume({ uid: 'u', namespace: 'n' }, volume);
  const empty = await files.usage('u', volume);
  mkdirSync(join(path ?? '', 'deep'));
  writeFileSync(join(path ?? '', 'deep', 'file'), Buffer.alloc(300_000, 'x'));
  const used = await files.usage('u', volume);
  expect(used - empty).toBeGreaterThanOrEqual(300_000n);
  symlinkSync(process.cwd(), join(path ?? '', 'deep', 'away'));
  expect((await files.usage('u', volume)) - used).toBeLessThan(16_384n);
});

test('a pod gets a hosts file of its node, and no file of the machine', async () => {
  const files = createNodeFiles({ rootDir: directory, podLogsDir: directory, keepsFromHost: true });
  const hosts = await files.volume(
    { uid: 'u', namespace: 'n' },
    { name: 'hosts', hostPath: { path: '/etc/hosts' } },
  );
  expect(readFileSync(hosts ?? '', 'utf8')).toBe(
    '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n',
  );
  expect(hosts).toContain(directory);
  const other = await files.volume(
    { uid: 'u', namespace: 'n' },
    { name: 'other', hostPath: { path: '/etc/passwd' } },
  );
  expect(readdirSync(other ?? '')).toEqual([]);
});

test('a pod whose name leads to the logs of another one takes nothing with it', async () => {
  const logs = join(directory, 'n_other_u');
  mkdirSync(logs);
  const files = createNodeFiles({ rootDir: directory, podLogsDir: directory });
  await files.removePod({ namespace: 'n', name: 'x/n_other', uid: 'u' });
  expect(existsSync(logs)).toBe(true);
});
