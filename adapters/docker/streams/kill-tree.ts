import { readFile } from 'node:fs/promises';

/**
 * Kills a process of a container and all its descendants. False if it can't: no such process here, not in that
 * container (Docker counts in another PID namespace), or no permission.
 */
export async function killTree(pid: number, containerId: string): Promise<boolean> {
  const cgroup = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
  if (!cgroup.includes(containerId)) return false;
  try {
    // A stopped process starts no more children.
    for (const one of await tree(pid)) process.kill(one, 'SIGKILL');
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** The parent first: it could start more children. */
async function tree(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = text.split(' ').filter(Boolean).map(Number);
  const below = await Promise.all(children.map(tree));
  return [pid, ...below.flat()];
}
