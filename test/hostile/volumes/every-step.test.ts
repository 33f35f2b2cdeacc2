import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { CriLog } from '../../../adapters/memory/logs/cri-log.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { HostPlaces } from '../../../src/base/host/host-places.js';
import { createNodeFiles } from '../../../src/kubelet/disk/node-files.js';
import { HostNode } from '../../../src/linux/fs/host-node.js';
import { HostDisk } from '../../../src/linux/fs/node-disk.js';
import type { Vnode } from '../../../src/linux/fs/vnode.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { isThorough } from '../../support/thorough.js';

/** Called before each step that asks the file system for something. */
const steps = vi.hoisted(() => ({ before: () => {} }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const wrapped = Object.entries(real).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    const call = value as (...given: unknown[]) => unknown;
    return [
      name,
      (...given: unknown[]) => {
        steps.before();
        return call(...given);
      },
    ];
  });
  return Object.fromEntries(wrapped);
});

const temporary = useTemporaryDirectories();
const OWNER = { uid: 'u', namespace: 'n' };

/** A kubelet's files, and a directory that nobody was given. */
function setup() {
  const home = temporary();
  const outside = join(home, 'outside');
  for (const directory of ['e', 'c']) fs.mkdirSync(join(outside, directory), { recursive: true });
  for (const file of ['secret', 'e/secret', 'c/0.log', '0.log'])
    fs.writeFileSync(join(outside, file), 'outside');
  const [rootDir, podLogsDir] = [join(home, 'kubelet'), join(home, 'logs')];
  return {
    outside,
    rootDir,
    podLogsDir,
    files: createNodeFiles({ rootDir, podLogsDir }),
    places: new HostPlaces(),
  };
}
type Setup = ReturnType<typeof setup>;

const picture = (directory: string) => [
  fs.readdirSync(directory, { recursive: true }).sort(),
  ...['secret', 'e/secret', 'c/0.log', '0.log'].map((file) => fs.readFileSync(join(directory, file), 'utf8')),
  fs.statSync(join(directory, 'secret')).mode,
  fs.statSync(join(directory, 'secret')).nlink,
];

function write(...path: readonly string[]): void {
  const file = join(...path);
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, 'inside');
}

/** What is done, and where it is done below `base`: the places that are swapped. */
interface Operation {
  base(given: Setup): string;
  readonly swaps: readonly string[];
  prepare(given: Setup): Promise<void> | void;
  /** Answers what was read. */
  run(given: Setup): Promise<string>;
}

const VOLUME = 'kubelet/pods/u/volumes/kubernetes.io~empty-dir/v';
const GIVEN = 'kubelet/pods/u/volumes/kubernetes.io~projected/v';
const object = { name: 'v', projected: { sources: [], defaultMode: 0o644 } };
const content = (text: string) =>
  new Map([
    ['e/secret', { content: Buffer.from(text), mode: 0o644 }],
    ['secret', { content: Buffer.from(text), mode: 0o644 }],
  ]);
const home = ({ outside }: Setup): string => dirname(outside);

async function readAndWrite(node: Vnode | undefined): Promise<string> {
  if (node === undefined) return '';
  await node.change({ mode: 0o700 });
  const file = await node.open('both');
  try {
    await file.write(Buffer.from('inside'), 'end');
    return String(await file.read(0, 100));
  } finally {
    await file.close();
  }
}

const part = (path: string): Operation => ({
  base: (given) => join(home(given), VOLUME),
  swaps: ['d', 'd/e', 'd/e/secret'],
  prepare: (given) => write(home(given), VOLUME, 'd/e/secret'),
  run: async ({ files, places, ...given }) => {
    const hostPath = join(given.rootDir, '..', VOLUME);
    await places.write(await places.find(hostPath));
    const found = await files.subPath({ uid: 'u', volume: 'v', container: 'c', index: 0, hostPath, path });
    const root = await HostNode.mount(await places.find(found));
    await root.make('planted', { kind: 'file', mode: 0o644, uid: 0, gid: 0 }).catch(() => {});
    const below = await root.lookup('secret').catch(() => undefined);
    return `${await readAndWrite(below).catch(() => '')}${await readAndWrite(root).catch(() => '')}`;
  },
});

const log = (run: (given: Setup, path: string) => Promise<unknown>): Operation => ({
  base: ({ podLogsDir }) => podLogsDir,
  swaps: ['p', 'p/c', 'p/c/0.log'],
  prepare: ({ podLogsDir }) => {
    for (const name of ['0.log', '0.log.1', '0.log.2', '0.log.3']) write(podLogsDir, 'p/c', name);
  },
  run: async (given) => String((await run(given, join(given.podLogsDir, 'p/c/0.log'))) ?? ''),
});

const operations: Readonly<Record<string, Operation>> = {
  'a directory of a volume': part('d/e'),
  'a file of a volume': part('d/e/secret'),
  'a directory that is made': part('d/new/e'),
  'the files of an object': {
    base: (given) => join(home(given), GIVEN),
    swaps: ['e', 'secret', '..data', '..data_tmp'],
    prepare: ({ files }) => files.writeVolume(OWNER, object, content('first'), 0n),
    run: async ({ files }) => {
      await files.writeVolume(OWNER, object, content('second'), 0n);
      return '';
    },
  },
  'the removal of a pod': {
    base: (given) => join(home(given), VOLUME),
    swaps: ['d', 'd/e', 'd/e/secret'],
    prepare: (given) => write(home(given), VOLUME, 'd/e/secret'),
    run: async ({ files }) => {
      await files.removePod({ uid: 'u', name: 'p', namespace: 'n' });
      return '';
    },
  },
  'a termination message': {
    base: (given) => join(home(given), VOLUME),
    swaps: ['e', 'e/secret'],
    prepare: (given) => write(home(given), VOLUME, 'e/secret'),
    run: (given) => given.files.terminationMessage(join(home(given), VOLUME, 'e/secret')),
  },
  'a log that is written': log(async ({ places, podLogsDir }, path) => {
    await places.write(await places.find(podLogsDir));
    const file = new CriLog({
      path,
      disk: new HostDisk(places),
      clock: createVirtualClock(),
      onError: () => {},
    });
    await file.make();
    await file.write('stdout', Buffer.from('line\n'));
    await file.reopen().catch(() => {});
    await file.close();
  }),
  'a log that is read': log(async ({ files }, path) => {
    const file = await files.openLog(path);
    const text = String(await file.readFile());
    await file.close();
    return `${text}${await files.logTail(path)}${await files.logSize(path)}`;
  }),
  'a log that is rotated': log(async ({ files }, path) => {
    const undo = await files.rotate(path, '4');
    await files.compressRotated(path, 2);
    await undo();
  }),
  'logs that are removed': log(({ files }, path) => files.removeLogs(path)),
};

/** Runs an operation; at its n-th step a link comes to a place, and goes again some steps later. */
async function tryOne({ base, prepare, run }: Operation, place: string, at: number, back: number) {
  const given = setup();
  await prepare(given);
  const before = picture(given.outside);
  const path = join(base(given), place);
  const [aside, target] = [join(home(given), 'aside'), path.endsWith('secret') ? 'secret' : ''];
  let step = 0;
  steps.before = () => {
    step++;
    if (step === at) {
      if (fs.existsSync(path)) fs.renameSync(path, aside);
      if (fs.existsSync(dirname(path))) fs.symlinkSync(join(given.outside, target), path);
    } else if (step === at + back && fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      fs.unlinkSync(path);
      if (fs.existsSync(aside)) fs.renameSync(aside, path);
    }
  };
  const text = await run(given).catch(() => '');
  steps.before = () => {};
  const where = `${place} at step ${at}, back after ${back}`;
  expect(text, where).not.toContain('outside');
  expect(picture(given.outside), where).toEqual(before);
  fs.rmSync(home(given), { recursive: true, force: true });
  return step >= at;
}

const backs = isThorough ? [0, 1, 2, 3] : [0];
/** Of what comes between the way to a volume and its use, every step is tried; of the others, a sample. */
const strideOf = (name: string) => (isThorough || name.endsWith('of a volume') ? 1 : 5);

it.each(Object.keys(operations))('a link planted at any step does not redirect %s', async (name) => {
  const operation = operations[name] as Operation;
  for (const place of operation.swaps)
    for (const back of backs)
      for (let at = 1; await tryOne(operation, place, at, back); at += strideOf(name))
        expect(at).toBeLessThan(500);
});
