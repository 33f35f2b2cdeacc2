import type { Random } from '../../../src/clock/random.js';
import { FileError } from '../process/file-system.js';
import { StreamNode } from './generated.js';
import type { LayerDirectory } from './layer.js';

/** The most that a device answers at once, in bytes: a greedy reader asks again. */
const AT_ONCE = 1024 * 1024;

const LINKS = {
  fd: '/proc/self/fd',
  stdin: '/proc/self/fd/0',
  stdout: '/proc/self/fd/1',
  stderr: '/proc/self/fd/2',
  ptmx: 'pts/ptmx',
} as const;

/** Fills `/dev` with what runc puts there (OCI runtime spec, default devices and symbolic links). */
export async function fillDev(dev: LayerDirectory, random: Random): Promise<void> {
  const look = { mode: 0o666, modifiedAt: dev.layer.now() };
  const zeros = async (length: number) => Buffer.alloc(Math.min(length, AT_ONCE));
  const noise = async (length: number) => randomBytes(random, Math.min(length, AT_ONCE));
  const nothing = async () => Buffer.alloc(0);
  const discard = async () => {};
  const fail = (code: 'ENOSPC' | 'ENXIO') => async (): Promise<never> => {
    throw new FileError(code);
  };
  dev.set('null', new StreamNode('device', look, nothing, discard));
  dev.set('zero', new StreamNode('device', look, zeros, discard));
  dev.set('full', new StreamNode('device', look, zeros, fail('ENOSPC')));
  dev.set('random', new StreamNode('device', look, noise, discard));
  dev.set('urandom', new StreamNode('device', look, noise, discard));
  dev.set('tty', new StreamNode('device', look, fail('ENXIO'), fail('ENXIO')));
  for (const [name, target] of Object.entries(LINKS)) {
    await dev.make(name, { kind: 'symlink', target, uid: 0, gid: 0 });
  }
  for (const [name, mode] of [
    ['pts', 0o755],
    ['shm', 0o1777],
    ['mqueue', 0o1777],
  ] as const) {
    await dev.make(name, { kind: 'directory', mode, uid: 0, gid: 0 });
  }
}

function randomBytes(random: Random, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index++) bytes[index] = random.next() * 256;
  return bytes;
}
