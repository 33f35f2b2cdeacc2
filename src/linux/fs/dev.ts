import { posix } from 'node:path';
import type { Clock } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import { FileError } from './file-error.js';
import { StreamNode } from './generated.js';
import { device, directory, type ImageDirectory, type ImageNode, link } from './image-tree.js';
import type { Vnode } from './vnode.js';

/** What runc puts into `/dev` (OCI runtime spec, default devices and symbolic links). */
const DEV = directory({
  fd: link('/proc/self/fd'),
  full: device('full'),
  mqueue: directory({}, 0o1777),
  null: device('null'),
  ptmx: link('pts/ptmx'),
  pts: directory(),
  random: device('random'),
  shm: directory({}, 0o1777),
  stderr: link('/proc/self/fd/2'),
  stdin: link('/proc/self/fd/0'),
  stdout: link('/proc/self/fd/1'),
  tty: device('tty'),
  urandom: device('random'),
  zero: device('zero'),
});

/** Adds the config's devices below `/dev`. ENOSPC for more than `most` devices and directories. */
export function devWith(paths: readonly string[], most: number): ImageDirectory {
  const dev = new Map(DEV.entries);
  const made = new Map<ImageNode, Map<string, ImageNode>>();
  let count = 0;
  const add = (entries: Map<string, ImageNode>, name: string, node: ImageNode) => {
    if (++count > most) throw new FileError('ENOSPC');
    entries.set(name, node);
  };
  const below = (entries: Map<string, ImageNode>, name: string): Map<string, ImageNode> => {
    const known = entries.get(name);
    const own = known && made.get(known);
    if (own) return own;
    const tree = known?.kind === 'directory' ? known : directory();
    const copy = new Map(tree.entries);
    const node = { ...tree, entries: copy };
    add(entries, name, node);
    made.set(node, copy);
    return copy;
  };
  for (const path of paths) {
    const normal = posix.normalize(path);
    if (!normal.startsWith('/dev/')) continue;
    const names = normal.slice('/dev/'.length).split('/').filter(Boolean);
    const last = names.pop();
    if (last !== undefined) add(names.reduce(below, dev), last, device('other'));
  }
  return { ...DEV, entries: dev };
}

/** Maximum bytes of one read from a device: a greedy reader reads again. */
const AT_ONCE = 1024 * 1024;
/** The kernel's devices (mem(4), random(4), tty(4)). */
export function createDevices(clock: Clock, random: Random): (name: string) => Vnode {
  const zeros = async (length: number) => Buffer.alloc(Math.min(length, AT_ONCE));
  const noise = async (length: number) => randomBytes(random, Math.min(length, AT_ONCE));
  const nothing = async () => Buffer.alloc(0);
  const discard = async () => {};
  const fail = (code: 'ENOSPC' | 'ENXIO') => async (): Promise<never> => {
    throw new FileError(code);
  };
  return (name) => {
    const make = (read: (length: number) => Promise<Buffer>, write: (chunk: Buffer) => Promise<void>) =>
      new StreamNode('device', { mode: 0o666, modifiedAt: clock.now() }, read, write);
    if (name === 'zero') return make(zeros, discard);
    if (name === 'random') return make(noise, discard);
    if (name === 'full') return make(zeros, fail('ENOSPC'));
    if (name === 'tty') return make(fail('ENXIO'), fail('ENXIO'));
    return make(nothing, discard);
  };
}

function randomBytes(random: Random, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index++) bytes[index] = random.next() * 256;
  return bytes;
}
