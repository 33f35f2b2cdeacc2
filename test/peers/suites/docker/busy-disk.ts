import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Concurrent writers. */
const LOOPS = 2;

/** Keeps the disk of a directory busy with synchronous writes; the returned function ends that and cleans up. */
export async function keepDiskBusy(directory: string): Promise<() => Promise<void>> {
  const own = join(directory, 'busy');
  await mkdir(own);
  const children = new Set<ChildProcess>();
  let isEnding = false;
  const kill = () => {
    isEnding = true;
    for (const child of children) child.kill('SIGKILL');
  };
  const loop = async (index: number) => {
    const write = ['if=/dev/zero', `of=${own}/${index}`, 'bs=1M', 'count=400', 'conv=fsync'];
    while (!isEnding) {
      const child = spawn('dd', write, { stdio: 'ignore' });
      children.add(child);
      await once(child, 'exit');
      children.delete(child);
    }
  };
  const loops = Array.from({ length: LOOPS }, (_, index) => loop(index));
  process.on('exit', kill);
  return async () => {
    process.off('exit', kill);
    kill();
    await Promise.all(loops);
    await rm(own, { recursive: true });
  };
}
