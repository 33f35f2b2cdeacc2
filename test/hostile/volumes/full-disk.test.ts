import { readFileSync, statSync } from 'node:fs';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { containerDescriptors } from '../../../src/base/host/descriptors.js';
import { HostDisk } from '../../../src/linux/fs/node-disk.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

const temporary = useTemporaryDirectories();

const owned = (kind: 'file' | 'directory', mode: number) => ({ kind, mode, uid: 0, gid: 0 });

const EMPTY = { bsize: 4096, blocks: 1_000_000, bavail: 900_000, files: 1_000_000, ffree: 900_000 };

/** Sets what statfs says of any disk. */
const setSpace = (space: object) => vi.spyOn(fs, 'statfs').mockResolvedValue(space as never);

async function setup() {
  setSpace(EMPTY);
  const directory = temporary();
  const place = await new HostDisk().find(directory, true);
  const root = await place.node();
  const file = await root.make('file', owned('file', 0o644));
  return { directory, root, open: () => file.open('write') };
}

it.each([
  ['space', { bavail: 90_000 }],
  ['files', { ffree: 9000 }],
])('containers leave the last %s of a disk to others', async (_, left) => {
  const { directory, root, open } = await setup();
  const [early, late] = [await open(), await open()];
  await early.write(Buffer.alloc(1024 * 1024, 'a'), 0);
  setSpace({ ...EMPTY, ...left });
  await expect(early.write(Buffer.from('b'), 'end')).rejects.toThrow('No space left on device');
  await expect(late.write(Buffer.from('b'), 0)).rejects.toThrow('No space left on device');
  const link = { kind: 'symlink', target: 'x', uid: 0, gid: 0 } as const;
  for (const what of [owned('file', 0), owned('directory', 0), link])
    await expect(root.make('more', what)).rejects.toThrow('No space left on device');
  const log = join(directory, 'log');
  const opened = await new HostDisk().openLog(log);
  await expect(opened.appendFile(Buffer.from('b'))).rejects.toThrow('No space left on device');
  setSpace(EMPTY);
  await opened.appendFile(Buffer.from('b'));
  await early.write(Buffer.from('b'), 'end');
  expect(readFileSync(log, 'utf8')).toBe('b');
  for (const one of [early, late, opened]) await one.close();
});

it('a file that a container made never runs as the user of this process', async () => {
  const { directory, root } = await setup();
  const made = await root.make('program', owned('file', 0o6755));
  await made.change({ mode: 0o7711 });
  expect(statSync(join(directory, 'program')).mode & 0o7777).toBe(0o1711);
  await root.make('directory', owned('directory', 0o7755));
  expect(statSync(join(directory, 'directory')).mode & 0o7777).toBe(0o3755);
});

it('a log is written when containers hold all their descriptors', async () => {
  const { directory, open } = await setup();
  const held = containerDescriptors.limit - containerDescriptors.used;
  expect(containerDescriptors.take(held)).toBe(true);
  await expect(open()).rejects.toThrow('Too many open files in system');
  const path = join(directory, 'log');
  const log = await new HostDisk().openLog(path);
  expect(readFileSync(path, 'utf8')).toBe('');
  await Promise.all(['a', 'b'].map((text) => log.appendFile(Buffer.from(text))));
  await log.close();
  expect(containerDescriptors.used).toBe(containerDescriptors.limit);
  containerDescriptors.take(-held);
  expect(readFileSync(path, 'utf8').length).toBe(2);
  const file = await open();
  await file.close();
});
