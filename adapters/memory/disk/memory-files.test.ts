import { expect, test } from 'vitest';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { Account } from '../../../src/base/input/account.js';
import { MemoryDisk } from '../../../src/linux/fs/memory-disk.js';
import { createMemoryFiles } from './memory-files.js';

const POD = { namespace: 'blue', name: 'web', uid: 'u1' };

function setup() {
  const disk = MemoryDisk.ofNode(createVirtualClock().now, new Account());
  const files = createMemoryFiles(disk);
  const directory = files.podLogDirectory(POD);
  const path = (attempt: number) => `${directory}/app/${attempt}.log`;
  const print = async (attempt: number, text: string) => {
    await disk.makeLog(path(attempt));
    const log = await disk.openLog(path(attempt));
    await log.appendFile(Buffer.from(text));
  };
  const next = () => files.nextAttempt(directory, 'app');
  return { disk, files, path, print, next };
}

test('a kubelet that knows nothing of a container finds its attempt in its logs', async () => {
  const { files, path, print, next } = setup();
  expect(await next()).toBe(0);
  await print(0, '');
  await print(1, '');
  expect(await next()).toBe(2);
  await files.removeLogs(path(1));
  expect(await next()).toBe(1);
  await files.removePod(POD);
  expect(await next()).toBe(0);
});

test('of a log that grows without end, the end is kept, from the beginning of a line', async () => {
  const { disk, files, path, print } = setup();
  for (let line = 0; line < 2000; line++)
    await print(0, `2026-11-22T10:00:00.000000000Z stdout F line ${line} ${'x'.repeat(80)}\n`);
  const text = String(await disk.files.readFile(path(0)));
  expect(text.length).toBeLessThan(64 * 1024);
  expect(text.split('\n')[0]).toMatch(/^2026-11-22T10:00:00.000000000Z stdout F line \d+ x+$/);
  expect(await files.logTail(path(0))).toMatch(/line 1999 x+\n$/);
});

test('a termination message has at most 4096 bytes, and its own file for each container', async () => {
  const { disk, files } = setup();
  const [one, other] = [
    await files.newTerminationLog('u1', 'app'),
    await files.newTerminationLog('u1', 'app'),
  ];
  expect(one).not.toBe(other);
  await disk.files.writeFile(one ?? '', Buffer.from(`${'a'.repeat(5000)}end`));
  expect(await files.terminationMessage(one ?? '')).toBe(`${'a'.repeat(4093)}end`);
  expect(await files.terminationMessage(other ?? '')).toBe('');
});

test('the files of an object change all at once, and those that are gone go', async () => {
  const { disk, files } = setup();
  const volume = { name: 'v', configMap: { name: 'c', optional: false, defaultMode: 0o644 } };
  const path = await files.volume(POD, volume);
  const write = (texts: Readonly<Record<string, string>>) => {
    const all = Object.entries(texts).map(
      ([name, text]) => [name, { content: Buffer.from(text), mode: 0o644 }] as const,
    );
    return files.writeVolume(POD, volume, new Map(all), 0n);
  };
  await write({ a: '1', 'sub/b': '2' });
  const first = await disk.files.readlink(`${path}/..data`);
  await write({ a: '1', 'sub/b': '2' });
  expect(await disk.files.readlink(`${path}/..data`)).toBe(first);
  await write({ 'sub/b': '3', c: '4' });
  expect(await disk.files.readdir(path ?? '')).toEqual([
    await disk.files.readlink(`${path}/..data`),
    '..data',
    'c',
    'sub',
  ]);
  expect(String(await disk.files.readFile(`${path}/sub/b`))).toBe('3');
  await expect(write({ '../x': '' })).rejects.toThrow('is not a path in a volume');
});
