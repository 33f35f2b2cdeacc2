import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { Account } from '../../../src/base/input/account.js';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { createSimulatedDisk } from './simulated-disk.js';

const temporary = useTemporaryDirectories();
const POD = { namespace: 'blue', name: 'web', uid: 'u1' };

async function setup(limit?: number) {
  const account = new Account(limit);
  const { disk, files } = createSimulatedDisk({
    now: createVirtualClock().now,
    account,
    podLogsDir: join(temporary(), 'logs'),
  });
  const path = join(files.podLogDirectory(POD), 'app/0.log');
  await disk.makeLog(path);
  const log = await disk.openLog(path);
  const print = (text: string) => log.appendFile(Buffer.from(text));
  const read = async () => {
    const file = await files.openLog(path);
    return file.readFile('utf8').finally(() => file.close());
  };
  return { account, files, path, print, read };
}

test('a log is a file when somebody reads it, and stays one', async () => {
  const { account, files, path, print, read } = await setup();
  await print('one\n');
  expect(await files.logSize(path)).toBe(4);
  expect(existsSync(path)).toBe(false);
  const reading = read();
  await print('two\n');
  await reading;
  expect(await read()).toBe('one\ntwo\n');
  await print('three\n');
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
  expect(account.used).toBe(0);
});

test('a long log is a file, and one without memory', async () => {
  for (const [limit, text] of [
    [undefined, 'x'.repeat(5000)],
    [3, 'four'],
  ] as const) {
    const { path, print } = await setup(limit);
    await print(text);
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
});

test('a log in memory shows its end, its attempt and its size, and is removed with its pod', async () => {
  const { account, files, path, print } = await setup();
  await print('2026-01-01T00:00:00Z stdout F bye\n');
  expect(await files.logTail(path)).toBe('bye\n');
  expect(await files.nextAttempt(files.podLogDirectory(POD), 'app')).toBe(1);
  await files.removePod(POD);
  expect(await files.nextAttempt(files.podLogDirectory(POD), 'app')).toBe(0);
  expect(await files.logSize(path)).toBeUndefined();
  expect(account.used).toBe(0);
});

test('a log that is rotated continues in a new file', async () => {
  const { files, path, print, read } = await setup();
  await print('old\n');
  await files.rotate(path, '20260101-000000');
  expect(existsSync(path)).toBe(false);
  expect(readFileSync(`${path}.20260101-000000`, 'utf8')).toBe('old\n');
  await files.removeLogs(path);
  expect(existsSync(`${path}.20260101-000000`)).toBe(false);
  await expect(read()).rejects.toThrow('ENOENT');
});
