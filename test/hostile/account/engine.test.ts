import { afterEach, expect, it } from 'vitest';
import { openAccounts } from '../../../src/base/input/account.js';
import type { CriError } from '../../../src/cri/errors.js';
import { createTestNode, type TestNode } from '../../support/runtime/memory-node.js';

const MIB = 1024 * 1024;
const LIMIT = MIB;

let node: TestNode;
let accounts: ReturnType<typeof openAccounts>;

async function start(): Promise<void> {
  accounts = openAccounts(LIMIT);
  node = await createTestNode({ accounts });
}

afterEach(() => node.runtime.close());

const kindOf = (error: unknown) => (error as CriError).kind;

/** Repeats a call until it is refused; answers why. */
async function untilRefused(call: (count: number) => Promise<unknown>): Promise<string> {
  for (let count = 0; count < 1000; count++)
    try {
      await node.call(() => call(count));
    } catch (error) {
      return kindOf(error);
    }
  throw new Error('1000 calls were not refused');
}

const metadata = (name: string) => ({ name, uid: name, namespace: 'default', attempt: 0 });
const runPod = (name: string, config: object) =>
  node.cri.runPodSandbox({ config: { metadata: metadata(name), ...config } });

it.each([
  ['long annotations', { annotations: { long: 'x'.repeat(20_000) } }],
  ['many labels', { labels: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`l${n}`, ''])) }],
])('pods with %s: the newest is refused, and its name is free', async (_, config) => {
  await start();
  const before = accounts.objects.used;
  expect(await untilRefused((n) => runPod(`p${n}`, config))).toBe('exhausted');
  expect(accounts.objects.used).toBeGreaterThan(LIMIT / 3);
  const { items } = await node.cri.listPodSandbox({});
  const last = `p${items.length - 1}`;
  expect(kindOf(await node.call(() => runPod(last, config)).catch((error: unknown) => error))).toBe(
    'exhausted',
  );
  for (const { id, metadata } of items)
    if (metadata?.name !== 'web') await node.call(() => node.cri.removePodSandbox({ podSandboxId: id }));
  expect(accounts.objects.used).toBe(before);
  await node.call(() => runPod(last, config));
});

it('concurrent creations that together exceed the limit: some are refused, and leave nothing behind', async () => {
  await start();
  const before = accounts.objects.used;
  const annotations = { long: 'x'.repeat(100_000) };
  const creations = Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => node.clock.run(() => runPod(`p${n}`, { annotations }))),
  );
  await node.clock.advance(1000);
  const results = await creations;
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused.map((result) => kindOf((result as PromiseRejectedResult).reason))).toEqual(
    refused.map(() => 'exhausted'),
  );
  expect(refused.length).toBeGreaterThan(10);
  for (const { id, metadata } of (await node.cri.listPodSandbox({})).items)
    if (metadata?.name !== 'web') await node.call(() => node.cri.removePodSandbox({ podSandboxId: id }));
  expect(accounts.objects.used).toBe(before);
});

it('updates of resources add up, until one is refused', async () => {
  await start();
  const containerId = await node.container({ command: ['sleep', '100000'] });
  const unified = (n: number) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, m) => [`key.${n}.${m}`, 'x'.repeat(100)]));
  const update = (n: number) =>
    node.cri.updateContainerResources({ containerId, linux: { unified: unified(n) } });
  expect(await untilRefused(update)).toBe('exhausted');
  expect(await node.state(containerId)).toBe('RUNNING');
});

it('images: the newest pull is refused', async () => {
  await start();
  const pull = (n: number) => node.cri.pullImage({ image: { image: `${'long/'.repeat(40)}i${n}:1` } });
  expect(await untilRefused(pull)).toBe('exhausted');
  await node.container({ command: ['sleep', '1'] });
});

it('the output of concurrent commands: the newest that prints more is killed', async () => {
  await start();
  const containerId = await node.container({ command: ['sleep', '100000'] });
  const exec = (script: string) =>
    node.clock.run(() => node.cri.execSync({ containerId, cmd: ['sh', '-c', script] }));
  const print = 'dd if=/dev/zero bs=1k count=30 2>/dev/null; sleep 10';
  const running = Array.from({ length: 12 }, () => exec(print).then(() => 'done', kindOf));
  await node.clock.advance(500);
  expect(accounts.outputs.used).toBeLessThanOrEqual(LIMIT / 4);
  expect(accounts.outputs.used).toBeGreaterThan(LIMIT / 8);
  await node.clock.advance(20_000);
  const ends = await Promise.all(running);
  expect(ends.filter((end) => end === 'exhausted').length).toBeGreaterThan(3);
  expect(ends.filter((end) => end === 'done').length).toBeGreaterThan(3);
  expect(accounts.outputs.used).toBe(0);
  expect(
    Buffer.from(
      (await node.call(() => node.cri.execSync({ containerId, cmd: ['echo', 'x'] }))).stdout,
    ).toString(),
  ).toBe('x\n');
});

it('the output of a command is freed when its client disconnects', async () => {
  await start();
  const containerId = await node.container({ command: ['sleep', '100000'] });
  const leaving = new AbortController();
  const cmd = ['sh', '-c', 'dd if=/dev/zero bs=1k count=100 2>/dev/null; sleep 1000'];
  const { signal } = leaving;
  const call = node.clock.run(async () =>
    node.runtime.service.execSync({ containerId, cmd, timeout: 0n }, { signal } as never),
  );
  const ended = call.catch(kindOf);
  await node.clock.advance(500);
  expect(accounts.outputs.used).toBe(102_400);
  leaving.abort();
  expect(accounts.outputs.used).toBe(0);
  expect(await ended).toBe('cancelled');
});

it('events that subscribers do not read: all subscribers share the bytes, and those beyond the limit are disconnected', async () => {
  await start();
  const { signal } = new AbortController();
  const subscribers = Array.from({ length: 10 }, () =>
    node.runtime.service.getContainerEvents({}, { signal } as never)[Symbol.asyncIterator](),
  );
  const annotations = { long: 'x'.repeat(10_000) };
  for (let n = 0; n < 20; n++) {
    const { podSandboxId } = await node.call(() => runPod(`p${n}`, { annotations }));
    await node.call(() => node.cri.removePodSandbox({ podSandboxId }));
  }
  expect(accounts.events.used).toBeLessThanOrEqual(LIMIT / 8);
  expect(node.runtime.eventStats.disconnected).toBe(10);
  await expect(subscribers[0]?.next()).rejects.toMatchObject({ kind: 'exhausted' });
  expect(accounts.events.used).toBe(0);
});
