import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { CriLog } from '../../../adapters/memory/logs/cri-log.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { HostPlaces } from '../../../src/base/host/host-places.js';
import { createNodeFiles } from '../../../src/kubelet/disk/node-files.js';
import { HostNode } from '../../../src/linux/fs/host-node.js';
import { HostDisk } from '../../../src/linux/fs/node-disk.js';
import type { Vnode } from '../../../src/linux/fs/vnode.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { countOf } from '../../support/thorough.js';

const temporary = useTemporaryDirectories();
const OWNER = { uid: 'u', namespace: 'n' };
let swapping: ChildProcess | undefined;
afterEach(() => {
  swapping?.kill('SIGKILL');
});

/** Each takes a moment of a process that swaps without pause. */
const TRIES = countOf(100, 40);
const MOST_TRIES = 100 * TRIES;

/**
 * Puts links in the places of a directory and a file and back, as fast as it can, and makes them again if they are gone. Like
 * a container, it doesn't go through its own links.
 */
const SWAP = `
const { lstatSync, renameSync, mkdirSync, symlinkSync, writeFileSync } = require('node:fs');
const [, volume, outside] = process.argv;
const attempt = (step) => { try { step(); } catch {} };
const isDirectory = (name) => lstatSync(volume + '/' + name, { throwIfNoEntry: false })?.isDirectory();
console.log('ready');
for (;;) for (const name of ['d', 'd/e', 'file']) {
  const [place, real, link] = [volume + '/' + name, volume + '/real', volume + '/link'];
  attempt(() => symlinkSync(name === 'file' ? outside + '/secret' : outside, link));
  if (name === 'd/e' && !isDirectory('d')) continue;
  attempt(() => renameSync(place, real));
  attempt(() => renameSync(link, place));
  attempt(() => renameSync(place, link));
  attempt(() => renameSync(real, place));
  attempt(() => mkdirSync(volume + '/d'));
  if (isDirectory('d')) attempt(() => mkdirSync(volume + '/d/e'));
  if (isDirectory('d') && isDirectory('d/e')) attempt(() => writeFileSync(volume + '/d/e/secret', 'inside', { flag: 'wx' }));
  attempt(() => writeFileSync(volume + '/file', 'inside', { flag: 'wx' }));
}`;

/** A volume whose files are swapped from now on, next to a directory that nobody was given. */
async function setup() {
  const [home, outside] = [temporary(), temporary()];
  const [rootDir, podLogsDir] = [join(home, 'kubelet'), join(home, 'logs')];
  const files = createNodeFiles({ rootDir, podLogsDir });
  mkdirSync(join(outside, 'e'));
  for (const name of ['secret', 'e/secret', '0.log']) writeFileSync(join(outside, name), 'outside');
  const before = picture(outside);
  const swap = async (volume: string) => {
    swapping = spawn(process.execPath, ['-e', SWAP, volume, outside], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => swapping?.stdout?.once('data', resolve));
  };
  return { files, outside, swap, podLogsDir, rootDir, same: () => expect(picture(outside)).toEqual(before) };
}

async function textOf(node: Vnode | undefined): Promise<string> {
  const file = await node?.open('both');
  if (file === undefined) return '';
  try {
    await file.write(Buffer.from('inside'), 'end');
    return String(await file.read(0, 100));
  } finally {
    await file.close();
  }
}

const picture = (directory: string) => [
  readdirSync(directory, { recursive: true }).sort(),
  ...['secret', 'e/secret', '0.log'].map((name) => readFileSync(join(directory, name), 'utf8')),
  statSync(join(directory, 'secret')).mode,
];

it.each(['d/e', 'd/e/new', 'd/e/secret', 'file'])(
  'a part of a volume is in it while it is swapped: %s',
  async (path) => {
    const { files, swap, same } = await setup();
    const hostPath = (await files.volume(OWNER, { name: 'v' })) ?? '';
    mkdirSync(join(hostPath, 'd/e'), { recursive: true });
    writeFileSync(join(hostPath, 'file'), 'inside');
    await swap(hostPath);
    const places = new HostPlaces();
    await places.write(await places.find(hostPath));
    let mounted = 0;
    // On a busy machine the part may be gone each time: then there are more tries.
    for (let index = 0; index < TRIES || (mounted === 0 && index < MOST_TRIES); index++) {
      const mount = { uid: 'u', volume: 'v', container: 'c', index, hostPath, path };
      const part = await files.subPath(mount).catch(() => undefined);
      const place = part === undefined ? undefined : await places.find(part).catch(() => undefined);
      if (place === undefined) continue;
      mounted++;
      const root = await HostNode.mount(place).catch(() => undefined);
      for (const node of [root, await root?.lookup('secret').catch(() => undefined)]) {
        expect(await textOf(node).catch(() => '')).not.toContain('outside');
        await node?.change({ mode: 0o755 }).catch(() => {});
      }
      await root?.make('planted', { kind: 'file', mode: 0o644, uid: 0, gid: 0 }).catch(() => {});
    }
    same();
    expect(mounted).toBeGreaterThan(0);
  },
);

it('a pod is removed while its volume is swapped, and nothing else', async () => {
  const { files, swap, same, rootDir } = await setup();
  const hostPath = (await files.volume(OWNER, { name: 'v' })) ?? '';
  mkdirSync(join(hostPath, 'd/e'), { recursive: true });
  await swap(hostPath);
  for (let count = 0; count < TRIES / 4; count++) {
    await files.removePod({ uid: 'u', name: 'p', namespace: 'n' }).catch(() => {});
    same();
    await files.volume(OWNER, { name: 'v' }).catch(() => {});
  }
  swapping?.kill('SIGKILL');
  await new Promise((resolve) => swapping?.once('exit', resolve));
  await files.removePod({ uid: 'u', name: 'p', namespace: 'n' });
  expect(readdirSync(join(rootDir, 'pods'))).toEqual([]);
  same();
});

it('files of an object are written into their volume while it is swapped', async () => {
  const { files, swap, same } = await setup();
  const volume = { name: 'v', projected: { sources: [], defaultMode: 0o644 } };
  const hostPath = (await files.volume(OWNER, volume)) ?? '';
  await swap(hostPath);
  let written = 0;
  for (let count = 0; count < TRIES || (written === 0 && count < MOST_TRIES); count++) {
    const content = new Map(
      ['file', 'd/e/secret', 'd/secret'].map((path) => [
        path,
        { content: Buffer.from(`${count}`), mode: 0o644 },
      ]),
    );
    await files.writeVolume(OWNER, volume, content, 0n).then(
      () => written++,
      () => {},
    );
  }
  same();
  expect(written).toBeGreaterThan(0);
});

it('logs are written, read, rotated and removed in their directory while it is swapped', async () => {
  const { files, swap, same, podLogsDir } = await setup();
  mkdirSync(podLogsDir);
  await swap(podLogsDir);
  const places = new HostPlaces();
  await places.write(await places.find(podLogsDir));
  const path = join(podLogsDir, 'd', 'e', '0.log');
  let read = 0;
  for (let count = 0; count < TRIES; count++) {
    const log = new CriLog({
      path,
      disk: new HostDisk(places),
      clock: createVirtualClock(),
      onError: () => {},
    });
    await log.write('stdout', Buffer.from('line\n'));
    await log.close();
    const text = await files.logTail(path);
    expect(text).not.toContain('outside');
    if (text !== '') read++;
    expect(await files.terminationMessage(join(podLogsDir, 'file'))).not.toContain('outside');
    const file = await files.openLog(path).catch(() => undefined);
    expect(String((await file?.readFile()) ?? '')).not.toContain('outside');
    await file?.close();
    await files.nextAttempt(join(podLogsDir, 'd'), 'e').catch(() => {});
    await files.rotate(path, `${count}`).catch(() => {});
    await files.compressRotated(path, 2).catch(() => {});
    await files.removeLogs(path).catch(() => {});
  }
  same();
  expect(read).toBeGreaterThan(0);
});

it('a link instead of a directory of the kubelet is not followed', async () => {
  const { files, outside, same, rootDir } = await setup();
  mkdirSync(join(rootDir, 'pods'), { recursive: true });
  symlinkSync(outside, join(rootDir, 'pods', 'u'));
  await expect(files.writeHosts('u', 'hosts')).rejects.toThrow();
  await expect(files.newTerminationLog('u', 'c')).rejects.toThrow();
  await expect(files.volume(OWNER, { name: 'v' })).rejects.toThrow();
  await expect(
    files.writeVolume(OWNER, { name: 'v', projected: { sources: [], defaultMode: 0o644 } }, new Map(), 0n),
  ).rejects.toThrow();
  await files.removePod({ uid: 'u', name: 'p', namespace: 'n' });
  same();
  for (const uid of ['..', '../..', 'a/b', ''])
    await expect(files.volume({ ...OWNER, uid }, { name: 'v' })).rejects.toThrow('is not the name of a file');
});
