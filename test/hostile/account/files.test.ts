import { afterEach, expect, it } from 'vitest';
import { openAccounts } from '../../../src/base/input/account.js';
import { createTestNode, type TestNode } from '../../support/runtime/memory-node.js';

const MIB = 1024 * 1024;
/** What the node may keep; half of it is for files at most. */
const LIMIT = 2 * MIB;

let node: TestNode;
const accounts = () => openAccounts(LIMIT);

afterEach(() => node.runtime.close());

const write = (path: string, count: number) => `dd if=/dev/zero of=${path} bs=64k count=${count}`;

/** Containers that each write a quarter of a MiB: one after the other, until the node has no memory left. */
const attacks: Readonly<Record<string, string>> = {
  'layers of many containers': write('/f', 4),
  '/dev/shm of many containers': write('/dev/shm/f', 4),
  '/dev of many containers': write('/dev/f', 4),
  'files that are open and have no name': `exec 3>/f; rm /f; dd if=/dev/zero bs=64k count=4 >&3; sleep 1000`,
  'a file whose name is another’s now': `: >/g; exec 3>/f; mv /g /f; dd if=/dev/zero bs=64k count=4 >&3; sleep 1000`,
  'a file of nothing but a hole': 'truncate -s 262144 /f',
  'a file that was cut and grew again': `${write('/f', 4)}; truncate -s 10 /f; truncate -s 262144 /f`,
  'empty files': 'cd /tmp; n=0; while [ $n -lt 250 ]; do : >$n || exit; n=$((n+1)); done',
  'names of one file': 'cd /tmp; : >f; n=0; while [ $n -lt 250 ]; do ln f $n || exit; n=$((n+1)); done',
  directories: 'cd /tmp; n=0; while [ $n -lt 250 ]; do mkdir $n || exit; n=$((n+1)); done',
  'long links': `cd /tmp; l=${'x'.repeat(4000)}; n=0; while [ $n -lt 50 ]; do ln -s $l $n || exit; n=$((n+1)); done`,
};

it.each(Object.entries(attacks))(
  '%s: no space left for the newest, and none kept when they are removed',
  async (_, script) => {
    const own = accounts();
    node = await createTestNode({ accounts: own });
    const output = '2>/dev/null';
    const ids: string[] = [];
    for (let n = 0; n < 10; n++)
      ids.push(await node.container({ command: ['sh', '-c', `{ ${script}; } ${output}; sleep 100000`] }));
    await node.clock.advance(20_000);
    const { used } = own.files;
    expect(used).toBeGreaterThan(LIMIT / 4);
    expect(used).toBeLessThanOrEqual(LIMIT / 2);
    const last = await node.container({ command: ['sleep', '100000'] });
    const touch = { containerId: last, cmd: ['sh', '-c', `${write('/x', 8)} && ${write('/y', 8)}`] };
    const answer = await node.call(() => node.cri.execSync(touch));
    expect(`${answer.exitCode} ${answer.stderr}`).toMatch(/^1 .*No space left on device/s);
    for (const containerId of [...ids, last])
      await node.call(() => node.cri.removeContainer({ containerId }));
    expect(own.files.used).toBe(0);
  },
);

it('ended containers keep their files until they are removed', async () => {
  const own = accounts();
  node = await createTestNode({ accounts: own });
  const id = await node.container({ command: ['sh', '-c', write('/f', 8)] });
  await node.clock.advance(1000);
  expect(await node.state(id)).toBe('EXITED 0 Completed');
  expect(own.files.used).toBeGreaterThan(MIB / 2);
  await node.call(() => node.cri.removeContainer({ containerId: id }));
  expect(own.files.used).toBe(0);
});

it('the space of an unlinked file is released when it is closed', async () => {
  const own = accounts();
  node = await createTestNode({ accounts: own });
  const script =
    'n=0; while [ $n -lt 20 ]; do exec 3>/f; rm /f; dd if=/dev/zero bs=64k count=4 >&3 || exit; n=$((n+1)); done';
  const id = await node.container({ command: ['sh', '-c', `{ ${script}; } 2>/dev/null`] });
  await node.clock.advance(20_000);
  expect(await node.state(id)).toBe('EXITED 0 Completed');
  expect(own.files.used).toBeLessThan(MIB / 4);
});
